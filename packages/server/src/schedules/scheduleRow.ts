import type { Schedule, ScheduleMode, ScheduleRule, ScheduleTarget } from "@edp/domain/schedules/Schedule"
import { scheduledTypes } from "@edp/domain/schedules/Schedule"
import { JsonColumn } from "../platform/sql/rows.ts"
import { Schema } from "effect"
import { selectList } from "../platform/sql/selectList.ts"

/** A schedule as it is stored. One of the three targets is not null. */
export const ScheduleRow = Schema.Struct({
  timezone: Schema.String,
  defaultMode: Schema.NullOr(JsonColumn<ScheduleMode>()),
  id: Schema.String,
  workspaceId: Schema.String,
  name: Schema.String,
  deviceId: Schema.NullOr(Schema.String),
  tag: Schema.NullOr(Schema.String),
  collectionId: Schema.NullOr(Schema.String),
  deviceType: Schema.Literals(scheduledTypes),
  rules: JsonColumn<ReadonlyArray<ScheduleRule>>(),
  enabled: Schema.Boolean,
  nextTransitionAt: Schema.NullOr(Schema.Date),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type ScheduleRow = typeof ScheduleRow.Type

type Targeted = Pick<ScheduleRow, "deviceId" | "tag" | "collectionId">

const toTarget = ({ collectionId, deviceId, tag }: Targeted): ScheduleTarget => {
  if (deviceId !== null) return { deviceId }
  return tag !== null ? { tag } : { collectionId: collectionId! }
}

export const targetColumns = (target: ScheduleTarget): Targeted => ({
  deviceId: null,
  tag: null,
  collectionId: null,
  ...target
})

export const toSchedule = (row: ScheduleRow): Schedule => ({
  id: row.id,
  workspaceId: row.workspaceId,
  name: row.name,
  target: toTarget(row),
  deviceType: row.deviceType,
  timezone: row.timezone,
  defaultMode: row.defaultMode,
  rules: row.rules,
  enabled: row.enabled,
  nextTransitionAt: row.nextTransitionAt === null ? null : row.nextTransitionAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString()
})

/** A schedule's columns in statements that read the table `schedules`. */
export const scheduleColumns = selectList(ScheduleRow)
