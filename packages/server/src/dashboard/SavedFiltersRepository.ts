import { SavedFilter } from "@edp/domain/dashboard/SavedFilter"
import { DuplicateName } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows, timestampColumns, decodeCount } from "../platform/sql/rows.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { selectList } from "../platform/sql/selectList.ts"

const taken = uniqueTo(
  "saved_filters_name_key",
  () => new DuplicateName({ message: "The page has a filter of this name" })
)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(SavedFilter))
  const rows = decodeRows(SavedFilter.mapFields(Struct.assign(timestampColumns)))

  return {
    /** Locks the workspace until the transaction ends, so that filters are counted before one more is saved. */
    hold: (workspaceId: string) => query(sql`SELECT FROM workspaces WHERE id = ${workspaceId} FOR NO KEY UPDATE`),
    list: (workspaceId: string, limit: number, offset: number) =>
      query(sql`SELECT ${columns} FROM saved_filters WHERE workspace_id = ${workspaceId}
        ORDER BY name, page LIMIT ${limit} OFFSET ${offset}`).pipe(rows),
    count: (workspaceId: string) =>
      query(
        decodeCount(sql`SELECT count(*)::int AS n FROM saved_filters
        WHERE workspace_id = ${workspaceId}`)
      ),
    get: (workspaceId: string, id: string) =>
      query(sql`SELECT ${columns} FROM saved_filters WHERE id = ${id} AND workspace_id = ${workspaceId}`).pipe(rows),
    lock: (workspaceId: string, id: string) =>
      query(
        sql`SELECT ${columns} FROM saved_filters WHERE id = ${id} AND workspace_id = ${workspaceId} FOR UPDATE`
      ).pipe(rows),
    insert: (workspaceId: string, filter: SavedFilter) =>
      sql`INSERT INTO saved_filters (id, workspace_id, name, page, query, created_at, updated_at)
        VALUES (${filter.id}, ${workspaceId}, ${filter.name}, ${filter.page}, ${filter.query}, ${filter.createdAt},
          ${filter.updatedAt})`.pipe(taken, query),
    update: (id: string, changes: { readonly name?: string; readonly query?: string }, now: Date) =>
      sql`UPDATE saved_filters SET ${sql.csv([
        ...(changes.name === undefined ? [] : [sql`name = ${changes.name}`]),
        ...(changes.query === undefined ? [] : [sql`query = ${changes.query}`]),
        sql`updated_at = ${now}`
      ])} WHERE id = ${id} RETURNING ${columns}`.pipe(taken, query, rows),
    remove: (workspaceId: string, id: string) =>
      query(
        sql`DELETE FROM saved_filters WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING ${columns}`
      ).pipe(rows)
  }
})

export class SavedFiltersRepository extends Context.Service<SavedFiltersRepository, Effect.Success<typeof make>>()(
  "@edp/server/SavedFiltersRepository"
) {
  static readonly layer = Layer.effect(SavedFiltersRepository, make)
}
