import { type Intervals, QUARTER, type Span, toAmount, quarterIndex } from "../energy/intervals.ts"
import { type Quantity, quantities } from "../energy/quantities.ts"
import { Schema } from "effect"

/** Quarters of an hour of a day. */
export const QUARTERS = 96
export const DAY = QUARTERS * QUARTER

/** The UTC day of an instant, in days since 1970. */
export const dayIndex = (at: number) => Math.floor(at / DAY)

/** A stored day of a device's quantity: sums since the day's beginning, one per quarter of an hour. */
export const DayRow = Schema.Struct({
  deviceId: Schema.String,
  quantity: Schema.Finite,
  day: Schema.Finite,
  /** µWh; for a charge the latest so far. */
  amounts: Schema.Array(Schema.NullOr(Schema.BigInt)),
  /** Milliseconds. */
  covered: Schema.Array(Schema.Finite),
  /** For a charge, the quarters in which it was reported. */
  latest: Schema.NullOr(Schema.Array(Schema.NullOr(Schema.Finite)))
})
export type DayRow = typeof DayRow.Type

/** Days of one quantity of a device, in days since 1970, both included. */
export interface WantedDays {
  readonly deviceId: string
  readonly quantity: number
  readonly first: number
  readonly last: number
}

/** A position within a day, in quarters of an hour after its beginning. */
export interface Cut {
  readonly day: number
  readonly quarters: number
}

/** The sums of days, one after the other. */
export interface DayFigures {
  readonly amounts: ReadonlyArray<bigint | null>
  readonly covered: ReadonlyArray<number | null>
  /** For a charge. */
  readonly latest: ReadonlyArray<number | null> | undefined
}

/** Days of a device's quantity: the sums of each day and, where days are cut, of the part before the cut. */
export interface CutDays {
  readonly deviceId: string
  readonly quantity: number
  readonly days: ReadonlyArray<number>
  readonly whole: DayFigures
  readonly before: DayFigures | undefined
}

/** The amounts of a day's quarters, not summed; null where no charge was reported. */
interface DayIntervals {
  readonly amounts: Array<bigint | null>
  readonly covered: Array<number>
}

// Copied: to make them takes a hundred times as long.
const noAmounts: ReadonlyArray<bigint> = Array.from({ length: QUARTERS }, () => 0n)
const noCharges: ReadonlyArray<null> = Array.from({ length: QUARTERS }, () => null)
const noTimes: ReadonlyArray<number> = Array.from({ length: QUARTERS }, () => 0)

const emptyIntervals = (isCharge: boolean): DayIntervals => ({
  amounts: [...(isCharge ? noCharges : noAmounts)],
  covered: [...noTimes]
})

const unroll = (row: DayRow | undefined, isCharge: boolean): DayIntervals => {
  const intervals = emptyIntervals(isCharge)
  if (row === undefined) return intervals
  const { amounts, covered, latest } = row
  for (let index = 0; index < covered.length; index++) {
    const amount = amounts[index]!
    intervals.covered[index] = covered[index]! - (index === 0 ? 0 : covered[index - 1]!)
    if (!isCharge) intervals.amounts[index] = amount - (index === 0 ? 0n : amounts[index - 1]!)
    else if (latest![index] === index) intervals.amounts[index] = amount
  }
  return intervals
}

/** Replaces a day's quarters by those of a span. */
const overlay = (
  day: DayIntervals,
  dayStart: number,
  intervals: Intervals | undefined,
  span: Span,
  isCharge: boolean
) => {
  const first = quarterIndex(span.from)
  const start = quarterIndex(dayStart)
  const [from, to] = [Math.max(first, start), Math.min(quarterIndex(span.to), start + QUARTERS)]
  for (let quarter = from; quarter < to; quarter++) {
    const amount = toAmount(intervals?.amounts[quarter - first] ?? Number.NaN)
    day.amounts[quarter - start] = isCharge ? amount : (amount ?? 0n)
    day.covered[quarter - start] = intervals?.covered[quarter - first] ?? 0
  }
}

const rollCharge = (amounts: ReadonlyArray<bigint | null>) => {
  let index: number | null = null
  const latest = amounts.map((amount, at) => (index = amount === null ? index : at))
  return { amounts: latest.map((at) => (at === null ? null : amounts[at]!)), latest }
}

const runningTimes = (values: ReadonlyArray<number>) => {
  let sum = 0
  return values.map((value) => (sum += value))
}

const runningAmounts = (values: ReadonlyArray<bigint>) => {
  let sum = 0n
  return values.map((value) => (sum += value))
}

/** The number of elements after which nothing changes. */
const trimmedLength = (amounts: ReadonlyArray<bigint | null>, covered: ReadonlyArray<number>) => {
  let length = QUARTERS
  while (length > 1 && amounts[length - 1] === amounts[length - 2] && covered[length - 1] === covered[length - 2])
    length--
  return length === 1 && (amounts[0] === null || amounts[0] === 0n) && covered[0] === 0 ? 0 : length
}

const rollUp = ({ amounts: each, covered: times }: DayIntervals, isCharge: boolean) => {
  const covered = runningTimes(times)
  const { amounts, latest } = isCharge
    ? rollCharge(each)
    : { amounts: runningAmounts(each as ReadonlyArray<bigint>), latest: null }
  const length = trimmedLength(amounts, covered)
  return {
    amounts: amounts.slice(0, length),
    covered: covered.slice(0, length),
    latest: latest === null ? null : latest.slice(0, length)
  }
}

export interface ComputedIntervals {
  readonly deviceId: string
  /** Whole quarters. */
  readonly span: Span
  readonly intervals: ReadonlyMap<Quantity, Intervals>
}

/** The days of a span after its intervals are stored, given the stored days at its ends. */
export const dayRows = (
  { deviceId, span, intervals }: ComputedIntervals,
  reported: ReadonlyArray<Quantity>,
  stored: (quantity: number, day: number) => DayRow | undefined
): ReadonlyArray<DayRow> =>
  reported.flatMap((name) => {
    const quantity = quantities.indexOf(name)
    const isCharge = name === "charge"
    const rows: Array<DayRow> = []
    for (let day = dayIndex(span.from); day <= dayIndex(span.to - 1); day++) {
      const before = stored(quantity, day)
      if (before === undefined && !intervals.has(name)) continue
      const whole = unroll(before, isCharge)
      overlay(whole, day * DAY, intervals.get(name), span, isCharge)
      const row = rollUp(whole, isCharge)
      if (before !== undefined || row.covered.length > 0) rows.push({ deviceId, quantity, day, ...row })
    }
    return rows
  })

const intersect = (one: Span, other: Span): Span => ({
  from: Math.max(one.from, other.from),
  to: Math.min(one.to, other.to)
})

const isEmpty = ({ from, to }: Span) => from >= to

/** The union of spans, ascending. */
export const merged = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> =>
  spans
    .filter((span) => !isEmpty(span))
    .toSorted((one, other) => one.from - other.from)
    .reduce<ReadonlyArray<Span>>((done, span) => {
      const last = done.at(-1)
      if (last === undefined || span.from > last.to) return [...done, span]
      return [...done.slice(0, -1), { from: last.from, to: Math.max(last.to, span.to) }]
    }, [])

/** The parts of a span outside ascending others. */
const without = (span: Span, others: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const starts = [span.from, ...others.map(({ to }) => to)]
  const ends = [...others.map(({ from }) => from), span.to]
  return starts.map((from, index) => intersect({ from, to: ends[index]! }, span)).filter((part) => !isEmpty(part))
}

export interface RolledRange {
  /** The end of the whole quarters in the rollups; -Infinity without any. */
  readonly quartersUntil: number
  readonly sealedUntil: number | null
  /** The device's newest reading. */
  readonly newest: number
  /** The quarters that unrolled readings alter. */
  readonly altered: ReadonlyArray<Span>
}

/** The parts of a span that must be computed from readings. */
export const rawSpans = (
  asked: Span,
  { quartersUntil, sealedUntil, newest, altered }: RolledRange
): ReadonlyArray<Span> => {
  const firstQuarter = Math.ceil(asked.from / QUARTER) * QUARTER
  const lastQuarter = quarterIndex(asked.to) * QUARTER
  const spans = [
    ...altered,
    { from: quartersUntil, to: Number.POSITIVE_INFINITY },
    { from: asked.from, to: firstQuarter },
    { from: lastQuarter, to: asked.to }
  ]
  const reported = { from: Math.max(asked.from, sealedUntil ?? asked.from), to: Math.min(asked.to, newest + 1) }
  return merged(spans.map((span) => intersect(span, reported)))
}

/** The parts of a span that the rollups response, given those computed from readings. */
export const rolledSpans = (
  asked: Span,
  { quartersUntil, sealedUntil }: RolledRange,
  raw: ReadonlyArray<Span>
): ReadonlyArray<Span> => {
  const held = { from: Number.NEGATIVE_INFINITY, to: Math.max(quartersUntil, sealedUntil ?? quartersUntil) }
  return without(intersect(asked, held), raw)
}

/** The bounds within days, by day; undefined when a day has several. */
export const findCuts = (bounds: ReadonlyArray<number>): ReadonlyMap<number, number> | undefined => {
  const cuts = new Map<number, number>()
  for (const at of bounds.slice(1, -1)) {
    if (at % DAY === 0) continue
    if (cuts.has(dayIndex(at))) return undefined
    cuts.set(dayIndex(at), (at % DAY) / QUARTER)
  }
  return cuts
}
