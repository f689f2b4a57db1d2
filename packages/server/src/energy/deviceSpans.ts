import { LONGEST_GAP, type Measured } from "./deviceIntervals.ts"
import { QUARTER, type Span, quarterIndex } from "./intervals.ts"
import { type EnergyReading, type FieldSet, type PairedField, fieldBit, carries, pairedFields } from "./quantities.ts"

/** A device's span that remains to be computed. */
export interface DeviceSpan extends Measured, Span {
  readonly deviceId: string
  /** Fields that readings outside the span may carry; no others are searched for. */
  readonly fields: FieldSet
}

/**
 * The end of the part of the span that can be computed from the loaded readings, at most `limit` of them: a quarter's beginning, so
 * that each quarter is computed at once. Undefined when they do not reach the end of the first quarter.
 */
export const findReach = ({ from, to }: Span, readings: ReadonlyArray<EnergyReading>, limit: number) => {
  const within = readings.filter(({ at }) => at >= from && at < to)
  if (within.length < limit) return to
  const until = quarterIndex(within.at(-1)!.at) * QUARTER
  return until > from ? until : undefined
}

/** The end of the first quarter of a span. */
export const firstQuarterEnd = ({ from, to }: Span) => Math.min(to, (quarterIndex(from) + 1) * QUARTER)

/** A field that no loaded reading carries on one side of a span, and where the search for one ends. */
export interface Missing extends PairedField {
  readonly bound: number
}

const lacking = (span: DeviceSpan, side: ReadonlyArray<EnergyReading>, among: FieldSet, near: number, far: number) =>
  side.length === 0
    ? []
    : pairedFields(span.type)
        .filter(({ field }) => (among & fieldBit(field)) !== 0 && !side.some((reading) => carries(reading, field)))
        .map(({ field, isCounter }): Missing => ({ field, isCounter, bound: isCounter ? far : near }))

/** The known fields that the loaded readings before a span lack. */
export const missingBefore = (span: DeviceSpan, readings: ReadonlyArray<EnergyReading>) =>
  lacking(
    span,
    readings.filter(({ at }) => at < span.from),
    span.fields,
    span.from - LONGEST_GAP,
    Number.NEGATIVE_INFINITY
  )

/** The fields that the loaded readings after a span lack, of those that an earlier reading carries. */
export const missingAfter = (span: DeviceSpan, readings: ReadonlyArray<EnergyReading>, carried: FieldSet) =>
  lacking(
    span,
    readings.filter(({ at }) => at >= span.to),
    carried,
    span.to + LONGEST_GAP,
    Number.POSITIVE_INFINITY
  )

/** A change of the readings from one instant through another, with the readings next to it. */
export interface Change extends Span {
  /** Exclusive. */
  readonly to: number
  readonly before: EnergyReading | undefined
  readonly after: EnergyReading | undefined
}

/** A field that a neighbour of a change lacks: the times of the nearest readings with it, within the change and beyond the neighbour. */
export interface Reached extends Pick<Missing, "isCounter"> {
  readonly within: number
  readonly beyond: number
}

const isReached = ({ isCounter, within, beyond }: Reached) => isCounter || Math.abs(within - beyond) <= LONGEST_GAP

/**
 * The quarters whose figures a change of the readings can alter: from the reading before it to the one after, and as
 * far as its fields are paired with readings beyond these.
 */
export const changedSpan = ({ from, to, before, after }: Change, reached: ReadonlyArray<Reached>): Span => {
  const far = reached.filter(isReached).map(({ beyond }) => beyond)
  // The energy of a device's first reading lies in the moment before it.
  const first = Math.min(from - 1, before?.at ?? from, ...far)
  const last = Math.max(to, after?.at ?? to, ...far)
  return { from: quarterIndex(first) * QUARTER, to: Math.ceil(last / QUARTER) * QUARTER }
}
