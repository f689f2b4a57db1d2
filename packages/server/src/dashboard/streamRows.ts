import type { StreamCounts } from "@edp/domain/dashboard/StreamMessage"
import type { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import type { EventType } from "@edp/domain/events/EventType"

/** An event, without its payload. A reading's event names its device alone. */
export interface StreamEventRow {
  readonly id: string
  readonly sequence: number
  readonly type: EventType
  readonly createdAt: Date
  readonly deviceId: string | null
  readonly siteId: string | null
  readonly isReading: boolean
  /** The ids and facts in the payload; null for a reading. */
  readonly facts: {
    readonly customerId?: string | null
    readonly alertId?: string | null
    readonly commandId?: string | null
    readonly enrollmentId?: string | null
    readonly sessionId?: string | null
    readonly accountId?: string | null
    readonly changed?: ReadonlyArray<string> | null
    readonly alert?: { readonly severity: string; readonly status: string } | null
    readonly command?: { readonly type: string; readonly status: string } | null
  } | null
}

/** The newest reading of a device. */
export interface DeviceStateRow {
  readonly id: string
  readonly readingId: string | null
  readonly at: Date | null
  readonly state: object | null
  readonly onlineStatus: OnlineStatus
  /** Until then the device is online, unless it reports again; null if it is not online. */
  readonly onlineUntil: Date | null
}

/** The number of devices of a type with an online status. */
export interface StatusRow {
  readonly type: DeviceType
  readonly onlineStatus: OnlineStatus
  readonly devices: number
}

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
