import { type CollectionType, type Criteria, type Membership, toCondition } from "@edp/domain/collections/criteria"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { query } from "../sql/transaction.ts"
import { type StatesBy, criteriaSql, deviceJoins, findReadTables } from "./criteria.ts"

/** The table of each collection type, and its alias in conditions. */
export const memberTables = {
  DEVICE: { table: "devices", as: "d" },
  SITE: { table: "sites", as: "sites" },
  CUSTOMER: { table: "customers", as: "customers" }
} as const satisfies Record<CollectionType, object>

export interface MemberScope {
  readonly workspaceId: string
  readonly collectionType: CollectionType
}

/** Statements about the members of a collection. */
export const memberSql = (sql: SqlClient.SqlClient) => {
  const compile = criteriaSql(sql)
  const idColumn = (type: CollectionType) => sql`${sql(`${memberTables[type].as}.id`)}`

  const from = (type: CollectionType, criteria: Criteria, statesBy: StatesBy) => {
    const { as, table } = memberTables[type]
    const joins = type === "DEVICE" ? deviceJoins(findReadTables(toCondition(criteria)), statesBy) : ""
    return sql.literal(`${table} AS ${as} ${joins}`)
  }

  /** The ids of all records that meet the criteria. */
  const meeting = (
    { collectionType, workspaceId }: MemberScope,
    criteria: Criteria,
    now: Date,
    statesBy: StatesBy = "plan"
  ) => {
    const condition = toCondition(criteria)
    return sql`SELECT ${idColumn(collectionType)} AS id FROM ${from(collectionType, criteria, statesBy)} WHERE ${sql.and(
      [
        sql`${sql(`${memberTables[collectionType].as}.workspace_id`)} = ${workspaceId}`,
        ...(condition === undefined ? [] : [compile(collectionType, condition, now)])
      ]
    )}`
  }

  /** The ids of all members. */
  const members = (place: MemberScope, membership: Membership, now: Date) =>
    "criteria" in membership
      ? meeting(place, membership.criteria, now)
      : sql`SELECT member_id AS id FROM collection_members WHERE collection_id = ${membership.collectionId}
          AND workspace_id = ${place.workspaceId}`

  return { idColumn, meeting, members }
}

interface Row {
  readonly id: string
  readonly dynamic: boolean
  readonly criteria: Criteria
}

/** The memberships of the undeleted collections of the workspace and the type. */
export const selectMemberships = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  type: CollectionType,
  collectionIds: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Membership>> =>
  query(sql<Row>`SELECT id, dynamic, criteria FROM collections WHERE id = ANY(${collectionIds}::text[])
    AND workspace_id = ${workspaceId} AND collection_type = ${type} AND deleted_at IS NULL ORDER BY id`).pipe(
    Effect.map((rows) => rows.map(({ id, dynamic, criteria }) => (dynamic ? { criteria } : { collectionId: id })))
  )
