import type {
  Schedule,
  ScheduleMode,
  ScheduleRule,
  ScheduleTarget,
  ScheduledType
} from "@edp/domain/schedules/Schedule"
import type { Timetable } from "./transitions.ts"

/** A schedule as it is stored. One of the three targets is not null. */
export interface ScheduleRow extends Timetable<ScheduleMode> {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly deviceId: string | null
  readonly tag: string | null
  readonly collectionId: string | null
  readonly deviceType: ScheduledType
  readonly rules: ReadonlyArray<ScheduleRule>
  readonly enabled: boolean
  readonly nextTransitionAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

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
export const scheduleColumns = `id, workspace_id AS "workspaceId", name, device_id AS "deviceId", tag,
  collection_id AS "collectionId", device_type AS "deviceType", timezone, default_mode AS "defaultMode", rules, enabled,
  next_transition_at AS "nextTransitionAt", created_at AS "createdAt", updated_at AS "updatedAt"`
