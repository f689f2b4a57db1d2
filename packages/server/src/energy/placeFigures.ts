import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Figures } from "./buckets.ts"
import type { Term, Told, Way } from "./metricRules.ts"
import type { Quantity } from "./quantities.ts"
import { QUARTER, type Span } from "./quarterCells.ts"
import { overlap, overlapOfAny } from "./reporting.ts"

/** What a device did in each cell; one that has no readings did nothing that is known. */
export interface MeasuringDevice extends Partial<Figures> {
  readonly type: DeviceType
  /** From its first reading on, and until it was disconnected. */
  readonly reporting: Span | undefined
}

/** A metric of a place in each cell. */
export interface PlaceFigures {
  /** µWh; null in a cell of which nothing is known. */
  readonly amounts: Array<bigint | null>
  /**
   * Milliseconds that readings cover, on average of the devices that the figure is from, each counted while it reports; 0
   * where nothing is known.
   */
  readonly covered: Array<number>
  /** Cells of which different parts may be known in different ways: they are to be computed by the quarter. */
  readonly mixed: ReadonlyArray<number>
}

interface Series {
  readonly device: MeasuringDevice
  readonly quantity: Quantity
  readonly amounts: ReadonlyArray<bigint | null>
  readonly covered: ReadonlyArray<number>
}

interface Bound {
  readonly when: ReadonlyArray<Series>
  readonly sum: ReadonlyArray<Series & { readonly sign: Term["sign"] }>
  /** What each device tells that counts in the coverage whether it does or not. */
  readonly expected: ReadonlyArray<{ readonly reporting: Span | undefined; readonly told: ReadonlyArray<Series> }>
  /** What counts in the coverage only where it is told: not every device measures the grid and the load of its home. */
  readonly extra: ReadonlyArray<Series>
}

const isExtra = ({ quantity }: Told) => quantity === "grid" || quantity === "load"

const isPresent = ({ amounts, covered }: Series, cell: number) => {
  if (covered[cell]! > 0) return true
  const amount = amounts[cell]
  return amount !== null && amount !== 0n && amount !== undefined
}

const isAnyPresent = (series: ReadonlyArray<Series>, cell: number) => {
  for (const each of series) if (isPresent(each, cell)) return true
  return false
}

const seriesOf = (device: MeasuringDevice, quantity: Quantity): ReadonlyArray<Series> => {
  if (quantity === "charge") {
    return device.charge === undefined
      ? []
      : [{ device, quantity, amounts: device.charge.latest, covered: device.charge.covered }]
  }
  const told = device.energy?.get(quantity)
  return told === undefined ? [] : [{ device, quantity, ...told }]
}

const bind = ({ sum, when }: Way, devices: ReadonlyArray<MeasuringDevice>): Bound => {
  const told = ({ quantity, type }: Told) =>
    devices.flatMap((device) => (device.type === type ? seriesOf(device, quantity) : []))
  const plain = sum.filter((term) => !isExtra(term))
  return {
    when: when.flatMap(told),
    sum: sum.flatMap((term) => told(term).map((series) => ({ ...series, sign: term.sign }))),
    expected: devices.flatMap((device) => {
      const terms = plain.filter(({ type }) => type === device.type)
      const told = terms.flatMap(({ quantity }) => seriesOf(device, quantity))
      return terms.length === 0 ? [] : [{ reporting: device.reporting, told }]
    }),
    extra: sum.filter(isExtra).flatMap(told)
  }
}

const sumOf = ({ sum }: Bound, cell: number) => {
  let total: bigint | null = null
  for (const { amounts, sign } of sum) {
    const amount = amounts[cell]
    if (amount === null || amount === undefined) continue
    if (sign === 1) total = total === null ? amount : total + amount
    else total = (total ?? 0n) - amount
  }
  return total
}

/** Milliseconds that count as covered where an amount is known, but not how it lay in the time: the least there is. */
const LEAST = 1

/**
 * Devices count while they report: of the time in which any does, the share that is covered on average. Time before the
 * first reading of all is not covered.
 */
const coverageOf = ({ expected, extra }: Bound, cell: number, from: number, to: number) => {
  let covered = 0
  let reported = 0
  const spans: Array<Span> = []
  const count = (reporting: Span | undefined, time: number) => {
    covered += time
    reported += Math.max(time, overlap(reporting, from, to))
    if (reporting !== undefined) spans.push(reporting)
  }
  for (const { reporting, told } of expected) {
    let most = 0
    for (const each of told) most = Math.max(most, each.covered[cell]!)
    count(reporting, most)
  }
  for (const told of extra) {
    if (isPresent(told, cell)) count(told.device.reporting, told.covered[cell]!)
  }
  if (covered === 0) return 0
  // Mostly all of them report all the time, and then no union is needed.
  const isWhole = reported === spans.length * (to - from)
  const any = isWhole ? to - from : Math.max(overlapOfAny(spans, from, to), Math.min(covered, to - from))
  return (covered / reported) * any
}

/** An amount of a counter over a long gap is known, and a charge that was told once; how it lay in the time is not. */
const isTold = (amount: bigint | null, isCharge: boolean) => amount !== null && (isCharge || amount !== 0n)

/** Whether something besides what the way is told by is known in the cell. */
const hasMore = (ways: ReadonlyArray<Bound>, { when }: Bound, cell: number) => {
  const own = new Set(when.map(({ amounts }) => amounts))
  return ways.some((way) =>
    [...way.when, ...way.sum].some((series) => !own.has(series.amounts) && isPresent(series, cell))
  )
}

/**
 * The figures of a place by the first way that covers each cell, which lies between two bounds in milliseconds. The ways are
 * decided by the quarter, so that a day is the sum of its hours; a longer cell is decided at once where that must give the same.
 */
export const placeFigures = (
  ways: ReadonlyArray<Way>,
  devices: ReadonlyArray<MeasuringDevice>,
  bounds: ReadonlyArray<number>
): PlaceFigures => {
  const bound = ways.map((way) => bind(way, devices))
  const isCharge = ways.some(({ sum }) => sum.some(({ quantity }) => quantity === "charge"))
  const amounts: Array<bigint | null> = []
  const covered: Array<number> = []
  const mixed: Array<number> = []
  for (let cell = 0; cell < bounds.length - 1; cell++) {
    const [from, to] = [bounds[cell]!, bounds[cell + 1]!]
    const at = bound.findIndex(({ when }) => isAnyPresent(when, cell))
    const way = bound[at]
    const amount = way === undefined ? null : sumOf(way, cell)
    const time = way === undefined ? 0 : Math.max(coverageOf(way, cell, from, to), isTold(amount, isCharge) ? LEAST : 0)
    amounts.push(time === 0 ? null : amount)
    covered.push(time)
    if (way === undefined || to - from <= QUARTER) continue
    const isWhole = way.when.some((series) => series.covered[cell]! >= to - from)
    if (!isWhole && hasMore(bound.slice(at), way, cell)) mixed.push(cell)
  }
  return { amounts, covered, mixed }
}
