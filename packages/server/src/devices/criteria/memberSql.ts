import { type CollectionType, type Criteria, type Membership, toCondition } from "@edp/domain/collections/criteria"
import type { SqlClient, Statement } from "effect/sql"
import { type StatesBy, criteriaSql, deviceJoins, findReadTables } from "./criteriaSql.ts"

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

/** Statements about the members of a collection; `memberIds` selects those that are listed. */
export const memberSql = (
  sql: SqlClient.SqlClient,
  memberIds: (workspaceId: string, collectionId: string) => Statement.Fragment
) => {
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
  const members = (scope: MemberScope, membership: Membership, now: Date) =>
    "criteria" in membership
      ? meeting(scope, membership.criteria, now)
      : memberIds(scope.workspaceId, membership.collectionId)

  return { idColumn, meeting, members }
}
