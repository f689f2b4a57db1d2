import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import type { KeptSet } from "./collectionRow.ts"

/** Sets are looked through so often whatever the statistics say, which a crash of the database may lose. */
const SECONDS = 600

/** The sets that follow their criteria, and whether there is anything new for them. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    ids: query(sql<{ readonly id: string }>`SELECT id FROM collections
      WHERE deleted_at IS NULL AND NOT dynamic AND is_active AND criteria::text <> '{}' ORDER BY id`).pipe(
      Effect.map((rows) => rows.map(({ id }) => id))
    ),
    /** Holds the set; answers nothing while another instance, or a request, holds it, or when it is one no more. */
    claim: (id: string) =>
      query(sql<KeptSet & { readonly freshness: string | null }>`
        SELECT id, workspace_id AS "workspaceId", collection_type AS "collectionType", criteria, freshness
        FROM collections WHERE id = ${id} AND deleted_at IS NULL AND NOT dynamic AND is_active
        FOR NO KEY UPDATE SKIP LOCKED`).pipe(Effect.map(([row]) => row)),
    /** What the database has counted of changes to the tables: while it says the same, they are as they were. */
    freshness: (tables: ReadonlyArray<string>, now: Date) =>
      query(sql<{ readonly freshness: string }>`SELECT concat_ws(' ',
          floor(extract(epoch FROM ${now}::timestamptz) / ${SECONDS}::float8)::bigint,
          string_agg(concat_ws('/', relname, n_tup_ins, n_tup_upd, n_tup_del), ' ' ORDER BY relname)) AS freshness
        FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname = ANY(${tables}::text[])`).pipe(
        Effect.map(([row]) => row!.freshness)
      ),
    store: (id: string, freshness: string | null) =>
      query(sql`UPDATE collections SET freshness = ${freshness} WHERE id = ${id}`)
  }
})

export class KeptSetsRepository extends Context.Service<KeptSetsRepository, Effect.Success<typeof make>>()(
  "@edp/server/KeptSetsRepository"
) {
  static readonly layer = Layer.effect(KeptSetsRepository, make)
}
