import type { Portion } from "../energy/buckets.ts"
import { QUARTER, type Span } from "../energy/quarterCells.ts"
import { type CutDays, DAY, dayOf, type DayRow, QUARTERS } from "./storedDays.ts"

/** A day's figures from its beginning until a place in it. */
interface Place {
  readonly amount: bigint | null
  readonly covered: number
  readonly latest: number | null
}

/** Tells the place after so many quarters of an hour of a day; undefined where it can't tell. */
type Day = (quarters: number) => Place | undefined

const nothing: Place = { amount: null, covered: 0, latest: null }

const ofRow =
  ({ amounts, covered, latest }: DayRow): Day =>
  (quarters) => {
    const at = Math.min(quarters, covered.length) - 1
    return at < 0 ? nothing : { amount: amounts[at]!, covered: covered[at]!, latest: latest?.[at] ?? null }
  }

const ofCut =
  ({ whole, before }: CutDays, place: number, cut: number | undefined): Day =>
  (quarters) => {
    const found = quarters === QUARTERS ? whole : quarters === cut ? before : undefined
    return (
      found && {
        amount: found.amounts[place]!,
        covered: found.covered[place] ?? 0,
        latest: found.latest?.[place] ?? null
      }
    )
  }

/** The days of a quantity of a device that are read, by the day. */
export type Days = Map<number, Day>

export const addRow = (days: Days, row: DayRow) => void days.set(row.day, ofRow(row))

/** Days that are there whole stay. */
export const addCutDays = (days: Days, cutDays: CutDays, cuts: ReadonlyMap<number, number>) => {
  for (const [place, day] of cutDays.days.entries()) {
    if (!days.has(day)) days.set(day, ofCut(cutDays, place, cuts.get(day)))
  }
}

const placeIn = (day: Day, quarters: number): Place => {
  if (quarters === 0) return nothing
  const place = day(Math.ceil(quarters))
  if (place === undefined) throw new Error("A place of a day that was not read")
  if (Number.isInteger(quarters)) return place
  // Only where the readings are gone that could tell.
  const before = placeIn(day, Math.floor(quarters))
  const share = quarters - Math.floor(quarters)
  const more = Number((place.amount ?? 0n) - (before.amount ?? 0n)) * share
  return {
    amount: place.latest === null ? (before.amount ?? 0n) + BigInt(Math.round(more)) : place.amount,
    covered: before.covered + Math.round((place.covered - before.covered) * share),
    latest: place.latest
  }
}

const ofDay = (day: number, from: number, to: number, places: Day, isCharge: boolean): Portion => {
  const [start, end] = [placeIn(places, from), placeIn(places, to)]
  const covered = end.covered - start.covered
  if (!isCharge) return { amount: (end.amount ?? 0n) - (start.amount ?? 0n), covered, quarter: 0 }
  const isIn = end.latest !== null && end.latest >= Math.floor(from)
  return { amount: isIn ? end.amount : null, covered, quarter: day * QUARTERS + (end.latest ?? 0) }
}

/** Visits what the rollups tell of ascending spans within the bounds of buckets, by the day and the bucket. */
export const eachPortion = (
  spans: ReadonlyArray<Span>,
  bounds: ReadonlyArray<number>,
  days: Days,
  isCharge: boolean,
  visit: (bucket: number, portion: Portion) => void
) => {
  let bucket = 0
  for (const { from, to } of spans) {
    for (let start = from; start < to;) {
      while (bounds[bucket + 1]! <= start) bucket++
      const day = dayOf(start)
      const midnight = day * DAY
      const end = Math.min(to, bounds[bucket + 1]!, midnight + DAY)
      const places = days.get(day)
      if (places !== undefined) {
        visit(bucket, ofDay(day, (start - midnight) / QUARTER, (end - midnight) / QUARTER, places, isCharge))
      }
      start = end
    }
  }
}
