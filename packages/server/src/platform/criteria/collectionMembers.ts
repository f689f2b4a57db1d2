import type { CollectionType, Criteria, Membership } from "@edp/domain/collections/criteria"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { query } from "../sql/transaction.ts"

interface Row {
  readonly id: string
  readonly dynamic: boolean
  readonly criteria: Criteria
}

/** What makes the members of those collections that live in the workspace and are of the type. */
export const membershipsOf = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  type: CollectionType,
  collectionIds: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Membership>> =>
  query(sql<Row>`SELECT id, dynamic, criteria FROM collections WHERE id = ANY(${collectionIds}::text[])
    AND workspace_id = ${workspaceId} AND collection_type = ${type} AND deleted_at IS NULL ORDER BY id`).pipe(
    Effect.map((rows) => rows.map(({ id, dynamic, criteria }) => (dynamic ? { criteria } : { collectionId: id })))
  )
