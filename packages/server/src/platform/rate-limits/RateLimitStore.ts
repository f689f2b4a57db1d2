import { Clock, Context, Effect, Layer } from "effect"

export const WINDOW_MS = 60_000

/** Windows that the current one may be ahead of the clock: clocks are set back, and differ, by a little. */
const AHEAD = 1

/**
 * Counts requests of the current window. The next window starts with no counts, so memory is bounded by the callers of a minute. A
 * clock that is set back across the start of a window does not reopen the earlier one, which would lose its counts.
 */
export const windowCounts = () => {
  let window = -1
  let counts = new Map<string, number>()
  return (key: string, now: number): { readonly window: number; readonly count: number } => {
    const current = Math.floor(now / WINDOW_MS)
    if (current !== window && current + AHEAD !== window) {
      window = current
      counts = new Map()
    }
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return { window, count }
  }
}

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
