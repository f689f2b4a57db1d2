import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { collectionTable } from "../collections/collectionTable.ts"
import { memberSql } from "../devices/criteria/memberSql.ts"
import { scheduledDevice, taggedDeviceIds } from "../devices/deviceTable.ts"
import { query } from "../platform/sql/transaction.ts"
import { IdRow, queryRows } from "../platform/sql/rows.ts"
import { ScheduleRow, scheduleColumns } from "./scheduleRow.ts"

export const FollowedSchedulesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const collections = collectionTable(sql)
  const { members } = memberSql(sql, collections.memberIds)
  const columns = sql.literal(scheduleColumns)

  return {
    device: (id: string) => query(scheduledDevice(sql, id)),
    /** Enabled schedules of the device itself, of any collection, and of the tags of the device; the newest of each. */
    candidates: (workspaceId: string, type: string, deviceId: string, limit: number) => {
      const newest = (condition: Statement.Fragment) =>
        queryRows(ScheduleRow)(sql`SELECT ${columns} FROM schedules
          WHERE workspace_id = ${workspaceId} AND device_type = ${type} AND enabled AND ${condition}
          ORDER BY id DESC LIMIT ${limit}`)
      return Effect.all({
        own: newest(sql`device_id = ${deviceId}`),
        shared: newest(sql`device_id IS NULL AND collection_id IS NOT NULL`),
        tagged: newest(
          sql`device_id IS NULL AND EXISTS (${taggedDeviceIds(
            sql,
            workspaceId,
            sql`device_tags.tag = schedules.tag AND device_tags.device_id = ${deviceId}`
          )})`
        )
      })
    },
    /** Those of the collections that have the device as a member. */
    containing: Effect.fnUntraced(function* (
      workspaceId: string,
      ids: ReadonlyArray<string>,
      deviceId: string,
      now: Date
    ) {
      if (ids.length === 0) return new Set<string>()
      const scope = { workspaceId, collectionType: "DEVICE" } as const
      const found = yield* collections.find(workspaceId, ids)
      const parts = found.map(({ criteria, dynamic, id }) => {
        const membership = dynamic ? { criteria } : { collectionId: id }
        return sql`SELECT ${id}::text AS id
          WHERE EXISTS (SELECT FROM (${members(scope, membership, now)}) AS member WHERE member.id = ${deviceId})`
      })
      if (parts.length === 0) return new Set<string>()
      const rows = yield* queryRows(IdRow)(parts.reduce((all, part) => sql`${all} UNION ALL ${part}`).unprepared)
      return new Set(rows.map(({ id }) => id))
    })
  }
})
