import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import { Effect } from "effect"
import PostalMime, { type Email } from "postal-mime"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { localhostCertificate } from "./localhostCertificate.ts"

export interface Taken {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Whether it came by an encrypted connection, and as whom. */
  readonly secure: boolean
  readonly user: unknown
  readonly raw: string
  readonly mail: Email
}

/** A refusal with its status, as the relay's handlers give it. */
export const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

/** A mail relay on this machine that keeps what it takes. */
export const startMailRelay = async (options: SMTPServerOptions = {}) => {
  const taken: Array<Taken> = []
  let connections = 0
  const server = new SMTPServer({
    ...localhostCertificate,
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onData: (stream, session, done) => {
      void buffer(stream).then(async (content) => {
        const { mailFrom, rcptTo } = session.envelope
        taken.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user,
          raw: content.toString("utf8"),
          mail: await PostalMime.parse(content)
        })
        done(null, "Taken")
      })
    },
    ...options,
    onConnect: (_session, done) => {
      connections += 1
      done()
    }
  })
  server.on("error", () => {})
  const listening = server.listen(0, "127.0.0.1")
  await once(listening, "listening")
  return {
    port: (listening.address() as AddressInfo).port,
    taken,
    connections: () => connections,
    close: () => new Promise<void>((resolve) => server.close(() => resolve()))
  }
}

/** The same for the scope's time. */
export const mailRelay = (options: SMTPServerOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => startMailRelay(options)),
    ({ close }) => Effect.promise(close)
  )
