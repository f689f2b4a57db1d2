import type { ScheduleFilters } from "@edp/domain/schedules/Schedule"
import { Effect, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { conditions } from "../platform/sql/lists.ts"
import { collectionTable } from "../collections/collectionTable.ts"
import { holdDevice, scheduledDevice } from "../devices/deviceTable.ts"
import { workspaceTable } from "../workspaces/workspaceTable.ts"
import { query } from "../platform/sql/transaction.ts"
import { ScheduleRow, scheduleColumns } from "./scheduleRow.ts"
import { queryCount, queryRows } from "../platform/sql/rows.ts"

export type Filters = Omit<Schema.Struct.Type<typeof ScheduleFilters>, "page" | "perPage">

/** The fields to change. */
export type ScheduleChanges = Partial<
  Pick<ScheduleRow, "name" | "timezone" | "defaultMode" | "rules" | "enabled" | "nextTransitionAt">
>

export const SchedulesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const columns = sql.literal(scheduleColumns)

  const matching = (workspaceId: string, filters: Filters) =>
    sql.and([
      ...is("workspace_id", workspaceId),
      ...isAnyOf("device_id", filters.deviceId),
      ...isAnyOf("tag", filters.tag),
      ...isAnyOf("collection_id", filters.collectionId),
      ...isAnyOf("device_type", filters.deviceType),
      ...(filters.enabled === undefined ? [] : [sql`enabled = ${filters.enabled === "true"}`])
    ])
  const json = (value: unknown) => sql`${value === null ? null : JSON.stringify(value)}::json`

  return {
    list: (workspaceId: string, filters: Filters, limit: number, offset: number) =>
      queryRows(ScheduleRow)(sql`SELECT ${columns} FROM schedules WHERE ${matching(workspaceId, filters)}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`),
    count: (workspaceId: string, filters: Filters) =>
      queryCount(sql`SELECT count(*)::int AS n FROM schedules
        WHERE ${matching(workspaceId, filters)}`),
    get: (workspaceId: string, id: string) =>
      queryRows(ScheduleRow)(sql`SELECT ${columns} FROM schedules WHERE id = ${id} AND workspace_id = ${workspaceId}`),
    /** Locks the schedule against changes and its transitions until the transaction ends. */
    lock: (workspaceId: string, id: string) =>
      queryRows(ScheduleRow)(sql`SELECT ${columns} FROM schedules WHERE id = ${id} AND workspace_id = ${workspaceId}
        FOR NO KEY UPDATE`),
    insert: (row: ScheduleRow) =>
      query(sql`INSERT INTO schedules (id, workspace_id, name, device_id, tag, collection_id, device_type, timezone,
          default_mode, rules, enabled, next_transition_at, created_at, updated_at)
        VALUES (${row.id}, ${row.workspaceId}, ${row.name}, ${row.deviceId}, ${row.tag}, ${row.collectionId},
          ${row.deviceType}, ${row.timezone}, ${json(row.defaultMode)}, ${json(row.rules)}, ${row.enabled},
          ${row.nextTransitionAt}, ${row.createdAt}, ${row.updatedAt})`),
    update: (id: string, changes: ScheduleChanges, now: Date) =>
      queryRows(ScheduleRow)(
        sql`UPDATE schedules SET ${sql.csv([
          ...(changes.name === undefined ? [] : [sql`name = ${changes.name}`]),
          ...(changes.timezone === undefined ? [] : [sql`timezone = ${changes.timezone}`]),
          ...(changes.defaultMode === undefined ? [] : [sql`default_mode = ${json(changes.defaultMode)}`]),
          ...(changes.rules === undefined ? [] : [sql`rules = ${json(changes.rules)}`]),
          ...(changes.enabled === undefined ? [] : [sql`enabled = ${changes.enabled}`]),
          ...(changes.nextTransitionAt === undefined ? [] : [sql`next_transition_at = ${changes.nextTransitionAt}`]),
          sql`updated_at = ${now}`
        ])} WHERE id = ${id} RETURNING ${columns}`
      ),
    /** Returns no row if the workspace has no such schedule. */
    remove: (workspaceId: string, id: string) =>
      query(sql`DELETE FROM schedules WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING id`),
    /** Pauses a device's enabled schedule. */
    replace: (deviceId: string, now: Date) =>
      query(sql`UPDATE schedules SET enabled = false, next_transition_at = NULL, updated_at = ${now}
        WHERE device_id = ${deviceId} AND enabled`),
    device: (id: string) => query(scheduledDevice(sql, id)),
    /** Locks the device until the transaction ends, so that schedules replace each other one after another. */
    holdDevice: (workspaceId: string, id: string) => holdDevice(sql, workspaceId, id),
    collectionType: (workspaceId: string, id: string) => collectionTable(sql).type(workspaceId, id),
    workspaceTimezone: (workspaceId: string) =>
      workspaceTable(sql)
        .timezone(workspaceId)
        .pipe(Effect.map((timezone) => timezone!))
  }
})
