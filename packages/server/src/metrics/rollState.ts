import { type Measured, deviceIntervals } from "../energy/deviceIntervals.ts"
import { QUARTER, type Span, quarterIndex } from "../energy/intervals.ts"
import { type EnergyReading, type FieldSet, carriedBy } from "../energy/quantities.ts"
import { type ComputedIntervals, DAY, dayIndex } from "./storedDays.ts"
import { Schema } from "effect"

/** The progress of a device's rollups; times in milliseconds since 1970. */
export const RollState = Schema.Struct({
  firstAt: Schema.Finite,
  /** The newest reading in the rollups; null while there are none. */
  watermark: Schema.NullOr(Schema.Finite),
  /** The readings before are dropped: only the rollups remain. */
  sealedUntil: Schema.NullOr(Schema.Finite),
  /** Ranges of readings before the watermark that are not in the rollups, ascending; both ends are readings. */
  invalidated: Schema.Array(Schema.Tuple([Schema.Finite, Schema.Finite])),
  /** The fields of the readings in the rollups. */
  fields: Schema.Finite
})
export type RollState = typeof RollState.Type

/** Days before this instant are long over: sums of fleets are kept of them. */
export const longOverUntil = (now: number) => (dayIndex(now) - 3) * DAY

/** Ranges at most this far apart are rolled up together, milliseconds. */
const NEAR = 6 * 3_600_000

/** The spans of readings, through the newest, that are not in the rollups. */
export const unrolledSpans = (state: RollState, newest: number): ReadonlyArray<Span> => {
  const from = state.watermark === null ? state.firstAt : state.watermark + 1
  const pieces = [
    ...state.invalidated.map(([first, last]) => ({ from: first, to: last + 1 })),
    { from, to: newest + 1 }
  ]
  const floor = state.sealedUntil ?? Number.NEGATIVE_INFINITY
  return pieces
    .map((piece) => ({ ...piece, from: Math.max(piece.from, floor) }))
    .filter((piece) => piece.from < piece.to)
}

/** The next span to roll up: the earliest one, with those near to it. */
export const nextSpan = (spans: ReadonlyArray<Span>): Span | undefined =>
  spans
    .toSorted((one, other) => one.from - other.from)
    .reduce<Span | undefined>((span, piece) => {
      if (span === undefined) return piece
      return piece.from - span.to > NEAR ? span : { from: span.from, to: Math.max(span.to, piece.to) }
    }, undefined)

/** The end of the whole quarters in the rollups. */
export const rolledQuarters = (watermark: number | null) =>
  watermark === null ? Number.NEGATIVE_INFINITY : quarterIndex(watermark) * QUARTER

export interface Grown extends RollState, Measured {
  readonly deviceId: string
  /** The newest reading that counts. */
  readonly newest: number
}

/** The next part of a device's tail to roll up. */
export interface TailIntervals extends ComputedIntervals {
  /** The watermark after it. */
  readonly watermark: number
  /** The fields of the readings that it was computed from. */
  readonly fields: FieldSet
}

const firstUnrolled = ({ firstAt, watermark }: RollState) => (watermark === null ? firstAt : watermark + 1)

/**
 * The incremental tail: the readings from the quarter of the watermark on, if only newer ones have arrived since.
 * Undefined if others have arrived, or if their neighbours may be dropped.
 */
export const incrementalTail = (device: Grown): Span | undefined => {
  const first = firstUnrolled(device)
  if (device.invalidated.length > 0 || first > device.newest) return undefined
  const from = quarterIndex(first - 1) * QUARTER
  return device.sealedUntil !== null && device.sealedUntil > from ? undefined : { from, to: device.newest + 1 }
}

/**
 * The intervals of a tail, given its readings, at most `limit` of them, and the one before. Undefined if more readings are
 * needed: when a reading lacks a field, the reading that the field of the next one is paired with lies
 * further back.
 */
export const tailIntervals = (
  device: Grown,
  tail: Span,
  found: ReadonlyArray<EnergyReading>,
  limit: number
): TailIntervals | undefined => {
  const { deviceId, watermark, type } = device
  const readings = found.filter(({ at }) => at < tail.to)
  const within = readings.filter(({ at }) => at >= tail.from)
  const first = firstUnrolled(device)
  const earlier = within.filter(({ at }) => at < first)
  const added = within.filter(({ at }) => at >= first)
  if (added.length === 0) return undefined
  // The reading at the watermark was dropped, or there is one before the first.
  if (watermark === null ? readings.length > within.length : earlier.length === 0) return undefined
  const fields = carriedBy(type, readings)
  const known = device.fields | fields
  if (readings.some((reading) => carriedBy(type, [reading]) !== known)) return undefined
  const last = within.length < limit ? device.newest : added.at(-1)!.at
  const span = { from: tail.from, to: Math.max(tail.from, rolledQuarters(last)) }
  return { deviceId, span, intervals: deviceIntervals(device, readings, span), watermark: last, fields }
}
