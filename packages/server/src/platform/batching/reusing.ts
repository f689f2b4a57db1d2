import { Cache, Clock, Duration, Effect, Exit } from "effect"

/**
 * A result is reused for this many times as long as it took, at most for some seconds. One that took less than REUSE_FROM is not: a small
 * fleet is always counted anew. In milliseconds.
 */
const REUSE = 10
const REUSE_FROM = 50
const REUSE_LIMIT = 10_000

/** Concurrent requests share one computation, and later ones its result. */
export const reusing = <Query extends object, A, E>(
  capacity: number,
  compute: (workspaceId: string, query: Query) => Effect.Effect<A, E>,
  limit = REUSE_LIMIT
) =>
  Cache.makeWith(
    (key: string) => {
      const { query, workspaceId } = JSON.parse(key) as { readonly workspaceId: string; readonly query: Query }
      return Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        const value = yield* compute(workspaceId, query)
        return { value, took: (yield* Clock.currentTimeMillis) - startedAt }
      })
    },
    {
      capacity,
      timeToLive: (exit) =>
        Exit.isSuccess(exit) && exit.value.took >= REUSE_FROM
          ? Duration.millis(Math.min(REUSE * exit.value.took, limit))
          : Duration.zero
    }
  ).pipe(
    Effect.map(
      (cache) => (workspaceId: string, query: Query) =>
        Effect.map(Cache.get(cache, JSON.stringify({ workspaceId, query })), ({ value }) => value)
    )
  )
