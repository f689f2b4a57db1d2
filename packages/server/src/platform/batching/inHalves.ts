import { Cause, Effect, Exit } from "effect"
import { isUnavailable } from "../jobs/unavailable.ts"

/**
 * For `batched`: where a batch fails, each half is tried, down to the key that fails for itself. The others get their results. The run must
 * be one transaction.
 */
export const inHalves = <K, V, E, R>(
  run: (keys: ReadonlyArray<K>) => Effect.Effect<(key: K) => Exit.Exit<V, E>, never, R>
) => {
  const runHalves = (keys: ReadonlyArray<K>): Effect.Effect<(key: K) => Exit.Exit<V, E>, never, R> =>
    Effect.catchCause(run(keys), (cause) => {
      if (keys.length === 1 || isUnavailable(cause) || Cause.hasInterrupts(cause)) return Effect.failCause(cause)
      const half = Math.ceil(keys.length / 2)
      const first = new Set(keys.slice(0, half))
      return Effect.zipWith(
        Effect.exit(runHalves(keys.slice(0, half))),
        Effect.exit(runHalves(keys.slice(half))),
        (one, other) =>
          (key: K): Exit.Exit<V, E> => {
            const results = first.has(key) ? one : other
            return Exit.isSuccess(results) ? results.value(key) : Exit.failCause(results.cause)
          }
      )
    })
  return runHalves
}
