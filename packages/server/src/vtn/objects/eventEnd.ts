import { durationMillis } from "@edp/domain/openadr/durations"
import { eventSpan } from "@edp/domain/openadr/intervalTimes"
import type { EventRequest } from "@edp/domain/openadr/OpenAdrObjects"

const hasTime = ({ duration, intervalPeriod, intervals }: EventRequest) =>
  duration !== undefined || [intervalPeriod, ...(intervals ?? []).map((each) => each.intervalPeriod)].some(Boolean)

/**
 * When an event has transpired, for the filter `active`: the end of its last interval, and of its period if it has no intervals, as late as
 * VENs may begin it at random. Null for an event without an end, and for one that states no time at all.
 */
export const eventEnd = (event: EventRequest, now: number): Date | null => {
  if (!hasTime(event)) return null
  const intervals = event.intervals?.length ? event.intervals : [{ id: 0, payloads: [] }]
  const span = eventSpan({ ...event, intervals }, now)
  if (span === undefined || span.end === null) return null
  const end = span.end + (durationMillis(event.intervalPeriod?.randomizeStart ?? "PT0S") ?? 0)
  return new Date(Math.min(end, 8_640_000_000_000_000))
}
