import { Cause, Context, Duration, Effect, Redacted, Tracer } from "effect"
import { uuidV4Unsafe } from "effect/crypto/SecureRandom"
import { Headers, HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { Authentication } from "../auth/Authentication.ts"
import { ReturnsSecret, IDEMPOTENCY_KEY } from "../auth/middleware.ts"
import { noResponse, readResponse, withoutKey } from "./responses.ts"
import { type Attempt, type ClientOptions, onceMoreIfNotFound, withRetries } from "./retries.ts"
import { RetryNotFound } from "./retryingNotFound.ts"

/** The Idempotency-Key of the caller; without one each call generates its own. */
export class ChosenIdempotencyKey extends Context.Reference<string | undefined>(
  "@edp/domain/client/ChosenIdempotencyKey",
  { defaultValue: () => undefined }
) {}

/**
 * Uses this Idempotency-Key for the POST in the effect instead of a generated one. A repetition within 24 hours, even by
 * another process, has no further effect and gets the same response. A key identifies one request, so wrap a single call.
 */
export const withIdempotencyKey =
  (key: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, ChosenIdempotencyKey, key)

/** Whether the endpoint accepts an Idempotency-Key. */
export const takesIdempotencyKey = ({ annotations, method }: HttpApiEndpoint.Top): boolean =>
  method === "POST" && !Context.get(annotations, ReturnsSecret)

export const newIdempotencyKey = Effect.sync(() => uuidV4Unsafe())

type Request = HttpClientRequest.HttpClientRequest
type Sent = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

const KEY_HEADER = "service-api-key"
/** The service lets a request run for 30 seconds. */
const DEFAULT_TIMEOUT = Duration.seconds(40)

/**
 * Sends trace headers only if a tracer is installed: they make the service trace every request, and a browser send a CORS
 * preflight.
 */
const tracedOnlyWhereTraced = <A, E, R>(sent: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Tracer.Tracer, (tracer) =>
    tracer === Tracer.nativeTracer ? Effect.provideService(sent, HttpClient.TracerPropagationEnabled, false) : sent
  )

/** One attempt: reads the complete response within the time limit. Its failures do not contain the key. */
const makeAttempt = (sent: Sent, request: Request, options: ClientOptions): Attempt => {
  const duration = Duration.fromInputUnsafe(options.timeout ?? DEFAULT_TIMEOUT)
  const late = () => noResponse(request, `no response within ${Duration.format(duration)}`, new Cause.TimeoutError())
  return tracedOnlyWhereTraced(sent).pipe(
    Effect.flatMap((response) => readResponse(request, response)),
    Effect.catchTag("HttpClientError", (error) => Effect.fail(withoutKey(request, error))),
    Effect.timeoutOrElse({ duration, orElse: () => Effect.fail(late()) }),
    Effect.provideService(Headers.CurrentRedactedNames, [...Headers.CurrentRedactedNames.defaultValue(), KEY_HEADER])
  )
}

/** Sends each call with the key, and retries it as the error table allows. */
export const authentication = (options: ClientOptions) =>
  HttpApiMiddleware.layerClient(Authentication, ({ endpoint, next, request: bare }) =>
    Effect.gen(function* () {
      const recognised = takesIdempotencyKey(endpoint)
      const chosen = endpoint.method === "POST" ? yield* ChosenIdempotencyKey : undefined
      const request = HttpClientRequest.prependUrl(bare, options.baseUrl)
      const repetition = {
        harmless: recognised || endpoint.method !== "POST",
        retryNoAnswer: options.retryNoAnswer ?? true
      }
      // All attempts of a call have one Idempotency-Key; the next call has another.
      const call = Effect.gen(function* () {
        const name = chosen ?? (recognised ? yield* newIdempotencyKey : undefined)
        const named = name === undefined ? bare : HttpClientRequest.setHeader(bare, IDEMPOTENCY_KEY, name)
        const sent = next(HttpClientRequest.setHeader(named, KEY_HEADER, Redacted.value(options.key)))
        return yield* withRetries(makeAttempt(sent, request, options), repetition, options)
      })
      // The service stores a 404 under the caller's key: a retry would return the stored response.
      const again = chosen === undefined && (yield* RetryNotFound)
      // Other failures are UnexpectedResponse, which is in the client's type.
      return yield* (again ? onceMoreIfNotFound(call, options) : call) as Sent
    })
  )
