import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { counterStep, micro, ramp } from "./steps.ts"
import { type IntervalWriter, type Intervals, type Span, intervalWriter } from "./intervals.ts"
import { type EnergyReading, type Quantity, type Source, chargeFieldByType, sourcesByType } from "./quantities.ts"

/** The states of the time between two readings. */
const UNKNOWN = 0
const KNOWN = 1
/** An impossible value was reported for it. */
const REFUSED = 2

/** Two readings by index: both carry a field, and no reading between them does. */
export type Pair = (from: number, to: number, first: number, last: number) => void

/** Readings in the order of time, with the state of the times between them. */
const makeTimeline = (readings: ReadonlyArray<EnergyReading>) => {
  const known = new Uint8Array(readings.length)
  const number = (index: number, field: string) => {
    const value = readings[index]!.state[field]
    return typeof value === "number" ? value : undefined
  }
  return {
    length: readings.length,
    at: (index: number) => readings[index]!.at,
    number,
    isApart: (index: number) => readings[index]!.apart === true,
    /** Whether the previous reading in the list is the previous one that the device sent. */
    follows: (index: number) => index > 0 && readings[index]!.apart !== true && readings[index - 1]!.apart !== true,
    known: (index: number) => known[index],
    mark: (from: number, to: number, as: number) => void known.fill(as, from + 1, to + 1),
    pairs: (field: string, visit: Pair) => {
      let before = -1
      let first = 0
      for (let index = 0; index < readings.length; index++) {
        const value = number(index, field)
        if (value === undefined) continue
        if (before >= 0) visit(before, index, first, value)
        before = index
        first = value
      }
    }
  }
}

type Timeline = ReturnType<typeof makeTimeline>

/** The longest gap between two readings that counts as covered: 90 minutes. */
export const LONGEST_GAP = 90 * 60_000

export interface Measured {
  readonly type: DeviceType
  /** W, where it is known. */
  readonly ratedPower: number | undefined
}

const addCounter = (line: Timeline, field: string, ratedPower: number | undefined, out: IntervalWriter) =>
  line.pairs(field, (from, to, first, last) => {
    const start = line.at(from)
    const end = line.at(to)
    const step = counterStep(first, last, end - start, ratedPower)
    if (step !== undefined) out.spread(start, end, step)
    line.mark(from, to, step === undefined ? REFUSED : KNOWN)
  })

const addSince = (line: Timeline, field: string, out: IntervalWriter) => {
  for (let index = 0; index < line.length; index++) {
    const value = line.number(index, field)
    if (value === undefined || line.known(index) !== UNKNOWN || line.isApart(index)) continue
    const amount = micro(value)
    line.mark(index - 1, index, amount === undefined ? REFUSED : KNOWN)
    if (amount === undefined) continue
    if (line.follows(index)) out.spread(line.at(index - 1), line.at(index), amount)
    // The period of a device's first reading is unknown.
    else out.before(line.at(index), amount)
  }
}

const addPower = (line: Timeline, { field, part }: NonNullable<Source["power"]>, out: IntervalWriter) =>
  line.pairs(field, (from, to, first, last) => {
    const start = line.at(from)
    const length = line.at(to) - start
    if (length > LONGEST_GAP) return
    const powerAt = (at: number) => first + (last - first) * ((at - start) / length)
    for (let index = from + 1; index <= to; index++) {
      if (line.known(index) !== UNKNOWN) continue
      const begin = line.at(index - 1)
      const end = line.at(index)
      const energy = ramp(part, powerAt(begin), powerAt(end), end - begin)
      if (energy !== undefined) out.lay(begin, end, energy)
      line.mark(index - 1, index, energy === undefined ? REFUSED : KNOWN)
    }
  })

const addCoverage = (line: Timeline, out: IntervalWriter) => {
  for (let index = 1; index < line.length; index++) {
    if (line.known(index) !== KNOWN || !line.follows(index)) continue
    if (line.at(index) - line.at(index - 1) <= LONGEST_GAP) out.cover(line.at(index - 1), line.at(index))
  }
}

const energyIntervals = (source: Source, line: Timeline, ratedPower: number | undefined, span: Span): Intervals => {
  const out = intervalWriter(span)
  if (source.counter !== undefined) addCounter(line, source.counter, ratedPower, out)
  if (source.since !== undefined) addSince(line, source.since, out)
  if (source.power !== undefined) addPower(line, source.power, out)
  addCoverage(line, out)
  return out.intervals
}

const chargeIntervals = (line: Timeline, field: string, span: Span): Intervals => {
  const out = intervalWriter(span, Number.NaN)
  for (let index = 0; index < line.length; index++) {
    const value = line.number(index, field)
    const amount = value === undefined ? undefined : micro(value)
    if (amount !== undefined) out.set(line.at(index), amount)
  }
  line.pairs(field, (from, to) => {
    if (line.at(to) - line.at(from) <= LONGEST_GAP) out.cover(line.at(from), line.at(to))
  })
  return out.intervals
}

const carries = (readings: ReadonlyArray<EnergyReading>, field: string | undefined) =>
  field !== undefined && readings.some(({ state }) => typeof state[field] === "number")

/**
 * A device's energies in each quarter of a span. All figures, over an hour or a year, come from this computation.
 *
 * `readings` are those of the span in the order of time, the one before and the one after it, and for each field that
 * these lack the nearest one beyond them that carries it, marked as apart. A quarter's figures do not depend on where
 * the span begins and ends, as long as the span includes the whole quarter.
 */
export const deviceIntervals = (
  { type, ratedPower }: Measured,
  readings: ReadonlyArray<EnergyReading>,
  span: Span
): ReadonlyMap<Quantity, Intervals> => {
  const reported = sourcesByType[type].filter(({ counter, since, power }) =>
    [counter, since, power?.field].some((field) => carries(readings, field))
  )
  const found = new Map<Quantity, Intervals>(
    reported.map((source) => [source.quantity, energyIntervals(source, makeTimeline(readings), ratedPower, span)])
  )
  const charge = chargeFieldByType[type]
  if (charge !== undefined && carries(readings, charge)) {
    found.set("charge", chargeIntervals(makeTimeline(readings), charge, span))
  }
  return found
}
