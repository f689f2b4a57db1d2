import { type EventType, eventTypes } from "@edp/domain/events/EventType"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"

export interface EventQuery {
  readonly type?: ReadonlyArray<EventType>
  readonly deviceId?: ReadonlyArray<string>
  readonly siteId?: ReadonlyArray<string>
  readonly from?: string
  readonly to?: string
}

/** What is asked for of a workspace's events. */
export interface EventSelection {
  readonly workspaceId: string
  /** Undefined for any. */
  readonly types: ReadonlyArray<EventType> | undefined
  readonly deviceIds: ReadonlyArray<string> | undefined
  readonly siteIds: ReadonlyArray<string> | undefined
  /** Milliseconds since 1970. */
  readonly from: number | undefined
  readonly to: number | undefined
}

const instant = (text: string | undefined) => (text === undefined ? undefined : parseTimestamp(text))

const distinct = (types: ReadonlyArray<EventType> | undefined) => {
  const wanted = new Set(types)
  return types === undefined || wanted.size === eventTypes.length ? undefined : [...wanted]
}

export const eventSelection = (workspaceId: string, query: EventQuery): EventSelection => ({
  workspaceId,
  types: distinct(query.type),
  deviceIds: query.deviceId,
  siteIds: query.siteId,
  from: instant(query.from),
  to: instant(query.to)
})
