import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transactionsOn } from "../platform/sql/transaction.ts"
import type { KeptSet } from "./collectionRow.ts"
import { decidingTables } from "./freshness.ts"
import { KeptSetsRepository } from "./KeptSetsRepository.ts"
import { MembersRepository } from "./MembersRepository.ts"

/** Records that one statement looks through: the embedded database does nothing else meanwhile. */
const BATCH = 20_000

/** Keeps the members of materialized collections current. A collection is locked meanwhile, so instances never work on one twice. */
export class KeptSets extends Context.Service<
  KeptSets,
  {
    /** For a transaction that holds the collection: makes its members those who meet the criteria now. */
    readonly refresh: (set: KeptSet) => Effect.Effect<void>
    /** Brings every set up to date for which anything has changed. */
    readonly refreshAll: Effect.Effect<void>
  }
>()("@edp/server/KeptSets") {
  static readonly layer = Layer.effect(
    KeptSets,
    Effect.gen(function* () {
      const repository = yield* KeptSetsRepository
      const members = yield* MembersRepository
      const sql = yield* SqlClient.SqlClient

      const adjust = (set: KeptSet, after: string, now: Date): Effect.Effect<void> =>
        Effect.gen(function* () {
          const upTo = yield* members.reach(set, after, BATCH)
          yield* members.adjust(set, { after, upTo }, now)
          if (upTo !== undefined) yield* adjust(set, upTo, now)
        })

      const freshnessOf = (set: KeptSet, now: Date): Effect.Effect<string | null> => {
        const tables = decidingTables(set.collectionType, set.criteria)
        return tables === undefined ? Effect.succeed(null) : repository.freshness(tables, now)
      }

      const refresh = Effect.fnUntraced(function* (set: KeptSet) {
        const now = new Date(yield* Clock.currentTimeMillis)
        // Asked before the records are looked through: what changes meanwhile is found the next time.
        const freshness = yield* freshnessOf(set, now)
        yield* adjust(set, "", now)
        yield* repository.store(set.id, freshness)
      })

      const refreshOne = (id: string) =>
        Effect.gen(function* () {
          const set = yield* repository.claim(id)
          if (set === undefined) return
          const freshness = yield* freshnessOf(set, new Date(yield* Clock.currentTimeMillis))
          if (freshness === null || freshness !== set.freshness) yield* refresh(set)
        }).pipe(
          transactionsOn(sql),
          Effect.catchCause((cause) => Effect.logWarning(`The members of collection ${id} are not up to date`, cause))
        )

      const refreshAll = Effect.flatMap(repository.ids, Effect.forEach(refreshOne, { discard: true }))

      return {
        refresh: Effect.fn("KeptSets.refresh")(refresh),
        refreshAll: Effect.withSpan(refreshAll, "KeptSets.refreshAll")
      }
    })
  )
}
