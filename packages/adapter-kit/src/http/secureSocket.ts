import { isIP, type Socket } from "node:net"
import { connect, type TLSSocket } from "node:tls"
import { Effect } from "effect"
import { AdapterError } from "../AdapterError.ts"

const withoutColons = (fingerprint: string) => fingerprint.replaceAll(":", "").toLowerCase()

/** A host, and the SHA-256 of its certificate if it has none of a known authority. */
export interface TlsPeer {
  readonly host: string
  readonly fingerprint: string | null
}

/** Why the peer is not the one that was meant; undefined if it is. */
const refusal = (socket: TLSSocket, { fingerprint }: TlsPeer, peer: string): string | undefined => {
  const shown = socket.getPeerCertificate().fingerprint256
  if (fingerprint !== null) {
    return withoutColons(fingerprint) === withoutColons(shown ?? "")
      ? undefined
      : `The ${peer}'s certificate has another fingerprint: ${shown}`
  }
  if (socket.authorized) return undefined
  return `The ${peer}'s certificate can't be verified (${String(socket.authorizationError)}). If its SHA-256 fingerprint is ${shown}, enter that`
}

/**
 * TLS over a connection to a broker or a device. Its certificate has to come from a known authority or have the fingerprint that the person
 * gave; nothing is sent before that is known.
 */
export const secureSocket = (socket: Socket, address: TlsPeer, peer = "broker"): Effect.Effect<Socket, AdapterError> =>
  Effect.callback<Socket, AdapterError>((resume) => {
    const secured = connect({
      socket,
      host: address.host,
      ...(isIP(address.host) === 0 && { servername: address.host }),
      // Judged below, so that the message can name the certificate.
      rejectUnauthorized: false
    })
    const broken = (error: Error) =>
      resume(
        Effect.fail(AdapterError.of("unreachable", `The ${peer} does not speak TLS on this port: ${error.message}`))
      )
    secured.once("error", broken)
    secured.once("close", () => broken(new Error("it closed the connection")))
    secured.once("secureConnect", () => {
      const refused = refusal(secured, address, peer)
      if (refused === undefined) return resume(Effect.succeed(secured))
      secured.destroy()
      resume(Effect.fail(AdapterError.of("misconfigured", refused)))
    })
  })
