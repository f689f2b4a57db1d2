import type { LookupFunction } from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Dispatcher } from "@effect/platform-node/Undici"
import { Context, Data, Duration, Effect, Layer, Scope } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { refusedHost } from "../network/publicAddress.ts"
import { contained } from "./contained.ts"
import { containedClient } from "./containedClient.ts"
import { NOT_CALLED, PrivateAddress, publicLookup } from "./OutboundDial.ts"

/** A request, such as a POST to a URL that a caller of the API chose. */
export interface OutboundRequest {
  readonly url: URL
  /** POST by default. */
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | null
  /** From the name look-up to the last byte of the response. */
  readonly timeLimit: Duration.Duration
  /** Bytes of the response that are read; then the connection is closed. */
  readonly responseLimit: number
}

export interface OutboundResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** As received: still compressed if the server compressed it unasked. */
  readonly body: Uint8Array
}

/** Why there is no response. */
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

/** An error of a socket, of a name look-up or of undici. */
interface ConnectionError extends NodeJS.ErrnoException {
  /** The code of a connection that its server closed. */
  readonly socket?: { readonly bytesRead?: number } | undefined
}

const toFailure = (cause: ConnectionError): OutboundFailure => {
  if (cause instanceof PrivateAddress) return new OutboundFailure({ reason: "refused", message: NOT_CALLED })
  const code = cause.code ?? ""
  const insecure = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/u.test(code)
  const reason = insecure ? "insecure" : (reasons[code] ?? "broken")
  return new OutboundFailure({ reason, message: reason === "unresolved" ? NOT_CALLED : cause.message || code })
}

/** Whether a server closed or reset a connection, as it may do with one that was idle. The request may be sent again. */
const isStale = ({ code, socket }: ConnectionError) =>
  code === "ECONNRESET" || (code === "UND_ERR_SOCKET" && (socket?.bytesRead ?? 0) > 0)

const flatHeaders = (headers: NodeJS.Dict<string | ReadonlyArray<string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)])
  )

const CONNECT_LIMIT_MS = 10_000
/** The last part of a time limit. It restarts when a suspended process resumes, so that a response that has arrived is read. */
const GRACE_MS = 500
/** Idle connections are kept for less than the five seconds after which most servers close them. */
const KEPT_MS = 4_000

/**
 * HTTP to addresses that callers of the API chose. If private addresses are not allowed, none is called, however the URL
 * spells it and whatever its name resolves to. Redirects are not followed.
 */
export class OutboundHttp extends Context.Service<
  OutboundHttp,
  {
    /** Sends a POST within a time limit and reads a bounded response. If the server has just closed the kept connection, it is sent again. */
    readonly post: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundFailure>
    /** Sends a request once, without a span. */
    readonly send: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundFailure>
    /** Effect's client over the same guarded connections, for responses that are read in parts. */
    readonly client: Effect.Effect<HttpClient.HttpClient>
  }
>()("@edp/server/platform/outbound/OutboundHttp") {
  static readonly layer = (options: { readonly allowPrivate: boolean; readonly lookup?: LookupFunction }) =>
    Layer.effect(
      OutboundHttp,
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const lookup = options.lookup ?? (options.allowPrivate ? undefined : publicLookup)
        const isRefused = ({ hostname }: URL) => !options.allowPrivate && refusedHost(hostname) !== undefined

        // undici takes about 30 MB: it is loaded with the first request. The number of connections is not limited, because
        // requests to a path that hangs would delay the others of its server.
        const dispatcher = yield* Effect.cached(
          Scope.provide(
            NodeHttpClient.makeDispatcherOptions({
              allowH2: false,
              connect: { timeout: CONNECT_LIMIT_MS, ...(lookup !== undefined && { lookup }) },
              keepAliveTimeout: KEPT_MS,
              keepAliveMaxTimeout: KEPT_MS
            }),
            scope
          )
        )

        const client = yield* Effect.cached(
          Effect.map(
            Effect.provideServiceEffect(NodeHttpClient.makeUndici, NodeHttpClient.Dispatcher, dispatcher),
            (http) =>
              HttpClient.transform(containedClient(http), (response, request) =>
                isRefused(new URL(request.url))
                  ? Effect.fail(
                      new HttpClientError.HttpClientError({
                        reason: new HttpClientError.InvalidUrlError({ request, description: NOT_CALLED })
                      })
                    )
                  : response
              )
          )
        )

        // Straight on the dispatcher: a response is cut at its limit, a library's exception fails the call, and a delivery
        // costs half of what it does by `client`.
        const exchange = (
          via: Dispatcher,
          request: OutboundRequest,
          mayRetry: boolean
        ): Effect.Effect<OutboundResponse, OutboundFailure> =>
          contained<OutboundResponse, OutboundFailure | "stale">(
            // Connections are kept and shared by scheme, host and port.
            request.url.origin,
            (resume) => {
              const { responseLimit, body, headers, method = "POST", timeLimit, url } = request
              const limitMs = Duration.toMillis(timeLimit)
              let controller: Dispatcher.DispatchController | undefined
              let isAborted = false
              let reply: Omit<OutboundResponse, "body"> | undefined
              const chunks: Array<Buffer> = []
              let length = 0
              const end = (result: Effect.Effect<OutboundResponse, OutboundFailure | "stale">) => {
                clearTimeout(timer)
                resume(result)
              }
              const finish = () =>
                end(Effect.succeed({ ...reply!, body: Buffer.concat(chunks).subarray(0, responseLimit) }))
              const abort = () => {
                clearTimeout(timer)
                isAborted = true
                controller?.abort(new Error("The request was ended"))
              }
              const expire = () => {
                const message = `No complete response within ${Duration.format(timeLimit)}`
                end(Effect.fail(new OutboundFailure({ reason: "timeout", message })))
                abort()
              }
              let timer = setTimeout(
                () => {
                  timer = setTimeout(expire, Math.min(GRACE_MS, limitMs))
                },
                Math.max(0, limitMs - GRACE_MS)
              )
              via.dispatch(
                {
                  origin: url.origin,
                  path: `${url.pathname}${url.search}`,
                  method,
                  headers: { ...headers, "accept-encoding": "identity" },
                  body,
                  headersTimeout: 0,
                  bodyTimeout: 0
                },
                {
                  onRequestStart: (started) => {
                    controller = started
                    if (isAborted) abort()
                  },
                  onResponseStart: (_, status, headers) => {
                    if (status >= 200) reply = { status, headers: flatHeaders(headers) }
                  },
                  onResponseData: (_, chunk) => {
                    chunks.push(chunk)
                    length += chunk.length
                    if (length < responseLimit) return
                    finish()
                    abort()
                  },
                  onResponseEnd: finish,
                  onResponseError: (_, error) => {
                    const retry = mayRetry && reply === undefined && isStale(error)
                    end(Effect.fail(retry ? "stale" : toFailure(error)))
                  }
                }
              )
              return Effect.sync(abort)
            },
            () =>
              Effect.fail(new OutboundFailure({ reason: "broken", message: "The platform could not send the request" }))
          ).pipe(
            Effect.catch((failure) => (failure === "stale" ? exchange(via, request, false) : Effect.fail(failure)))
          )

        const send = (request: OutboundRequest, mayRetry: boolean) =>
          isRefused(request.url)
            ? Effect.fail(new OutboundFailure({ reason: "refused", message: NOT_CALLED }))
            : Effect.flatMap(dispatcher, (via) => exchange(via, request, mayRetry))

        return {
          client,
          send: (request) => send(request, false),
          post: (request) =>
            send(request, true).pipe(
              Effect.withSpan(
                "OutboundHttp.post",
                { kind: "client", attributes: { "server.address": request.url.hostname } },
                { captureStackTrace: false }
              )
            )
        }
      })
    )
}
