import type { Membership } from "@edp/domain/collections/criteria"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { collectionTable } from "../collections/collectionTable.ts"
import { devicesAmong, taggedDeviceIds } from "../devices/deviceTable.ts"
import { memberSql } from "../devices/criteria/memberSql.ts"
import { isReady } from "../platform/jobs/isolation.ts"
import { untilTime } from "../platform/jobs/workWait.ts"
import { query } from "../platform/sql/transaction.ts"
import { ScheduleRow, scheduleColumns } from "./scheduleRow.ts"
import { IdRow, queryRows } from "../platform/sql/rows.ts"

/** The work, as its failing schedules are stored under. */
export const SCHEDULES = "schedules"

export const DueSchedule = Schema.Struct({
  id: Schema.String,
  /** Whether its target is one device. */
  isOwn: Schema.Boolean
})
export type DueSchedule = typeof DueSchedule.Type

export interface MovedSchedule {
  readonly id: string
  readonly nextTransitionAt: Date | null
}

const SharedTarget = Schema.Struct({
  id: Schema.String,
  tag: Schema.NullOr(Schema.String),
  collectionId: Schema.NullOr(Schema.String)
})
type SharedTarget = typeof SharedTarget.Type

/** The due transitions of schedules. */
export const ScheduleRunsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const collections = collectionTable(sql)
  const { members } = memberSql(sql, collections.memberIds)
  const columns = sql.literal(scheduleColumns)

  const memberships = (workspaceId: string, collectionIds: ReadonlyArray<string>) =>
    collectionIds.length === 0
      ? Effect.succeed<ReadonlyArray<Membership>>([])
      : collections.memberships(workspaceId, "DEVICE", [...new Set(collectionIds)])

  /** The other enabled schedules of tags and collections that go before one of them. */
  const findPreceding = Effect.fnUntraced(function* (schedule: ScheduleRow) {
    const others = yield* queryRows(SharedTarget)(sql`SELECT id, tag, collection_id AS "collectionId" FROM schedules
        WHERE workspace_id = ${schedule.workspaceId} AND device_type = ${schedule.deviceType} AND device_id IS NULL
          AND enabled AND (id > ${schedule.id} OR ${schedule.tag !== null} AND collection_id IS NOT NULL)`)
    return {
      collectionIds: others.flatMap(({ collectionId }) => (collectionId === null ? [] : [collectionId])),
      tags: schedule.tag === null ? [] : others.flatMap(({ tag }) => (tag === null ? [] : [tag]))
    }
  })

  return {
    due: (now: Date, limit: number) =>
      queryRows(DueSchedule)(sql`SELECT id, device_id IS NOT NULL AS "isOwn" FROM schedules
        WHERE next_transition_at <= ${now} AND ${isReady(sql, SCHEDULES, "schedules.id")}
        ORDER BY next_transition_at LIMIT ${limit}`),
    /** Milliseconds until the next transition. */
    nextDue: untilTime(sql, sql`(SELECT min(next_transition_at) FROM schedules WHERE next_transition_at IS NOT NULL)`),
    /** Locks the schedules that are still due and that no other transaction has locked. */
    claim: (ids: ReadonlyArray<string>, now: Date) =>
      queryRows(ScheduleRow)(sql`SELECT ${columns} FROM schedules
        WHERE id = ANY(${ids}::text[]) AND next_transition_at <= ${now} ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`),
    /**
     * The devices that follow the schedule of a tag or a collection: those of its target without a schedule of their own, and
     * without one of a collection or tag that goes before. A collection that was deleted has none.
     */
    followers: Effect.fnUntraced(function* (schedule: ScheduleRow, now: Date) {
      const { collectionId, tag, workspaceId } = schedule
      const scope = { workspaceId, collectionType: "DEVICE" } as const
      const preceding = yield* findPreceding(schedule)
      const [own] = collectionId === null ? [] : yield* memberships(workspaceId, [collectionId])
      if (collectionId !== null && own === undefined) return []
      const target = own === undefined ? taggedDeviceIds(sql, workspaceId, sql`tag = ${tag}`) : members(scope, own, now)
      const others = (yield* memberships(workspaceId, preceding.collectionIds)).map(
        (membership) => sql`EXCEPT SELECT id FROM (${members(scope, membership, now)}) AS other`
      )
      const tagged =
        preceding.tags.length === 0
          ? []
          : [sql`EXCEPT ${taggedDeviceIds(sql, workspaceId, sql`tag = ANY(${preceding.tags}::text[])`)}`]
      const except = [...others, ...tagged].reduce((all, part) => sql`${all} ${part}`, sql``)
      const ids = sql`ARRAY(SELECT id FROM (${target}) AS target ${except})`
      const found = yield* queryRows(IdRow)(
        sql`${devicesAmong(sql, ids, schedule)} AND NOT EXISTS (
            SELECT FROM schedules own WHERE own.device_id = device.id AND own.enabled)
          ORDER BY device.id`.unprepared
      )
      return found.map(({ id }) => id)
    }),
    move: (moved: ReadonlyArray<MovedSchedule>) =>
      query(sql`UPDATE schedules SET next_transition_at = given."nextTransitionAt"
        FROM jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) AS given (id text, "nextTransitionAt" timestamptz)
        WHERE schedules.id = given.id`)
  }
})
