import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { limited } from "../platform/sql/lists.ts"
import { isReady } from "../platform/jobs/isolation.ts"
import { query } from "../platform/sql/transaction.ts"
import { MaterializedCollection } from "./collectionRow.ts"
import { decodeRows, decodeIds } from "../platform/sql/rows.ts"

/** The work, as its failing collections are stored under. */
export const MATERIALIZED = "materialized collections"

/** A token expires after this number of seconds: a crash of the database may lose the statistics behind it. */
const TOKEN_LIFETIME = 600

const ClaimRow = Schema.Struct({ ...MaterializedCollection.fields, changeToken: Schema.NullOr(Schema.String) })
const ChangeTokenRow = Schema.Struct({ changeToken: Schema.String })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The next ids after one, of the collections that follow their criteria. */
    ids: (after: string, limit: number) =>
      query(
        decodeIds(sql`SELECT id FROM collections
        WHERE deleted_at IS NULL AND NOT dynamic AND is_active AND criteria::text <> '{}' AND id > ${after}
          AND ${isReady(sql, MATERIALIZED, "collections.id")}
        ORDER BY id ${limited(sql, limit)}`)
      ),
    /** Locks the collection. Undefined while another transaction holds it, and when it no longer follows its criteria. */
    claim: (id: string) =>
      query(
        decodeRows(ClaimRow)(sql`
        SELECT id, workspace_id AS "workspaceId", collection_type AS "collectionType", criteria,
          freshness AS "changeToken"
        FROM collections WHERE id = ${id} AND deleted_at IS NULL AND NOT dynamic AND is_active
        FOR NO KEY UPDATE SKIP LOCKED`)
      ).pipe(Effect.map(([row]) => row)),
    /** Made of the database's counts of changed rows: an equal token means unchanged tables. */
    changeToken: (tables: ReadonlyArray<string>, now: Date) =>
      query(
        decodeRows(ChangeTokenRow)(sql`SELECT concat_ws(' ',
          floor(extract(epoch FROM ${now}::timestamptz) / ${TOKEN_LIFETIME}::float8)::bigint,
          string_agg(concat_ws('/', relname, n_tup_ins, n_tup_upd, n_tup_del), ' ' ORDER BY relname)) AS "changeToken"
        FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname = ANY(${tables}::text[])`)
      ).pipe(Effect.map(([row]) => row!.changeToken)),
    store: (id: string, changeToken: string | null) =>
      query(sql`UPDATE collections SET freshness = ${changeToken} WHERE id = ${id}`)
  }
})

export class MaterializedCollectionsRepository extends Context.Service<
  MaterializedCollectionsRepository,
  Effect.Success<typeof make>
>()("@edp/server/MaterializedCollectionsRepository") {
  static readonly layer = Layer.effect(MaterializedCollectionsRepository, make)
}
