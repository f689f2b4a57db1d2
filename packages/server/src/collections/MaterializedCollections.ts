import { type CollectionType, type Criteria, toCondition, flattenRules } from "@edp/domain/collections/criteria"
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import { MATERIALIZED, MaterializedCollectionsRepository } from "./MaterializedCollectionsRepository.ts"
import { MembersRepository } from "./MembersRepository.ts"
import type { MaterializedCollection } from "./collectionRow.ts"

/**
 * The tables that the criteria read. Undefined when membership can change without a write: a device goes offline when
 * readings stop.
 */
const decidingTables = (type: CollectionType, criteria: Criteria): ReadonlyArray<string> | undefined => {
  const condition = toCondition(criteria)
  const names = condition === undefined ? [] : flattenRules(condition).map(({ attribute }) => attribute)
  if (names.includes("onlineStatus")) return undefined
  const reads = (prefix: string, table: string) => (names.some((name) => name.startsWith(prefix)) ? [table] : [])
  if (type === "DEVICE") return ["devices", ...reads("state.", "device_states"), ...reads("site.", "sites")]
  return type === "SITE"
    ? ["sites", ...reads("deviceCount", "devices")]
    : ["customers", ...reads("siteCount", "customer_sites")]
}

/** Records per statement: the embedded database blocks while one runs. */
const BATCH = 20_000

/** The number of collections whose ids are read together. */
const COLLECTIONS_AT_A_TIME = 1000

/** Keeps the stored members of materialized collections current. A row lock keeps instances from updating one twice. */
export class MaterializedCollections extends Context.Service<
  MaterializedCollections,
  {
    /** Recomputes the members. The caller's transaction must hold the lock on the collection. */
    readonly refresh: (collection: MaterializedCollection) => Effect.Effect<void, DatabaseUnavailable>
    /** Refreshes every collection whose tables have changed. */
    readonly refreshAll: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/MaterializedCollections") {
  static readonly layer = Layer.effect(
    MaterializedCollections,
    Effect.gen(function* () {
      const repository = yield* MaterializedCollectionsRepository
      const members = yield* MembersRepository
      const sql = yield* SqlClient.SqlClient
      const isolation = yield* makeIsolation(MATERIALIZED)

      const recompute = (
        collection: MaterializedCollection,
        after: string,
        now: Date
      ): Effect.Effect<void, DatabaseUnavailable> =>
        Effect.gen(function* () {
          const upTo = yield* members.idAfter(collection, after, BATCH)
          yield* members.recompute(collection, { after, upTo }, now)
          if (upTo !== undefined) yield* recompute(collection, upTo, now)
        })

      const readChangeToken = (
        collection: MaterializedCollection,
        now: Date
      ): Effect.Effect<string | null, DatabaseUnavailable> => {
        const tables = decidingTables(collection.collectionType, collection.criteria)
        return tables === undefined ? Effect.succeed(null) : repository.changeToken(tables, now)
      }

      const refresh = Effect.fnUntraced(function* (collection: MaterializedCollection) {
        const now = new Date(yield* Clock.currentTimeMillis)
        // Read before the members are computed, so that a concurrent change is found by the next refresh.
        const changeToken = yield* readChangeToken(collection, now)
        yield* recompute(collection, "", now)
        yield* repository.store(collection.id, changeToken)
      })

      const refreshOne = (id: string) =>
        Effect.gen(function* () {
          const collection = yield* repository.claim(id)
          if (collection === undefined) return
          const changeToken = yield* readChangeToken(collection, new Date(yield* Clock.currentTimeMillis))
          if (changeToken === null || changeToken !== collection.changeToken) yield* refresh(collection)
        }).pipe(transactionsOn(sql), Effect.as(1))

      const refreshAll = Stream.paginate("", (after: string) =>
        Effect.map(repository.ids(after, COLLECTIONS_AT_A_TIME), (ids) => {
          const next = ids.length < COLLECTIONS_AT_A_TIME ? undefined : ids.at(-1)
          return [ids, Option.fromUndefinedOr(next)] as const
        })
      ).pipe(
        Stream.runForEach((id) =>
          isolation.run(
            [id],
            (one) => one,
            () => refreshOne(id)
          )
        )
      )

      return {
        refresh: Effect.fn("MaterializedCollections.refresh")(refresh),
        refreshAll: Effect.withSpan(refreshAll, "MaterializedCollections.refreshAll")
      }
    })
  )
}
