import { type Event, EVENT_VERSION } from "@edp/domain/events/Event"
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

/** The reading of an event that has no payload. */
export interface ToldReading {
  readonly id: string
  readonly deviceId: string
  readonly at: Date
  readonly state: object
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
