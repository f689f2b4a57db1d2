import { type Event, EVENT_VERSION } from "@edp/domain/events/Event"
import type { EventType } from "@edp/domain/events/EventType"

export interface EventRow {
  readonly id: string
  readonly sequence: number
  readonly workspaceId: string
  readonly type: EventType
  readonly createdAt: Date
  readonly payload: object
}

export const toEvent = ({ id, sequence, type, createdAt, workspaceId, payload }: EventRow): Event =>
  ({
    id,
    sequence,
    type,
    version: EVENT_VERSION,
    timestamp: createdAt.toISOString(),
    workspaceId,
    data: payload
  }) as Event
