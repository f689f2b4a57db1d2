import { Clock, Duration, Effect, Random, type Redacted, Result } from "effect"
import { Headers, type HttpClientError, type HttpClientResponse } from "effect/http"
import { errorCodes } from "../errors/ErrorCode.ts"
import type { UnexpectedResponse } from "./responses.ts"

/** A retry that is about to happen. */
export interface Retry {
  /** `rate limit`, `status 502`, `no response`, `not found yet`. */
  readonly reason: string
  readonly delay: Duration.Duration
}

export interface ClientOptions {
  /** Address of the service, without `/v1`; a path before it is kept. */
  readonly baseUrl: string
  readonly key: Redacted.Redacted
  /** Maximum number of retries; default 3, which makes 4 attempts. */
  readonly retries?: number | undefined
  /** Whether to retry a call without a response, if a repetition is harmless; default true. */
  readonly retryNoAnswer?: boolean | undefined
  /** Time limit of one attempt; default 40 seconds, which is longer than the service's limit for a request. */
  readonly timeout?: Duration.Input | undefined
  /** Runs before each wait, for example to show why nothing happens. */
  readonly onRetry?: ((retry: Retry) => Effect.Effect<void>) | undefined
}

type Response = HttpClientResponse.HttpClientResponse
type Failure = HttpClientError.HttpClientError | UnexpectedResponse
export type Attempt = Effect.Effect<Response, Failure>
type Outcome = Result.Result<Response, Failure>

const DEFAULT_RETRIES = 3
/** The call fails if the service asks for a longer pause than this. */
const LONGEST_PAUSE = Duration.minutes(2)
const LONGEST_BACKOFF_SECONDS = 8

const RATE_LIMITED = errorCodes.RATE_LIMITED.status
const NOT_FOUND = errorCodes.NOT_FOUND.status
/** Statuses of proxies that reach no instance of the service. */
const proxyStatuses = [503, 504]
const retryableStatuses = new Set<number>([
  ...Object.values(errorCodes).flatMap(({ retryable, status }) => (retryable ? [status] : [])),
  ...proxyStatuses
])

/** 1 s, 2 s, 4 s, then 8 s. */
const backoff = (sent: number) => Duration.seconds(Math.min(2 ** (sent - 1), LONGEST_BACKOFF_SECONDS))

const findPause = ({ headers }: Response, sent: number, now: number) => {
  const retryAfter = Headers.parseRetryAfter(headers["retry-after"] ?? "")
  const pause = Result.isSuccess(retryAfter) ? Headers.retryAfterDelay(retryAfter.success, now) : backoff(sent)
  return Duration.isLessThanOrEqualTo(pause, LONGEST_PAUSE) ? pause : undefined
}

export interface Repetition {
  /** Whether a repetition is harmless if the outcome of the first attempt is unknown. */
  readonly harmless: boolean
  readonly retryNoAnswer: boolean
}

const isNoResponse = (failure: Failure) =>
  failure._tag === "HttpClientError" && failure.reason._tag === "TransportError"

/** The pause before the next attempt; undefined if the outcome is final. */
const pauseAfter = (outcome: Outcome, { harmless, retryNoAnswer }: Repetition, sent: number, now: number) => {
  if (Result.isFailure(outcome)) {
    return harmless && retryNoAnswer && isNoResponse(outcome.failure) ? backoff(sent) : undefined
  }
  const { status } = outcome.success
  // A rate-limited request had no effect.
  return status === RATE_LIMITED || (harmless && retryableStatuses.has(status))
    ? findPause(outcome.success, sent, now)
    : undefined
}

const describeOutcome = (outcome: Outcome) => {
  if (Result.isFailure(outcome)) return "no response"
  const { status } = outcome.success
  return status === RATE_LIMITED ? "rate limit" : `status ${status}`
}

const pause = (options: ClientOptions, reason: string, delay: Duration.Duration) =>
  Effect.andThen(options.onRetry?.({ reason, delay }) ?? Effect.void, Effect.sleep(delay))

/** Retries a call while its outcome is retryable. */
export const withRetries = (once: Attempt, repetition: Repetition, options: ClientOptions): Attempt => {
  const attempts = (options.retries ?? DEFAULT_RETRIES) + 1
  const attempt = (sent: number): Attempt =>
    Effect.gen(function* () {
      const outcome = yield* Effect.result(once)
      const now = yield* Clock.currentTimeMillis
      const delay = sent < attempts ? pauseAfter(outcome, repetition, sent, now) : undefined
      if (delay === undefined) return yield* Effect.fromResult(outcome)
      yield* pause(options, describeOutcome(outcome), delay)
      return yield* attempt(sent + 1)
    })
  return attempt(1)
}

/** Repeats a call once, after 1 to 2 seconds, if it was answered with 404. */
export const onceMoreIfNotFound = (call: Attempt, options: ClientOptions): Attempt =>
  Effect.flatMap(call, (response) =>
    response.status === NOT_FOUND
      ? Random.nextBetween(1000, 2000).pipe(
          Effect.flatMap((millis) => pause(options, "not found yet", Duration.millis(millis))),
          Effect.andThen(call)
        )
      : Effect.succeed(response)
  )
