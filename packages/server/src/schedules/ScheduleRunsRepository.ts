import type { Membership } from "@edp/domain/collections/criteria"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { memberSql, selectMemberships } from "../platform/criteria/memberSql.ts"
import { query } from "../platform/sql/transaction.ts"
import { type ScheduleRow, scheduleColumns } from "./scheduleRow.ts"

export interface DueSchedule {
  readonly id: string
  /** Whether its target is one device. */
  readonly isOwn: boolean
}

export interface MovedSchedule {
  readonly id: string
  readonly nextTransitionAt: Date | null
}

interface SharedTarget {
  readonly id: string
  readonly tag: string | null
  readonly collectionId: string | null
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { members } = memberSql(sql)
  const columns = sql.literal(scheduleColumns)

  const memberships = (workspaceId: string, collectionIds: ReadonlyArray<string>) =>
    collectionIds.length === 0
      ? Effect.succeed<ReadonlyArray<Membership>>([])
      : selectMemberships(sql, workspaceId, "DEVICE", [...new Set(collectionIds)])

  /** The other enabled schedules of tags and collections that go before one of them. */
  const findPreceding = Effect.fnUntraced(function* (schedule: ScheduleRow) {
    const others = yield* query(
      sql<SharedTarget>`SELECT id, tag, collection_id AS "collectionId" FROM schedules
        WHERE workspace_id = ${schedule.workspaceId} AND device_type = ${schedule.deviceType} AND device_id IS NULL
          AND enabled AND (id > ${schedule.id} OR ${schedule.tag !== null} AND collection_id IS NOT NULL)`
    )
    return {
      collectionIds: others.flatMap(({ collectionId }) => (collectionId === null ? [] : [collectionId])),
      tags: schedule.tag === null ? [] : others.flatMap(({ tag }) => (tag === null ? [] : [tag]))
    }
  })

  return {
    due: (now: Date, limit: number) =>
      query(sql<DueSchedule>`SELECT id, device_id IS NOT NULL AS "isOwn" FROM schedules
        WHERE next_transition_at <= ${now} ORDER BY next_transition_at LIMIT ${limit}`),
    /** Locks the schedules that are still due and that no other transaction has locked. */
    claim: (ids: ReadonlyArray<string>, now: Date) =>
      query(sql<ScheduleRow>`SELECT ${columns} FROM schedules
        WHERE id = ANY(${ids}::text[]) AND next_transition_at <= ${now} ORDER BY id FOR NO KEY UPDATE SKIP LOCKED`),
    /**
     * The devices that follow the schedule of a tag or a collection: those of its target without a schedule of their own, and
     * without one of a collection or tag that goes before. A collection that was deleted has none.
     */
    followers: Effect.fnUntraced(function* (schedule: ScheduleRow, now: Date) {
      const { collectionId, deviceType, tag, workspaceId } = schedule
      const place = { workspaceId, collectionType: "DEVICE" } as const
      const preceding = yield* findPreceding(schedule)
      const [own] = collectionId === null ? [] : yield* memberships(workspaceId, [collectionId])
      if (collectionId !== null && own === undefined) return []
      const target =
        own === undefined
          ? sql`SELECT device_id AS id FROM device_tags WHERE workspace_id = ${workspaceId} AND tag = ${tag}`
          : members(place, own, now)
      const others = (yield* memberships(workspaceId, preceding.collectionIds)).map(
        (membership) => sql`EXCEPT SELECT id FROM (${members(place, membership, now)}) AS other`
      )
      const tagged =
        preceding.tags.length === 0
          ? []
          : [
              sql`EXCEPT SELECT device_id FROM device_tags WHERE workspace_id = ${workspaceId}
                AND tag = ANY(${preceding.tags}::text[])`
            ]
      const except = [...others, ...tagged].reduce((all, part) => sql`${all} ${part}`, sql``)
      // Concatenated, workspace and type choose no index: devices are found by their ids, whatever the statistics say.
      const found = yield* query(
        sql<{ readonly id: string }>`SELECT device.id
          FROM unnest(ARRAY(SELECT id FROM (${target}) AS target ${except})) AS follower (id)
            JOIN devices device ON device.id = follower.id
          WHERE device.workspace_id || '' = ${workspaceId} AND device.type || '' = ${deviceType} AND NOT EXISTS (
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

/** The due transitions of schedules. */
export class ScheduleRunsRepository extends Context.Service<ScheduleRunsRepository, Effect.Success<typeof make>>()(
  "@edp/server/ScheduleRunsRepository"
) {
  static readonly layer = Layer.effect(ScheduleRunsRepository, make)
}
