import { Clock, Context, Effect, Layer } from "effect"

export const WINDOW_MS = 60_000

export interface Taken {
  /** Requests counted in the window, this one included. */
  readonly count: number
  /** When the window ends, Unix seconds. */
  readonly resetAt: number
  /** Whole seconds until then, at least 1. */
  readonly retryAfter: number
}

export const windowEnd = (now: number, count: number): Taken => {
  const end = (Math.floor(now / WINDOW_MS) + 1) * WINDOW_MS
  return { count, resetAt: end / 1000, retryAfter: Math.max(1, Math.ceil((end - now) / 1000)) }
}

/** Counts of the window in hand. All of them go when the next one begins, so they are bounded by who calls in a minute. */
export const memoryCounts = (clock: Clock.Clock) => {
  let window = -1
  let counts = new Map<string, number>()
  return (key: string): Taken => {
    const now = clock.currentTimeMillisUnsafe()
    const current = Math.floor(now / WINDOW_MS)
    if (current !== window) {
      window = current
      counts = new Map()
    }
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return windowEnd(now, count)
  }
}

/**
 * Fixed windows of a minute by the wall clock: `take` counts one request and tells how many there were. The headers of
 * the API promise an absolute instant at which the window resets, which is why windows don't slide.
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
      const take = memoryCounts(clock)
      return { take: (key: string) => Effect.sync(() => take(key)), healthy: Effect.succeed(true) }
    })
  )
}
