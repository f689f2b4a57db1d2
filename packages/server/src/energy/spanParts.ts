import { LONGEST_GAP, type Measured } from "./deviceCells.ts"
import { bitOf, carries, type FieldSet, type PairedField, pairedFieldsOf } from "./energyFields.ts"
import { QUARTER, quarterOf, type Span } from "./quarterCells.ts"
import type { EnergyReading } from "./timeline.ts"

/** A device's span that is to be computed, or what is left of it. */
export interface DeviceSpan extends Measured, Span {
  readonly deviceId: string
  /** Fields that readings outside of the span may have: others are not looked for there. */
  readonly fields: FieldSet
}

/**
 * How far the span can be computed with the readings that were read, at most `limit` of it: up to a quarter's begin, so
 * that each quarter is computed in one go. Undefined where they don't even reach to the end of one quarter.
 */
export const reachOf = ({ from, to }: Span, readings: ReadonlyArray<EnergyReading>, limit: number) => {
  const within = readings.filter(({ at }) => at >= from && at < to)
  if (within.length < limit) return to
  const until = quarterOf(within.at(-1)!.at) * QUARTER
  return until > from ? until : undefined
}

/** The end of the first quarter of a span. */
export const firstQuarterEnd = ({ from, to }: Span) => Math.min(to, (quarterOf(from) + 1) * QUARTER)

/** A field that no reading has on one side of a span, and where the search for one ends. */
export interface Missing extends PairedField {
  readonly bound: number
}

const lacking = (span: DeviceSpan, side: ReadonlyArray<EnergyReading>, among: FieldSet, near: number, far: number) =>
  side.length === 0
    ? []
    : pairedFieldsOf(span.type)
        .filter(({ field }) => (among & bitOf(field)) !== 0 && !side.some((reading) => carries(reading, field)))
        .map(({ field, isCounter }): Missing => ({ field, isCounter, bound: isCounter ? far : near }))

/** What is looked for before a span, given some readings before it: a field of those that are known. */
export const missingBefore = (span: DeviceSpan, readings: ReadonlyArray<EnergyReading>) =>
  lacking(
    span,
    readings.filter(({ at }) => at < span.from),
    span.fields,
    span.from - LONGEST_GAP,
    Number.NEGATIVE_INFINITY
  )

/** What is looked for after a span: a field counts only where some reading before has it, too. */
export const missingAfter = (span: DeviceSpan, readings: ReadonlyArray<EnergyReading>, carried: FieldSet) =>
  lacking(
    span,
    readings.filter(({ at }) => at >= span.to),
    carried,
    span.to + LONGEST_GAP,
    Number.POSITIVE_INFINITY
  )
