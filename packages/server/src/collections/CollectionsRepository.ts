import type { CollectionFilters } from "@edp/domain/collections/Collection"
import { DuplicateName } from "@edp/domain/errors/ApiErrors"
import { Effect, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { conditions, prefixPattern } from "../platform/sql/lists.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { CollectionRow } from "./collectionRow.ts"
import { decodeRows, queryCount, queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"

export type Filters = Omit<Schema.Struct.Type<typeof CollectionFilters>, "page" | "perPage" | "workspaceId">

/** The fields to change. */
export type CollectionChanges = Partial<
  Pick<CollectionRow, "name" | "description" | "criteria" | "isActive" | "visibilityLevel">
>

const nameTaken = uniqueTo(
  "collections_name_key",
  () => new DuplicateName({ message: "The workspace has a collection of this name" })
)

export const CollectionsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const columns = sql.literal(selectList(CollectionRow))

  const isTrue = (column: string, value: "true" | "false" | undefined) =>
    value === undefined ? [] : [sql`${sql(column)} = ${value === "true"}`]
  const matching = (workspaceId: string, filters: Filters) =>
    sql.and([
      ...is("workspace_id", workspaceId),
      sql`deleted_at IS NULL`,
      ...isAnyOf("collection_type", filters.collectionType),
      ...isAnyOf("visibility_level", filters.visibilityLevel),
      ...isTrue("dynamic", filters.dynamic),
      ...isTrue("is_active", filters.isActive),
      ...(filters.q === undefined ? [] : [sql`lower(name) LIKE lower(${prefixPattern(filters.q)})`])
    ])
  const notDeleted = (workspaceId: string, id: string) =>
    sql`id = ${id} AND workspace_id = ${workspaceId} AND deleted_at IS NULL`

  return {
    list: (workspaceId: string, filters: Filters, limit: number, offset: number) =>
      queryRows(CollectionRow)(sql`SELECT ${columns} FROM collections WHERE ${matching(workspaceId, filters)}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`),
    count: (workspaceId: string, filters: Filters) =>
      queryCount(sql`SELECT count(*)::int AS n FROM collections
        WHERE ${matching(workspaceId, filters)}`),
    get: (workspaceId: string, id: string) =>
      queryRows(CollectionRow)(sql`SELECT ${columns} FROM collections WHERE ${notDeleted(workspaceId, id)}`),
    /** Locks the collection against changes and refreshes until the transaction ends. */
    lock: (workspaceId: string, id: string) =>
      queryRows(CollectionRow)(
        sql`SELECT ${columns} FROM collections WHERE ${notDeleted(workspaceId, id)} FOR NO KEY UPDATE`
      ),
    insert: (row: CollectionRow) =>
      sql`INSERT INTO collections (id, name, collection_type, description, criteria, criteria_version, workspace_id,
          dynamic, is_active, visibility_level, created_by_id, created_by_type, created_at, updated_at)
        VALUES (${row.id}, ${row.name}, ${row.collectionType}, ${row.description}, ${JSON.stringify(row.criteria)}::json,
          ${row.criteriaVersion}, ${row.workspaceId}, ${row.dynamic}, ${row.isActive}, ${row.visibilityLevel},
          ${row.createdById}, ${row.createdByType}, ${row.createdAt}, ${row.updatedAt})`.pipe(nameTaken, query),
    update: (id: string, changes: CollectionChanges, now: Date) =>
      sql`UPDATE collections SET ${sql.csv([
        ...(changes.name === undefined ? [] : [sql`name = ${changes.name}`]),
        ...(changes.description === undefined ? [] : [sql`description = ${changes.description}`]),
        ...(changes.criteria === undefined ? [] : [sql`criteria = ${JSON.stringify(changes.criteria)}::json`]),
        ...(changes.isActive === undefined ? [] : [sql`is_active = ${changes.isActive}`]),
        ...(changes.visibilityLevel === undefined ? [] : [sql`visibility_level = ${changes.visibilityLevel}`]),
        sql`freshness = NULL`,
        sql`updated_at = ${now}`
      ])} WHERE id = ${id} RETURNING ${columns}`.pipe(decodeRows(CollectionRow), nameTaken, query),
    remove: (id: string, now: Date) =>
      query(sql`UPDATE collections SET deleted_at = ${now}, updated_at = ${now} WHERE id = ${id}`)
  }
})
