import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http"
import { Agent as HttpsAgent, request as requestHttps } from "node:https"
import type { LookupFunction } from "node:net"
import { Context, Data, Duration, Effect, Layer } from "effect"
import { contained } from "./contained.ts"
import { refusedHost } from "../network/publicAddress.ts"
import { NOT_CALLED, PrivateAddress, publicLookup } from "./OutboundDial.ts"

/** A POST to an address that a caller of the API chose. */
export interface OutboundRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** From the first look at the name to the last byte of the answer. */
  readonly timeLimit: Duration.Duration
  /** Bytes of the answer that are read; the connection is then closed on the rest. */
  readonly answerLimit: number
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** As it came, still compressed if the server compressed it unasked. */
  readonly body: Uint8Array
}

/** What kept an answer away. */
export class OutboundFailure extends Data.TaggedError("OutboundFailure")<{
  readonly reason: "refused" | "unresolved" | "unreachable" | "insecure" | "timeout" | "broken"
  readonly message: string
}> {}

const reasons: Readonly<Record<string, OutboundFailure["reason"]>> = {
  ENOTFOUND: "unresolved",
  EAI_AGAIN: "unresolved",
  EAI_FAIL: "unresolved",
  EAI_NODATA: "unresolved",
  ECONNREFUSED: "unreachable",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ETIMEDOUT: "unreachable"
}

const failureOf = (cause: NodeJS.ErrnoException): OutboundFailure => {
  if (cause instanceof PrivateAddress) return new OutboundFailure({ reason: "refused", message: NOT_CALLED })
  const code = cause.code ?? ""
  const insecure = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/u.test(code)
  const reason = insecure ? "insecure" : (reasons[code] ?? "broken")
  return new OutboundFailure({ reason, message: reason === "unresolved" ? NOT_CALLED : cause.message })
}

const flatHeaders = ({ headers }: IncomingMessage) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")])
  )

/** Reads at most so many bytes and then lets go of the connection. */
const readAnswer = (
  response: IncomingMessage,
  limit: number,
  done: (answer: OutboundAnswer) => void,
  failed: (error: Error) => void
) => {
  const chunks: Array<Buffer> = []
  let length = 0
  const finish = () =>
    done({
      status: response.statusCode!,
      headers: flatHeaders(response),
      body: Buffer.concat(chunks).subarray(0, limit)
    })
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length < limit) return
    finish()
    response.destroy()
  })
  response.on("end", finish)
  response.on("error", failed)
}

/**
 * Idle connections are kept for less than the five seconds after which most servers drop them, as many as one destination
 * may have busy. The number of busy ones is not limited here: a path that hangs would hold up the others of its server.
 */
const keptOpen = { keepAlive: true, timeout: 4_000, maxFreeSockets: 32 }

/**
 * Sends requests to addresses that callers of the API chose: never to a private one, where that is not allowed, whatever its
 * spelling and however its name is resolved; redirects are answers like others; time and size of an answer are bounded.
 */
export class OutboundHttp extends Context.Service<
  OutboundHttp,
  { readonly post: (request: OutboundRequest) => Effect.Effect<OutboundAnswer, OutboundFailure> }
>()("@edp/server/platform/outbound/OutboundHttp") {
  static readonly layer = (options: { readonly allowPrivate: boolean; readonly lookup?: LookupFunction }) =>
    Layer.effect(
      OutboundHttp,
      Effect.gen(function* () {
        const agents = yield* Effect.acquireRelease(
          Effect.sync(() => ({ http: new HttpAgent(keptOpen), https: new HttpsAgent(keptOpen) })),
          ({ http, https }) =>
            Effect.sync(() => {
              http.destroy()
              https.destroy()
            })
        )
        const lookup = options.lookup ?? (options.allowPrivate ? undefined : publicLookup)

        const start = ({ url, headers, body }: OutboundRequest): ClientRequest => {
          const settings = {
            method: "POST",
            headers: { ...headers, "accept-encoding": "identity", "content-length": body.length },
            ...(lookup !== undefined && { lookup })
          }
          return url.protocol === "https:"
            ? requestHttps(url, { ...settings, agent: agents.https })
            : requestHttp(url, { ...settings, agent: agents.http })
        }

        const exchange = (request: OutboundRequest, again: boolean): Effect.Effect<OutboundAnswer, OutboundFailure> =>
          contained<OutboundAnswer, OutboundFailure | "stale">(
            // Connections are kept and shared by scheme, host and port.
            request.url.origin,
            (resume) => {
              const call = start(request)
              let answered = false
              const failed = (error: NodeJS.ErrnoException) => {
                // A kept connection that its server has closed meanwhile. Should the request have been seen, then it comes twice.
                const stale = again && call.reusedSocket && !answered && error.code === "ECONNRESET"
                resume(Effect.fail(stale ? "stale" : failureOf(error)))
              }
              call.on("error", failed)
              call.on("response", (response) => {
                answered = true
                readAnswer(response, request.answerLimit, (answer) => resume(Effect.succeed(answer)), failed)
              })
              call.end(request.body)
              return Effect.sync(() => call.destroy())
            },
            () => Effect.fail(new OutboundFailure({ reason: "broken", message: "The platform could not send it" }))
          ).pipe(Effect.catch((failure) => (failure === "stale" ? exchange(request, false) : Effect.fail(failure))))

        return {
          post: (request) =>
            Effect.suspend(() => {
              const refused = options.allowPrivate ? undefined : refusedHost(request.url.hostname)
              if (refused !== undefined)
                return Effect.fail(new OutboundFailure({ reason: "refused", message: NOT_CALLED }))
              return exchange(request, true)
            }).pipe(
              Effect.timeoutOrElse({
                duration: request.timeLimit,
                orElse: () =>
                  Effect.fail(
                    new OutboundFailure({
                      reason: "timeout",
                      message: `No whole answer within ${Duration.format(request.timeLimit)}`
                    })
                  )
              }),
              Effect.withSpan("OutboundHttp.post", {
                kind: "client",
                attributes: { "server.address": request.url.hostname }
              })
            )
        }
      })
    )
}
