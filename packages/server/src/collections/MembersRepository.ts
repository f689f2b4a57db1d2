import type { Criteria, Membership } from "@edp/domain/collections/criteria"
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { memberSql, memberTables, type MemberScope } from "../devices/criteria/memberSql.ts"
import { collectionTable } from "./collectionTable.ts"
import { query } from "../platform/sql/transaction.ts"
import { IdRow, queryCount, queryIds, queryRows } from "../platform/sql/rows.ts"

const IsNewRow = Schema.Struct({ isNew: Schema.Boolean })

export const MembersRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { idColumn, meeting, members } = memberSql(sql, collectionTable(sql).memberIds)

  return {
    list: (scope: MemberScope, membership: Membership, now: Date, limit: number, offset: number) =>
      queryIds(
        sql`${members(scope, membership, now)} ORDER BY id DESC
          LIMIT ${limit} OFFSET ${offset}`.unprepared
      ),
    count: (scope: MemberScope, membership: Membership, now: Date) =>
      queryCount(
        sql`SELECT count(*)::int AS n
          FROM (${members(scope, membership, now)}) AS members`.unprepared
      ),
    /** No row when the workspace has no such record. Locks the record against deletion. */
    add: ({ collectionType, workspaceId }: MemberScope, collectionId: string, memberId: string) =>
      queryRows(IsNewRow)(sql`WITH record AS (SELECT id FROM ${sql(memberTables[collectionType].table)}
          WHERE id = ${memberId} AND workspace_id = ${workspaceId} FOR KEY SHARE),
        added AS (INSERT INTO collection_members (workspace_id, collection_id, member_id)
          SELECT ${workspaceId}::text, ${collectionId}::text, id FROM record ON CONFLICT DO NOTHING RETURNING 1)
        SELECT EXISTS (SELECT FROM added) AS "isNew" FROM record`),
    remove: (collectionId: string, memberId: string) =>
      query(sql`DELETE FROM collection_members WHERE collection_id = ${collectionId} AND member_id = ${memberId}
        RETURNING member_id`),
    /** The id of the nth record after another; undefined when there are fewer. */
    idAfter: ({ collectionType, workspaceId }: MemberScope, after: string, records: number) =>
      queryRows(IdRow)(sql`SELECT id FROM ${sql(memberTables[collectionType].table)}
        WHERE workspace_id = ${workspaceId} AND id > ${after} ORDER BY id OFFSET ${records - 1} LIMIT 1`).pipe(
        Effect.map(([row]) => row?.id)
      ),
    /** Makes the members within a range of ids those that meet the criteria; writes only the differences. */
    recompute: (
      scope: MemberScope & { readonly id: string; readonly criteria: Criteria },
      { after, upTo }: { readonly after: string; readonly upTo: string | undefined },
      now: Date
    ) => {
      const within = (id: Statement.Fragment) =>
        upTo === undefined ? sql`${id} > ${after}` : sql`${id} > ${after} AND ${id} <= ${upTo}`
      return query(
        sql`WITH matching AS MATERIALIZED (${meeting(scope, scope.criteria, now, "device")}
            AND ${within(idColumn(scope.collectionType))}),
          stored AS MATERIALIZED (SELECT member_id FROM collection_members
            WHERE collection_id = ${scope.id} AND ${within(sql`member_id`)}),
          gone AS (DELETE FROM collection_members WHERE collection_id = ${scope.id} AND member_id IN (
            SELECT member_id FROM stored EXCEPT SELECT id FROM matching))
        INSERT INTO collection_members (workspace_id, collection_id, member_id)
        SELECT ${scope.workspaceId}::text, ${scope.id}::text, id
          FROM (SELECT id FROM matching EXCEPT SELECT member_id FROM stored) AS missing
        ON CONFLICT DO NOTHING`.unprepared
      )
    }
  }
})
