import { type Event, EVENT_VERSION, type EventData } from "@edp/domain/events/Event"
import type { EventType } from "@edp/domain/events/EventType"

export interface EventRow {
  readonly id: string
  readonly sequence: number
  readonly workspaceId: string
  readonly type: EventType
  readonly createdAt: Date
  /** Null where it is told from a reading. */
  readonly payload: object | null
  /** The device and the time of that reading, whose id is the event's. */
  readonly deviceId: string | null
  readonly readingAt: Date | null
}

/** What a device was when it left its workspace. */
export type DepartedDevice = EventData["DEVICE_DISCONNECTED"]

/** The reading of an event that has no payload. */
export interface ToldReading {
  readonly id: string
  readonly deviceId: string
  readonly at: Date
  /** Null where it is not kept any more. */
  readonly state: object | null
  /** Null while the device is the workspace's. */
  readonly departed: DepartedDevice | null
}

export const toEvent = ({ id, sequence, type, createdAt, workspaceId }: EventRow, data: object): Event =>
  ({
    id,
    sequence,
    type,
    version: EVENT_VERSION,
    timestamp: createdAt.toISOString(),
    workspaceId,
    data
  }) as Event
