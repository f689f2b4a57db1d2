import { Effect } from "effect"
import type { Portion } from "../energy/buckets.ts"
import { QUARTER, type Span } from "../energy/intervals.ts"
import { type Quantity, quantities } from "../energy/quantities.ts"
import { RollupDaysRepository } from "./RollupDaysRepository.ts"
import { type CutDays, DAY, type DayRow, QUARTERS, type WantedDays, findCuts, dayIndex } from "./storedDays.ts"

/** A day's sums from its beginning until a position in it. */
interface DayPosition {
  readonly amount: bigint | null
  readonly covered: number
  readonly latest: number | null
}

/** Returns the position after a number of quarters of an hour; undefined if it was not read. */
type Day = (quarters: number) => DayPosition | undefined

const nothing: DayPosition = { amount: null, covered: 0, latest: null }

const ofRow =
  ({ amounts, covered, latest }: DayRow): Day =>
  (quarters) => {
    const at = Math.min(quarters, covered.length) - 1
    return at < 0 ? nothing : { amount: amounts[at]!, covered: covered[at]!, latest: latest?.[at] ?? null }
  }

const ofCut =
  ({ whole, before }: CutDays, index: number, cut: number | undefined): Day =>
  (quarters) => {
    const found = quarters === QUARTERS ? whole : quarters === cut ? before : undefined
    return (
      found && {
        amount: found.amounts[index]!,
        covered: found.covered[index] ?? 0,
        latest: found.latest?.[index] ?? null
      }
    )
  }

/** The days of a device's quantity that were read. */
type Days = Map<number, Day>

const addRow = (days: Days, row: DayRow) => void days.set(row.day, ofRow(row))

/** Days that are already known in full are kept. */
const addCutDays = (days: Days, cutDays: CutDays, cuts: ReadonlyMap<number, number>) => {
  for (const [index, day] of cutDays.days.entries()) {
    if (!days.has(day)) days.set(day, ofCut(cutDays, index, cuts.get(day)))
  }
}

const positionIn = (day: Day, quarters: number): DayPosition => {
  if (quarters === 0) return nothing
  const position = day(Math.ceil(quarters))
  if (position === undefined) throw new Error("A position of a day that was not read")
  if (Number.isInteger(quarters)) return position
  // This only happens where the readings were dropped.
  const before = positionIn(day, Math.floor(quarters))
  const share = quarters - Math.floor(quarters)
  const more = Number((position.amount ?? 0n) - (before.amount ?? 0n)) * share
  return {
    amount: position.latest === null ? (before.amount ?? 0n) + BigInt(Math.round(more)) : position.amount,
    covered: before.covered + Math.round((position.covered - before.covered) * share),
    latest: position.latest
  }
}

const ofDay = (day: number, from: number, to: number, positions: Day, isCharge: boolean): Portion => {
  const [start, end] = [positionIn(positions, from), positionIn(positions, to)]
  const covered = end.covered - start.covered
  if (!isCharge) return { amount: (end.amount ?? 0n) - (start.amount ?? 0n), covered, quarter: 0 }
  const isIn = end.latest !== null && end.latest >= Math.floor(from)
  return { amount: isIn ? end.amount : null, covered, quarter: day * QUARTERS + (end.latest ?? 0) }
}

/** Visits the rollups of ascending spans within the bounds of buckets, by day and bucket. */
const eachPortion = (
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
      const day = dayIndex(start)
      const midnight = day * DAY
      const end = Math.min(to, bounds[bucket + 1]!, midnight + DAY)
      const positions = days.get(day)
      if (positions !== undefined) {
        visit(bucket, ofDay(day, (start - midnight) / QUARTER, (end - midnight) / QUARTER, positions, isCharge))
      }
      start = end
    }
  }
}

/** The spans that a device's rollups response, ascending and within the bounds of the buckets. */
export interface RolledDevice {
  readonly deviceId: string
  readonly quantities: ReadonlyArray<Quantity>
  readonly spans: ReadonlyArray<Span>
}

type Cuts = ReadonlyMap<number, number>
type Visit = (bucket: number, portion: Portion) => void

const toWantedDays = ({ deviceId, quantities: reported }: RolledDevice, first: number, last: number) =>
  reported.map((name): WantedDays => ({ deviceId, quantity: quantities.indexOf(name), first, last }))

const wantedSpans = (device: RolledDevice) => {
  const [first, last] = [device.spans[0], device.spans.at(-1)]
  return first === undefined || last === undefined
    ? []
    : toWantedDays(device, dayIndex(first.from), dayIndex(last.to - 1))
}

/** Days of which positions other than the cuts are needed, because a span begins or ends there. */
const oddDays = ({ spans }: RolledDevice, cuts: Cuts) =>
  new Set(
    spans
      .flatMap(({ from, to }) => [from, to])
      .filter((at) => at % DAY !== 0 && (at % DAY) / QUARTER !== cuts.get(dayIndex(at)))
      .map(dayIndex)
  )

const wantedOddDays = (device: RolledDevice, cuts: Cuts) =>
  Array.from(oddDays(device, cuts)).flatMap((day) => toWantedDays(device, day, day))

/** Reads rollups into buckets. */
export const RolledDays = Effect.gen(function* () {
  const repository = yield* RollupDaysRepository

  /** The days of the devices, in the detail that the buckets need. */
  const readDays = Effect.fnUntraced(function* (devices: ReadonlyArray<RolledDevice>, cuts: Cuts | undefined) {
    const found = new Map<string, Days>()
    const getDays = (deviceId: string, quantity: number) => {
      const key = `${deviceId} ${quantity}`
      const days = found.get(key) ?? new Map()
      found.set(key, days)
      return days
    }
    const whole = devices.flatMap((device) => (cuts === undefined ? wantedSpans(device) : wantedOddDays(device, cuts)))
    for (const row of whole.length === 0 ? [] : yield* repository.whole(whole)) {
      addRow(getDays(row.deviceId, row.quantity), row)
    }
    if (cuts === undefined) return getDays
    const wanted = devices.flatMap(wantedSpans)
    const positions = Array.from(cuts, ([day, quarters]) => ({ day, quarters }))
    for (const days of wanted.length === 0 ? [] : yield* repository.cut(wanted, positions)) {
      addCutDays(getDays(days.deviceId, days.quantity), days, cuts)
    }
    return getDays
  })

  const read = Effect.fnUntraced(function* (
    devices: ReadonlyArray<RolledDevice>,
    bounds: ReadonlyArray<number>,
    makeVisitor: (deviceId: string, quantity: Quantity) => Visit
  ) {
    const getDays = yield* readDays(devices, findCuts(bounds))
    for (const { deviceId, quantities: reported, spans } of devices) {
      for (const quantity of reported) {
        const days = getDays(deviceId, quantities.indexOf(quantity))
        if (days.size > 0) {
          eachPortion(spans, bounds, days, quantity === "charge", makeVisitor(deviceId, quantity))
        }
      }
    }
  })

  return { read: Effect.fn("RolledDays.read")(read) }
})
