import { Clock, Context, Data, Duration, Effect, Layer, Redacted, Result, Schema, Stream } from "effect"
import {
  FetchHttpClient,
  Headers,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  HttpClientResponse
} from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Api } from "./Api.ts"
import { Authentication } from "./auth/Authentication.ts"
import { errorCodes } from "./errors/ErrorCode.ts"

/** The answer does not follow the contract: client and service are of different versions, or a proxy answered. */
export class UnexpectedAnswer extends Data.TaggedError("UnexpectedAnswer")<{ readonly cause: Schema.SchemaError }> {}

export type ApiClient = HttpApiClient.ForApi<typeof Api, UnexpectedAnswer>

export interface ClientOptions {
  readonly baseUrl: string
  readonly key: Redacted.Redacted
  /** How often a call is sent again at most; default 3, which makes 4 attempts. */
  readonly retries?: number | undefined
  /** Told before each wait, so that a person can be told why nothing happens. */
  readonly onRetry?:
    | ((retry: { readonly reason: string; readonly delay: Duration.Duration }) => Effect.Effect<void>)
    | undefined
}

type Outcome = Result.Result<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>
type Request = HttpClientRequest.HttpClientRequest

const KEY_HEADER = "service-api-key"
const TIMEOUT = Duration.seconds(40)
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** A service that asks for a longer pause than this is given up on. */
const LONGEST_PAUSE = Duration.minutes(2)
const LONGEST_BACKOFF_SECONDS = 8
const RATE_LIMITED = errorCodes.RATE_LIMITED.status
const retryableStatuses = new Set<number>(
  Object.values(errorCodes).flatMap(({ retryable, status }) => (retryable ? [status] : []))
)

const failed = (request: Request, description: string, cause?: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description, cause }) })

/** Reads a body whole, up to a limit: whatever answers must not fill the memory. */
const readBody = (request: Request, response: HttpClientResponse.HttpClientResponse) =>
  response.stream.pipe(
    Stream.mapAccumEffect(
      () => 0,
      (size, chunk: Uint8Array) =>
        size + chunk.byteLength > MAX_ANSWER_BYTES
          ? Effect.fail(failed(request, `the answer is larger than ${MAX_ANSWER_BYTES} bytes`))
          : Effect.succeed([size + chunk.byteLength, [chunk]] as const)
    ),
    Stream.mkUint8Array,
    Effect.catchReason("HttpClientError", "EmptyBodyError", () => Effect.succeed(undefined)),
    Effect.map((body) => {
      const { headers, status } = response
      // The request without its key stays with the answer, and so with every error that tells of it.
      return HttpClientResponse.fromWeb(request, new Response(body ?? null, { status, headers }))
    })
  )

const backoff = (sent: number) => Duration.seconds(Math.min(2 ** (sent - 1), LONGEST_BACKOFF_SECONDS))

const pauseOf = (response: HttpClientResponse.HttpClientResponse, sent: number, now: number) => {
  const told = Headers.parseRetryAfter(response.headers["retry-after"] ?? "")
  const pause = Result.isSuccess(told) ? Headers.retryAfterDelay(told.success, now) : backoff(sent)
  return Duration.isLessThanOrEqualTo(pause, LONGEST_PAUSE) ? pause : undefined
}

/**
 * How long to wait before the call is sent again; undefined where its outcome stands. A POST that makes something is
 * repeated only when it was refused for its rate; `repeatable` ones, which the service recognises, also after a failure
 * that leaves open whether they arrived.
 */
const waitFor = (outcome: Outcome, request: Request, repeatable: boolean, sent: number, now: number) => {
  if (Result.isFailure(outcome)) return repeatable ? backoff(sent) : undefined
  const { status } = outcome.success
  if (status === RATE_LIMITED) return pauseOf(outcome.success, sent, now)
  return retryableStatuses.has(status) && (repeatable || request.method !== "POST") ? backoff(sent) : undefined
}

const reasonOf = (outcome: Outcome) =>
  Result.isFailure(outcome)
    ? "no answer"
    : outcome.success.status === RATE_LIMITED
      ? "rate limit"
      : `status ${outcome.success.status}`

const withRetries = (
  once: Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>,
  request: Request,
  repeatable: boolean,
  options: ClientOptions
) => {
  const attempts = (options.retries ?? 3) + 1
  const attempt = (sent: number): typeof once =>
    Effect.gen(function* () {
      const outcome = yield* Effect.result(once)
      const now = yield* Clock.currentTimeMillis
      const delay = sent < attempts ? waitFor(outcome, request, repeatable, sent, now) : undefined
      if (delay === undefined) return yield* Effect.fromResult(outcome)
      yield* options.onRetry?.({ reason: reasonOf(outcome), delay }) ?? Effect.void
      yield* Effect.sleep(delay)
      return yield* attempt(sent + 1)
    })
  return attempt(1)
}

const authentication = (options: ClientOptions) =>
  HttpApiMiddleware.layerClient(Authentication, ({ group, next, request: relative }) => {
    const request = HttpClientRequest.prependUrl(relative, options.baseUrl)
    const once = next(HttpClientRequest.setHeader(relative, KEY_HEADER, Redacted.value(options.key))).pipe(
      Effect.flatMap((response) => readBody(request, response)),
      Effect.mapError((error) => failed(request, error.reason.description ?? "no answer", error.reason.cause)),
      Effect.timeoutOrElse({
        duration: TIMEOUT,
        orElse: () => Effect.fail(failed(request, `no answer within ${Duration.format(TIMEOUT)}`))
      }),
      Effect.provideService(Headers.CurrentRedactedNames, [...Headers.CurrentRedactedNames.defaultValue(), KEY_HEADER])
    )
    // Direct integration recognises what it has already: the same device, the same reading.
    return withRetries(once, request, group.identifier === "directIntegration", options)
  })

/** A client of the API: typed calls that fail with the classes of the error codes. */
export const makeClient = (options: ClientOptions): Effect.Effect<ApiClient, never, HttpClient.HttpClient> =>
  HttpApiClient.make(Api, {
    baseUrl: options.baseUrl,
    transformResponse: Effect.mapError((error) =>
      Schema.isSchemaError(error) ? new UnexpectedAnswer({ cause: error }) : error
    )
  }).pipe(
    Effect.map((client) => client as ApiClient),
    Effect.provide(authentication(options))
  )

/** `fetch`, which must not carry the key along to wherever a redirect points. */
export const layerHttp: Layer.Layer<HttpClient.HttpClient> = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

/** The client of one key as a service. */
export class Client extends Context.Service<Client, ApiClient>()("@edp/domain/Client") {
  static readonly layer = (options: ClientOptions): Layer.Layer<Client> =>
    Layer.effect(Client, makeClient(options)).pipe(Layer.provide(layerHttp))
}
