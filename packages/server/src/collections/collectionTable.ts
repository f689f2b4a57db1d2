import type { CollectionType, Criteria, Membership } from "@edp/domain/collections/criteria"
import { collectionTypes } from "@edp/domain/collections/criteria"
import { Effect, Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { JsonColumn, queryRows } from "../platform/sql/rows.ts"

const Row = Schema.Struct({
  id: Schema.String,
  collectionType: Schema.Literals(collectionTypes),
  dynamic: Schema.Boolean,
  criteria: JsonColumn<Criteria>()
})
type Row = typeof Row.Type

const MembershipRow = Schema.Struct(Struct.pick(Row.fields, ["id", "dynamic", "criteria"]))

const TypeRow = Schema.Struct({ type: Schema.String })

/** Statements of other slices on collections and their listed members. */
export const collectionTable = (sql: SqlClient.SqlClient) => ({
  /** Those of the collections that the workspace has. */
  find: (
    workspaceId: string,
    collectionIds: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<Row>, DatabaseUnavailable> =>
    queryRows(Row)(sql`SELECT id, collection_type AS "collectionType", dynamic, criteria FROM collections
      WHERE workspace_id = ${workspaceId} AND id = ANY(${collectionIds}::text[]) AND deleted_at IS NULL`),
  /** The memberships of those of the collections that the workspace has and that are of the type. */
  memberships: (
    workspaceId: string,
    type: CollectionType,
    collectionIds: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<Membership>, DatabaseUnavailable> =>
    queryRows(MembershipRow)(sql`SELECT id, dynamic, criteria FROM collections WHERE id = ANY(${collectionIds}::text[])
      AND workspace_id = ${workspaceId} AND collection_type = ${type} AND deleted_at IS NULL ORDER BY id`).pipe(
      Effect.map((rows) => rows.map(({ id, dynamic, criteria }) => (dynamic ? { criteria } : { collectionId: id })))
    ),
  type: (workspaceId: string, id: string) =>
    queryRows(TypeRow)(sql`SELECT collection_type AS type FROM collections
      WHERE id = ${id} AND workspace_id = ${workspaceId} AND deleted_at IS NULL`).pipe(
      Effect.map(([row]) => row?.type)
    ),
  /** A query of the ids of listed members. */
  memberIds: (workspaceId: string, collectionId: string) =>
    sql`SELECT member_id AS id FROM collection_members WHERE collection_id = ${collectionId}
          AND workspace_id = ${workspaceId}`,
  /** The condition that a record is a listed member; the column has its id. */
  contains: (collectionId: string, column: string) =>
    sql`EXISTS (SELECT FROM collection_members c WHERE c.collection_id = ${collectionId} AND c.member_id = ${sql(column)})`
})
