import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { counterStep, micro } from "./counterStep.ts"
import { chargeFieldOf, type Quantity, type Source, sourcesOf } from "./quantities.ts"
import { type Cells, type CellWriter, cellWriter, type Span } from "./quarterCells.ts"
import { ramp } from "./ramp.ts"
import { type EnergyReading, KNOWN, REFUSED, type Timeline, timelineOf, UNKNOWN } from "./timeline.ts"

/** The longest time between two readings over which something is known: 90 minutes. */
export const LONGEST_GAP = 90 * 60_000

export interface Measured {
  readonly type: DeviceType
  /** W, where it is known. */
  readonly ratedPower: number | undefined
}

const addCounter = (line: Timeline, field: string, ratedPower: number | undefined, out: CellWriter) =>
  line.pairs(field, (from, to, first, last) => {
    const start = line.at(from)
    const end = line.at(to)
    const step = counterStep(first, last, end - start, ratedPower)
    if (step !== undefined) out.spread(start, end, step)
    line.mark(from, to, step === undefined ? REFUSED : KNOWN)
  })

const addSince = (line: Timeline, field: string, out: CellWriter) => {
  for (let index = 0; index < line.length; index++) {
    const value = line.number(index, field)
    if (value === undefined || line.known(index) !== UNKNOWN || line.isApart(index)) continue
    const amount = micro(value)
    line.mark(index - 1, index, amount === undefined ? REFUSED : KNOWN)
    if (amount === undefined) continue
    if (line.follows(index)) out.spread(line.at(index - 1), line.at(index), amount)
    // Since when it counts is not known of a device's first reading.
    else out.before(line.at(index), amount)
  }
}

const addPower = (line: Timeline, { field, part }: NonNullable<Source["power"]>, out: CellWriter) =>
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

const addCoverage = (line: Timeline, out: CellWriter) => {
  for (let index = 1; index < line.length; index++) {
    if (line.known(index) !== KNOWN || !line.follows(index)) continue
    if (line.at(index) - line.at(index - 1) <= LONGEST_GAP) out.cover(line.at(index - 1), line.at(index))
  }
}

const energyCells = (source: Source, line: Timeline, ratedPower: number | undefined, span: Span): Cells => {
  const out = cellWriter(span)
  if (source.counter !== undefined) addCounter(line, source.counter, ratedPower, out)
  if (source.since !== undefined) addSince(line, source.since, out)
  if (source.power !== undefined) addPower(line, source.power, out)
  addCoverage(line, out)
  return out.cells
}

const chargeCells = (line: Timeline, field: string, span: Span): Cells => {
  const out = cellWriter(span, Number.NaN)
  for (let index = 0; index < line.length; index++) {
    const value = line.number(index, field)
    const amount = value === undefined ? undefined : micro(value)
    if (amount !== undefined) out.set(line.at(index), amount)
  }
  line.pairs(field, (from, to) => {
    if (line.at(to) - line.at(from) <= LONGEST_GAP) out.cover(line.at(from), line.at(to))
  })
  return out.cells
}

const carries = (readings: ReadonlyArray<EnergyReading>, field: string | undefined) =>
  field !== undefined && readings.some(({ state }) => typeof state[field] === "number")

/**
 * What a device did in each quarter of a span: the one computation of all figures, over a year or over an hour.
 *
 * `readings` are those of the span in the order of their time, the one before and the one after it, and for each field
 * that these lack the nearest one beyond them that has it, marked as apart. A quarter's figures do not depend on where
 * the span begins and ends, as long as the quarter is in it whole.
 */
export const deviceCells = (
  { type, ratedPower }: Measured,
  readings: ReadonlyArray<EnergyReading>,
  span: Span
): ReadonlyMap<Quantity, Cells> => {
  const told = sourcesOf[type].filter(({ counter, since, power }) =>
    [counter, since, power?.field].some((field) => carries(readings, field))
  )
  const found = new Map<Quantity, Cells>(
    told.map((source) => [source.quantity, energyCells(source, timelineOf(readings), ratedPower, span)])
  )
  const charge = chargeFieldOf[type]
  if (charge !== undefined && carries(readings, charge)) {
    found.set("charge", chargeCells(timelineOf(readings), charge, span))
  }
  return found
}
