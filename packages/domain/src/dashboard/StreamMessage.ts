import { Schema } from "effect"
import { AlertSeverity, AlertStatus } from "../alerts/AlertStatus.ts"
import { CommandStatus } from "../commands/CommandStatus.ts"
import { CommandSlug, DeviceType, OnlineStatus } from "../devices/DeviceType.ts"
import { EventType } from "../events/EventType.ts"
import { Cuid } from "../shared/Cuid.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const id = Schema.optionalKey(Cuid)
const count = Schema.Int

/** The newest reading of a device and its reachability. */
const DeviceState = Schema.Struct({
  deviceId: Cuid,
  onlineStatus: OnlineStatus,
  lastOnlineAt: Schema.NullOr(Timestamp),
  state: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "As in the device's record; the empty object without a reading"
  })
})

export const StreamCounts = Schema.Struct({
  devices: Schema.Struct({
    total: count,
    byType: Schema.Record(DeviceType, Schema.optionalKey(count)),
    byOnlineStatus: Schema.Record(OnlineStatus, count)
  }),
  /** The open alerts that the workspace's alert configuration shows. */
  openAlerts: Schema.Record(AlertSeverity, count),
  countedAt: Timestamp
}).annotate({ identifier: "StreamCounts" })
export type StreamCounts = typeof StreamCounts.Type

/** The first message of a stream, and of one that can't be resumed. */
export const StreamSnapshot = Schema.Struct({
  /** All events up to this one are contained in the records that are read from now on. */
  sequence: Schema.Int,
  serverTime: Timestamp,
  version: StoredText(50).annotate({ description: "Version of the service" }),
  counts: StreamCounts,
  devices: Schema.Array(DeviceState).annotate({ description: "The devices that the stream was asked for" })
}).annotate({ identifier: "StreamSnapshot" })
export type StreamSnapshot = typeof StreamSnapshot.Type

/** An event of the workspace: the records that it concerns and a few changed facts. */
export const StreamEvent = Schema.Struct({
  kind: Schema.Literal("event"),
  sequence: Schema.Int,
  id: Cuid,
  type: EventType,
  timestamp: Timestamp,
  deviceId: id,
  siteId: id,
  customerId: id,
  alertId: id,
  commandId: id,
  enrollmentId: id,
  sessionId: id,
  accountId: id,
  /** Changed fields of a device. */
  changed: Schema.optionalKey(Schema.Array(Schema.String)),
  alert: Schema.optionalKey(Schema.Struct({ severity: AlertSeverity, status: AlertStatus })),
  command: Schema.optionalKey(Schema.Struct({ type: CommandSlug, status: CommandStatus }))
}).annotate({ identifier: "StreamEvent" })
export type StreamEvent = typeof StreamEvent.Type

export const StreamDevice = Schema.Struct({ kind: Schema.Literal("device"), ...DeviceState.fields }).annotate({
  identifier: "StreamDevice",
  description: "A device of the stream has a new state; at most one message a second and device"
})
export type StreamDevice = typeof StreamDevice.Type

const StreamCountsChange = Schema.Struct({ kind: Schema.Literal("counts"), counts: StreamCounts })

export const StreamChange = Schema.Union([StreamEvent, StreamDevice, StreamCountsChange]).annotate({
  identifier: "StreamChange"
})
export type StreamChange = typeof StreamChange.Type
