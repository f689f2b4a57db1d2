import type { StreamCounts } from "@edp/domain/dashboard/StreamMessage"
import { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import { EventType } from "@edp/domain/events/EventType"
import { JsonColumn } from "../../platform/sql/rows.ts"
import { Schema } from "effect"

/** An event, without its payload. A reading's event names its device alone. */
export const StreamEventRow = Schema.Struct({
  id: Schema.String,
  sequence: Schema.Finite,
  type: EventType,
  createdAt: Schema.Date,
  deviceId: Schema.NullOr(Schema.String),
  siteId: Schema.NullOr(Schema.String),
  isReading: Schema.Boolean,
  /** The ids and facts in the payload; null for a reading. */
  facts: Schema.NullOr(
    Schema.Struct({
      customerId: Schema.optionalKey(Schema.NullOr(Schema.String)),
      alertId: Schema.optionalKey(Schema.NullOr(Schema.String)),
      commandId: Schema.optionalKey(Schema.NullOr(Schema.String)),
      enrollmentId: Schema.optionalKey(Schema.NullOr(Schema.String)),
      sessionId: Schema.optionalKey(Schema.NullOr(Schema.String)),
      accountId: Schema.optionalKey(Schema.NullOr(Schema.String)),
      changed: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
      alert: Schema.optionalKey(Schema.NullOr(Schema.Struct({ severity: Schema.String, status: Schema.String }))),
      command: Schema.optionalKey(Schema.NullOr(Schema.Struct({ type: Schema.String, status: Schema.String })))
    })
  )
})
export type StreamEventRow = typeof StreamEventRow.Type

/** The newest reading of a device. */
export const DeviceStateRow = Schema.Struct({
  id: Schema.String,
  readingId: Schema.NullOr(Schema.String),
  at: Schema.NullOr(Schema.Date),
  state: Schema.NullOr(JsonColumn<object>()),
  onlineStatus: OnlineStatus,
  /** Until then the device is online, unless it reports again; null if it is not online. */
  onlineUntil: Schema.NullOr(Schema.Date)
})
export type DeviceStateRow = typeof DeviceStateRow.Type

/** The number of devices of a type with an online status. */
export const StatusRow = Schema.Struct({ type: DeviceType, onlineStatus: OnlineStatus, devices: Schema.Finite })
export type StatusRow = typeof StatusRow.Type

/** The events of a workspace between two sequences. */
export interface EventsWindow {
  readonly workspaceId: string
  /** Exclusive. */
  readonly above: number
  /** Inclusive. */
  readonly upTo: number
  /** Undefined: whenever they were written; otherwise not before, so that the partitions of other days are not read. */
  readonly since: Date | undefined
  /** Events of readings of these devices alone are read. */
  readonly devices: ReadonlyArray<string>
  readonly limit: number
}

/** The counts of devices in the form of the messages. */
export const toDeviceCounts = (rows: ReadonlyArray<StatusRow>): StreamCounts["devices"] => {
  const byType: Partial<Record<DeviceType, number>> = {}
  const byOnlineStatus = { online: 0, asleep: 0, offline: 0, unknown: 0 }
  let total = 0
  for (const { devices, onlineStatus: reached, type } of rows) {
    byType[type] = (byType[type] ?? 0) + devices
    byOnlineStatus[reached] += devices
    total += devices
  }
  return { total, byType, byOnlineStatus }
}
