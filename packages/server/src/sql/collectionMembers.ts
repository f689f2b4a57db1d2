import type { CollectionType, Criteria, Membership } from "@edp/domain/collections/criteria"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { query } from "./transaction.ts"

interface Row {
  readonly dynamic: boolean
  readonly criteria: Criteria
}

/** What makes the members of a living collection of the workspace and type; undefined when there is none. */
export const membershipOf = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  type: CollectionType,
  collectionId: string
): Effect.Effect<Membership | undefined> =>
  query(sql<Row>`SELECT dynamic, criteria FROM collections WHERE id = ${collectionId}
    AND workspace_id = ${workspaceId} AND collection_type = ${type} AND deleted_at IS NULL`).pipe(
    Effect.map(([row]) => row && (row.dynamic ? { criteria: row.criteria } : { collectionId }))
  )
