import { request as startRequest } from "node:http"
import type { Socket } from "node:net"
import { Effect } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { AdapterError } from "../AdapterError.ts"
import type { AdapterHost } from "../AdapterHost.ts"
import { secureSocket, type TlsPeer } from "./secureSocket.ts"

const RESPONSE_LIMIT = 1024 * 1024
const SECONDS = 30

type Request = HttpClientRequest.HttpClientRequest

/** One request over a connection of its own, with the whole response. */
const exchange = (host: Pick<AdapterHost, "contained">, socket: Socket, request: Request, url: URL) => {
  const failed = (message: string) => Effect.fail(AdapterError.of("unreachable", message))
  return host.contained<HttpClientResponse.HttpClientResponse, AdapterError>(
    socket,
    (resume) => {
      const call = startRequest({
        createConnection: () => socket,
        method: request.method,
        host: url.hostname,
        path: url.pathname + url.search,
        headers: { ...request.headers, host: url.host, connection: "close" }
      })
      call.once("error", ({ message }) => resume(failed(`No complete response came back: ${message}`)))
      call.once("response", (response) => {
        const chunks: Array<Buffer> = []
        let length = 0
        response.on("data", (chunk: Buffer) => {
          chunks.push(chunk)
          length += chunk.length
          if (length <= RESPONSE_LIMIT) return
          call.destroy()
          resume(failed(`The response is longer than ${RESPONSE_LIMIT} bytes`))
        })
        response.once("error", ({ message }) => resume(failed(`No complete response came back: ${message}`)))
        response.once("end", () => {
          const { headers, statusCode: status = 502 } = response
          const own = Object.entries(headers).flatMap(([name, value]) =>
            [value ?? []].flat().map((one): [string, string] => [name, one])
          )
          const body = length === 0 || status === 204 || status === 304 ? null : Buffer.concat(chunks)
          resume(Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { status, headers: own }))))
        })
      })
      call.end(request.body._tag === "Uint8Array" ? request.body.body : undefined)
      return Effect.sync(() => void call.destroy())
    },
    () => failed("The call ended with an exception")
  )
}

/** A device at an address, and how it is called. */
export interface CalledDevice extends TlsPeer {
  readonly port: number
  readonly tls: boolean
  /** Seconds for a whole call; 30 by default. */
  readonly seconds?: number
}

/**
 * A client for one device. With TLS its certificate comes from a known authority or has the fingerprint that a person confirmed, and nothing
 * is sent before that is known.
 */
export const deviceHttp = (
  host: Pick<AdapterHost, "contained" | "dial">,
  { seconds = SECONDS, ...device }: CalledDevice
): HttpClient.HttpClient =>
  HttpClient.make((request, url) =>
    host.dial(device.host, device.port).pipe(
      Effect.flatMap((dialled) =>
        Effect.onExit(
          Effect.flatMap(device.tls ? secureSocket(dialled, device, "device") : Effect.succeed(dialled), (socket) =>
            exchange(host, socket, request, url)
          ),
          () => Effect.sync(() => void dialled.destroy())
        )
      ),
      Effect.timeoutOrElse({
        duration: `${seconds} seconds`,
        orElse: () => Effect.fail(AdapterError.of("unreachable", `No complete response within ${seconds} seconds`))
      }),
      Effect.mapError(
        (cause) =>
          new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
      )
    )
  )

/** `deviceHttp` with TLS. */
export const securedHttp = (
  host: Pick<AdapterHost, "contained" | "dial">,
  peer: TlsPeer & { readonly port: number }
): HttpClient.HttpClient => deviceHttp(host, { ...peer, tls: true })
