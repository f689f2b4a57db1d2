import { Cause, Effect, Exit } from "effect"
import { catchAllButUnavailable, type DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"

/**
 * For `batched`: where a batch fails, each half is tried, down to the key that fails for itself. The others get their results. The run must
 * be one transaction.
 */
export const inHalves = <K, V, E, R>(
  run: (keys: ReadonlyArray<K>) => Effect.Effect<(key: K) => Exit.Exit<V, E>, DatabaseUnavailable, R>
) => {
  type Results = (key: K) => Exit.Exit<V, E | DatabaseUnavailable>
  const runHalves = (keys: ReadonlyArray<K>): Effect.Effect<Results, DatabaseUnavailable, R> =>
    catchAllButUnavailable(
      (cause: Cause.Cause<DatabaseUnavailable>): Effect.Effect<Results, DatabaseUnavailable, R> => {
        if (keys.length === 1 || Cause.hasInterrupts(cause)) return Effect.failCause(cause)
        const half = Math.ceil(keys.length / 2)
        const first = new Set(keys.slice(0, half))
        return Effect.zipWith(
          Effect.exit(runHalves(keys.slice(0, half))),
          Effect.exit(runHalves(keys.slice(half))),
          (one, other) => (key: K) => {
            const results = first.has(key) ? one : other
            return Exit.isSuccess(results) ? results.value(key) : Exit.failCause(results.cause)
          }
        )
      }
    )(run(keys))
  return runHalves
}
