import { Clock, Context, Effect, Layer } from "effect"
import { WINDOW_MS, windowCounts } from "./windowCounts.ts"

export interface Taken {
  /** Requests counted in the window, this one included. */
  readonly count: number
  /** The end of the window in Unix seconds. */
  readonly resetAt: number
  /** Whole seconds until then, at least 1. */
  readonly retryAfter: number
}

/** The result of a request in a window, which is numbered from the beginning of Unix time. */
export const takenIn = (window: number, count: number, now: number): Taken => {
  const end = (window + 1) * WINDOW_MS
  return { count, resetAt: end / 1000, retryAfter: Math.max(1, Math.ceil((end - now) / 1000)) }
}

/**
 * Fixed windows of a minute of the wall clock: `take` counts a request and returns the count. Effect's RateLimiter is not used, because
 * its windows begin with the first request and are extended by each, and `X-RateLimit-Reset` promises an absolute instant.
 */
export class RateLimitStore extends Context.Service<
  RateLimitStore,
  {
    readonly take: (key: string) => Effect.Effect<Taken>
    /** Whether counts are shared as configured; `false` while the shared store is unreachable. */
    readonly healthy: Effect.Effect<boolean>
  }
>()("@edp/server/RateLimitStore") {
  static readonly layerMemory = Layer.effect(
    RateLimitStore,
    Effect.map(Clock.Clock, (clock) => {
      const countIn = windowCounts()
      const take = (key: string) => {
        const now = clock.currentTimeMillisUnsafe()
        const { window, count } = countIn(key, now)
        return takenIn(window, count, now)
      }
      return { take: (key: string) => Effect.sync(() => take(key)), healthy: Effect.succeed(true) }
    })
  )
}
