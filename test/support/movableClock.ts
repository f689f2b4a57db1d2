import { Clock, Effect } from "effect"

/** A clock that stands at a time until it is moved. Waiting, and measuring how long things take, goes by the real one. */
export const movableClock = (start: number): Clock.Clock & { readonly move: (milliseconds: number) => void } => {
  let now = start
  const real = Clock.Clock.defaultValue()
  return {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration),
    move: (milliseconds) => {
      now += milliseconds
    }
  }
}
