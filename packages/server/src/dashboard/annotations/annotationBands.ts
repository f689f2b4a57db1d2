import type { Annotation } from "@edp/domain/dashboard/Annotation"
import { type DispatchInterval, DispatchStatus, ParticipantState } from "@edp/domain/dispatches/Dispatch"
import { JsonColumn } from "../../platform/sql/rows.ts"
import { Schema } from "effect"

/** Milliseconds since 1970. */
export interface Span {
  readonly from: number
  readonly to: number
}

const iso = (at: number) => new Date(at).toISOString()

const MINUTE = 60_000

/** The changes of a zone's clocks after the start of a span and before its end. */
export const clockChanges = ({ from, to }: Span, timezone: string): ReadonlyArray<Annotation> => {
  const found: Array<Annotation> = []
  let zoned = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timezone)
  for (;;) {
    const next = zoned.getTimeZoneTransition("next")
    if (next === null || next.epochMilliseconds >= to) return found
    const at = iso(next.epochMilliseconds)
    const minutes = ({ offsetNanoseconds }: Temporal.ZonedDateTime) => Math.round(offsetNanoseconds / 1e6 / MINUTE)
    const [offsetBefore, offsetAfter] = [minutes(next.subtract({ nanoseconds: 1 })), minutes(next)]
    // Some transitions change the zone's abbreviation alone.
    if (offsetBefore !== offsetAfter) {
      found.push({ kind: "clock_change", from: at, to: at, timezone, offsetBefore, offsetAfter })
    }
    zoned = next
  }
}

/** The part of a site, and maybe of a device, in a dispatch. */
export const DispatchRow = Schema.Struct({
  dispatchId: Schema.String,
  programInstanceId: Schema.String,
  name: Schema.String,
  intervals: Schema.Array(JsonColumn<DispatchInterval>()),
  test: Schema.Boolean,
  voluntary: Schema.Boolean,
  status: DispatchStatus,
  participant: ParticipantState,
  heldOut: Schema.Boolean,
  /** With the random delay; null before the dispatch has begun. */
  startsAt: Schema.NullOr(Schema.Date),
  /** When the site opted out, or the dispatch was cancelled. */
  endedAt: Schema.NullOr(Schema.Date),
  deviceTookPart: Schema.NullOr(Schema.Boolean)
})
export type DispatchRow = typeof DispatchRow.Type

/** A band for each interval that overlaps the span, as far as the site took part in it. */
export const dispatchBands = (row: DispatchRow, { from, to }: Span): ReadonlyArray<Annotation> => {
  const { endedAt, intervals, startsAt, ...facts } = row
  return intervals.flatMap((interval, index) => {
    const planned = Date.parse(interval.startsAt)
    const begin = Math.max(planned, startsAt?.getTime() ?? planned)
    const end = Math.min(planned + interval.durationSeconds * 1000, endedAt?.getTime() ?? Number.POSITIVE_INFINITY)
    if (begin >= end || begin >= to || end <= from) return []
    return [
      {
        kind: "dispatch" as const,
        ...facts,
        from: iso(begin),
        to: iso(end),
        interval: index + 1,
        intervals: intervals.length
      }
    ]
  })
}

/** In order of their start; of those, outages first. */
export const inOrder = (annotations: ReadonlyArray<Annotation>): ReadonlyArray<Annotation> =>
  annotations.toSorted((a, b) => a.from.localeCompare(b.from, "en") || b.kind.localeCompare(a.kind, "en"))
