import { Cause, Context, Duration, Effect, Redacted, Tracer } from "effect"
import { uuidV4Unsafe } from "effect/crypto/SecureRandom"
import { Headers, HttpClient, type HttpClientError, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { Authentication } from "../auth/Authentication.ts"
import { AnswersSecret, IDEMPOTENCY_KEY } from "../auth/middleware.ts"
import { noAnswer, readAnswer, withoutKey } from "./answers.ts"
import { type Attempt, type ClientOptions, onceMoreIfNotFound, withRetries } from "./retries.ts"
import { RetryNotFound } from "./retryingNotFound.ts"

/** The Idempotency-Key that the caller chose; without one each call makes its own. */
export class ChosenIdempotencyKey extends Context.Reference<string | undefined>(
  "@edp/domain/client/ChosenIdempotencyKey",
  { defaultValue: () => undefined }
) {}

/**
 * The POST in the effect carries this Idempotency-Key instead of one made for it: the same one sent again within 24 hours,
 * be it by another process, does nothing more and is answered alike. It names one request, so it goes around one call.
 */
export const withIdempotencyKey =
  (key: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, ChosenIdempotencyKey, key)

/** Whether the service recognises a repetition of the endpoint's request by the header. */
export const takesIdempotencyKey = ({ annotations, method }: HttpApiEndpoint.Top): boolean =>
  method === "POST" && !Context.get(annotations, AnswersSecret)

export const newIdempotencyKey = Effect.sync(() => uuidV4Unsafe())

type Request = HttpClientRequest.HttpClientRequest
type Sent = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

const KEY_HEADER = "service-api-key"
/** The service lets a request run for 30 seconds. */
const DEFAULT_TIMEOUT = Duration.seconds(40)

/**
 * Trace headers go out only where somebody traces: they would ask the service to trace every request too, and a browser to
 * ask the service for leave first.
 */
const tracedOnlyWhereTraced = <A, E, R>(sent: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Tracer.Tracer, (tracer) =>
    tracer === Tracer.nativeTracer ? Effect.provideService(sent, HttpClient.TracerPropagationEnabled, false) : sent
  )

/** One attempt: its answer read whole, within its time; what it fails with holds no key. */
const attemptOf = (sent: Sent, request: Request, options: ClientOptions): Attempt => {
  const duration = Duration.fromInputUnsafe(options.timeout ?? DEFAULT_TIMEOUT)
  const late = () => noAnswer(request, `no answer within ${Duration.format(duration)}`, new Cause.TimeoutError())
  return tracedOnlyWhereTraced(sent).pipe(
    Effect.flatMap((response) => readAnswer(request, response)),
    Effect.catchTag("HttpClientError", (error) => Effect.fail(withoutKey(request, error))),
    Effect.timeoutOrElse({ duration, orElse: () => Effect.fail(late()) }),
    Effect.provideService(Headers.CurrentRedactedNames, [...Headers.CurrentRedactedNames.defaultValue(), KEY_HEADER])
  )
}

/** Sends each call with the key, and as often as the table of errors says. */
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
        return yield* withRetries(attemptOf(sent, request, options), repetition, options)
      })
      // A 404 is kept under a chosen key, and would only be told again.
      const again = chosen === undefined && (yield* RetryNotFound)
      // What is no HttpClientError is UnexpectedAnswer, which the client's type tells of.
      return yield* (again ? onceMoreIfNotFound(call, options) : call) as Sent
    })
  )
