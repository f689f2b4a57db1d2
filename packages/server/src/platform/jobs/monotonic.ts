import { Clock, Effect } from "effect"

/** Milliseconds of the monotonic clock, for how long something takes in this process: the system's clock may be set meanwhile. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / 1e6
)
