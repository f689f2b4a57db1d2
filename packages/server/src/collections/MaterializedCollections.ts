import { type CollectionType, type Criteria, toCondition, flattenRules } from "@edp/domain/collections/criteria"
import { Clock, Context, Effect, Layer, Option, Stream, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn, query } from "../platform/sql/transaction.ts"
import { makeIsolation, isReady } from "../platform/jobs/isolation.ts"
import { MembersRepository } from "./MembersRepository.ts"
import { MaterializedCollection } from "./collectionRow.ts"
import { limited } from "../platform/sql/lists.ts"
import { queryIds, queryRows } from "../platform/sql/rows.ts"

/** The work, as its failing collections are stored under. */
export const MATERIALIZED = "materialized collections"

/** A token expires after this number of seconds: a crash of the database may lose the statistics behind it. */
const TOKEN_LIFETIME = 600

const ClaimRow = Schema.Struct({ ...MaterializedCollection.fields, changeToken: Schema.NullOr(Schema.String) })
const ChangeTokenRow = Schema.Struct({ changeToken: Schema.String })

const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The next ids after one, of the collections that follow their criteria. */
    ids: (after: string, limit: number) =>
      queryIds(sql`SELECT id FROM collections
        WHERE deleted_at IS NULL AND NOT dynamic AND is_active AND criteria::text <> '{}' AND id > ${after}
          AND ${isReady(sql, MATERIALIZED, "collections.id")}
        ORDER BY id ${limited(sql, limit)}`),
    /** Locks the collection. Undefined while another transaction holds it, and when it no longer follows its criteria. */
    claim: (id: string) =>
      queryRows(ClaimRow)(sql`
        SELECT id, workspace_id AS "workspaceId", collection_type AS "collectionType", criteria,
          freshness AS "changeToken"
        FROM collections WHERE id = ${id} AND deleted_at IS NULL AND NOT dynamic AND is_active
        FOR NO KEY UPDATE SKIP LOCKED`).pipe(Effect.map(([row]) => row)),
    /** Made of the database's counts of changed rows: an equal token means unchanged tables. */
    changeToken: (tables: ReadonlyArray<string>, now: Date) =>
      queryRows(ChangeTokenRow)(sql`SELECT concat_ws(' ',
          floor(extract(epoch FROM ${now}::timestamptz) / ${TOKEN_LIFETIME}::float8)::bigint,
          string_agg(concat_ws('/', relname, n_tup_ins, n_tup_upd, n_tup_del), ' ' ORDER BY relname)) AS "changeToken"
        FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname = ANY(${tables}::text[])`).pipe(
        Effect.map(([row]) => row!.changeToken)
      ),
    store: (id: string, changeToken: string | null) =>
      query(sql`UPDATE collections SET freshness = ${changeToken} WHERE id = ${id}`)
  }
})

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
      const repository = yield* statements
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
      ).pipe(Stream.runForEach((id) => isolation.runIds([id], () => refreshOne(id))))

      return {
        refresh: Effect.fn("MaterializedCollections.refresh")(refresh),
        refreshAll: Effect.withSpan(refreshAll, "MaterializedCollections.refreshAll")
      }
    })
  )
}
