import type { ComputedCells } from "./dayRows.ts"
import { deviceCells, type Measured } from "../energy/deviceCells.ts"
import { carriedBy, type FieldSet } from "../energy/energyFields.ts"
import { QUARTER, quarterOf, type Span } from "../energy/quarterCells.ts"
import { rolledQuarters, type RollState } from "./rollState.ts"
import type { EnergyReading } from "../energy/timeline.ts"

export interface Grown extends RollState, Measured {
  readonly deviceId: string
  /** The newest reading that is to be considered. */
  readonly newest: number
}

/** What is rolled up next of a device. */
export interface TailCells extends ComputedCells {
  /** The newest reading that is then rolled up. */
  readonly rolledUntil: number
  /** The fields of the readings that decided it. */
  readonly fields: FieldSet
}

const firstOf = ({ firstAt, rolledUntil }: RollState) => (rolledUntil === null ? firstAt : rolledUntil + 1)

/**
 * The readings, from the quarter of an hour of the last one that is rolled up, of a device to which only newer ones have
 * come; undefined where others have come, or their neighbours may be gone.
 */
export const tailOf = (device: Grown): Span | undefined => {
  const first = firstOf(device)
  if (device.stale.length > 0 || first > device.newest) return undefined
  const from = quarterOf(first - 1) * QUARTER
  return device.frozenUntil !== null && device.frozenUntil > from ? undefined : { from, to: device.newest + 1 }
}

/**
 * The figures that new readings at the end of a device's history make, given the readings of its tail, at most `limit` of
 * them, and the one before. Undefined where more must be known: a reading that lacks a field leaves open what the one
 * before it counts together with.
 */
export const tailCells = (
  device: Grown,
  tail: Span,
  found: ReadonlyArray<EnergyReading>,
  limit: number
): TailCells | undefined => {
  const { deviceId, rolledUntil, type } = device
  const readings = found.filter(({ at }) => at < tail.to)
  const within = readings.filter(({ at }) => at >= tail.from)
  const first = firstOf(device)
  const earlier = within.filter(({ at }) => at < first)
  const added = within.filter(({ at }) => at >= first)
  if (added.length === 0) return undefined
  // The reading that was rolled up last is gone, or there is one before the first.
  if (rolledUntil === null ? readings.length > within.length : earlier.length === 0) return undefined
  const fields = carriedBy(type, readings)
  const known = device.fields | fields
  if (readings.some((reading) => carriedBy(type, [reading]) !== known)) return undefined
  const last = within.length < limit ? device.newest : added.at(-1)!.at
  const span = { from: tail.from, to: Math.max(tail.from, rolledQuarters(last)) }
  return { deviceId, span, cells: deviceCells(device, readings, span), rolledUntil: last, fields }
}
