import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Figures } from "./buckets.ts"
import type { Term, Told, Way } from "./metricRules.ts"
import type { Quantity } from "./quantities.ts"
import { QUARTER } from "./quarterCells.ts"

/** What a device did in each cell; one that has no readings did nothing that is known. */
export interface MeasuringDevice extends Partial<Figures> {
  readonly type: DeviceType
}

/** A metric of a place in each cell. */
export interface PlaceFigures {
  /** µWh; of what is stored null in a cell without a reading. */
  readonly amounts: Array<bigint | null>
  /** Milliseconds that readings cover, on average of the devices that the figure is from. */
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
  readonly expected: ReadonlyArray<ReadonlyArray<Series>>
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
      return terms.length === 0 ? [] : [terms.flatMap(({ quantity }) => seriesOf(device, quantity))]
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

const coverageOf = ({ expected, extra }: Bound, cell: number) => {
  let covered = 0
  let devices = expected.length
  for (const told of expected) {
    let most = 0
    for (const each of told) most = Math.max(most, each.covered[cell]!)
    covered += most
  }
  for (const told of extra) {
    if (!isPresent(told, cell)) continue
    covered += told.covered[cell]!
    devices++
  }
  return devices === 0 ? 0 : covered / devices
}

/** Whether something besides what the way is told by is known in the cell. */
const hasMore = (ways: ReadonlyArray<Bound>, { when }: Bound, cell: number) => {
  const own = new Set(when.map(({ amounts }) => amounts))
  return ways.some((way) =>
    [...way.when, ...way.sum].some((series) => !own.has(series.amounts) && isPresent(series, cell))
  )
}

/**
 * The figures of a place by the first way that covers each cell. `lengths` are those of the cells in milliseconds. The ways are
 * decided by the quarter, so that a day is the sum of its hours; a longer cell is decided at once where that must give the same.
 */
export const placeFigures = (
  ways: ReadonlyArray<Way>,
  devices: ReadonlyArray<MeasuringDevice>,
  lengths: ReadonlyArray<number>
): PlaceFigures => {
  const bound = ways.map((way) => bind(way, devices))
  const nothing = ways.some(({ sum }) => sum.some(({ quantity }) => quantity === "charge")) ? null : 0n
  const amounts: Array<bigint | null> = []
  const covered: Array<number> = []
  const mixed: Array<number> = []
  for (let cell = 0; cell < lengths.length; cell++) {
    const at = bound.findIndex(({ when }) => isAnyPresent(when, cell))
    const way = bound[at]
    amounts.push(way === undefined ? nothing : (sumOf(way, cell) ?? nothing))
    covered.push(way === undefined ? 0 : coverageOf(way, cell))
    if (way === undefined || lengths[cell]! <= QUARTER) continue
    const isWhole = way.when.some((series) => series.covered[cell]! >= lengths[cell]!)
    if (!isWhole && hasMore(bound.slice(at), way, cell)) mixed.push(cell)
  }
  return { amounts, covered, mixed }
}
