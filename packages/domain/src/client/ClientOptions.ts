import type { Duration, Effect, Redacted } from "effect"

/** What is told before a call is sent again. */
export interface Retry {
  /** `rate limit`, `status 502`, `no answer`, `not found yet`. */
  readonly reason: string
  readonly delay: Duration.Duration
}

export interface ClientOptions {
  /** Address of the service, without `/v1`; a path before it is kept. */
  readonly baseUrl: string
  readonly key: Redacted.Redacted
  /** How often a call is sent again at most; default 3, which makes 4 attempts. */
  readonly retries?: number | undefined
  /** Whether a call that got no answer is sent again too, where that does no harm; default true. */
  readonly retryNoAnswer?: boolean | undefined
  /** How long one attempt may take; default 40 seconds, which is longer than the service lets a request run. */
  readonly timeout?: Duration.Input | undefined
  /** Told before each wait, so that a person can be told why nothing happens. */
  readonly onRetry?: ((retry: Retry) => Effect.Effect<void>) | undefined
}
