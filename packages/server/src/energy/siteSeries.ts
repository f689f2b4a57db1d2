import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Figures } from "./buckets.ts"
import type { Term, ReportedQuantity, Formula } from "./formulas.ts"
import { QUARTER, type Span } from "./intervals.ts"
import type { Quantity } from "./quantities.ts"
import { overlap, overlapOfAny } from "./spans.ts"

interface Located {
  readonly id: string
  readonly type: DeviceType
  readonly siteId: string | null
}

/** A site with its selected devices, or a device without a site. */
export interface Site<D extends Located = Located> {
  readonly siteId: string | null
  readonly devices: ReadonlyArray<D>
}

const byId = (one: string, other: string) => (one < other ? -1 : 1)

/** Sites in the order of creation, then devices without a site. */
export const groupBySite = <D extends Located>(devices: ReadonlyArray<D>): ReadonlyArray<Site<D>> => {
  const sorted = devices.toSorted((one, other) => byId(one.id, other.id))
  const sites = Map.groupBy(sorted, ({ siteId }) => siteId)
  const alone = sites.get(null) ?? []
  return [
    ...Array.from(sites, ([siteId, devices]) => ({ siteId, devices }))
      .filter(({ siteId }) => siteId !== null)
      .toSorted((one, other) => byId(one.siteId!, other.siteId!)),
    ...alone.map((device) => ({ siteId: null, devices: [device] }))
  ]
}

/** Each device separately, in the order of creation. */
export const devicesApart = <D extends Located>(devices: ReadonlyArray<D>): ReadonlyArray<Site<D>> =>
  devices
    .toSorted((one, other) => byId(one.id, other.id))
    .map((device) => ({ siteId: device.siteId, devices: [device] }))

/** Groups of sites with about `devices` devices each; a site is never divided. */
export const chunked = <P extends Site>(sites: ReadonlyArray<P>, devices: number): ReadonlyArray<ReadonlyArray<P>> => {
  const chunks: Array<Array<P>> = []
  let room = 0
  for (const site of sites) {
    if (chunks.length === 0 || room < site.devices.length) {
      chunks.push([])
      room = devices
    }
    chunks.at(-1)!.push(site)
    room -= site.devices.length
  }
  return chunks
}

/** A device's energies in each interval; none without readings. */
export interface MeasuringDevice extends Partial<Figures> {
  readonly type: DeviceType
  /** From its first reading until it was disconnected. */
  readonly reporting: Span | undefined
}

/** A metric of a site in each interval. */
export interface SiteSeries {
  /** µWh; null in an interval of which nothing is known. */
  readonly amounts: Array<bigint | null>
  /**
   * Milliseconds that readings cover: the mean over the devices of the figure, each counted while it reports; 0 where
   * nothing is known.
   */
  readonly covered: Array<number>
  /** Intervals whose parts may need different formulas: they must be computed by the quarter. */
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
  /** Each device's series that count in the coverage even when they are missing. */
  readonly expected: ReadonlyArray<{ readonly reporting: Span | undefined; readonly series: ReadonlyArray<Series> }>
  /** Series that count in the coverage only when present: not every device measures its home's grid and load. */
  readonly extra: ReadonlyArray<Series>
}

const isExtra = ({ quantity }: ReportedQuantity) => quantity === "grid" || quantity === "load"

const isPresent = ({ amounts, covered }: Series, interval: number) => {
  if (covered[interval]! > 0) return true
  const amount = amounts[interval]
  return amount !== null && amount !== 0n && amount !== undefined
}

const isAnyPresent = (series: ReadonlyArray<Series>, interval: number) => {
  for (const each of series) if (isPresent(each, interval)) return true
  return false
}

const findSeries = (device: MeasuringDevice, quantity: Quantity): ReadonlyArray<Series> => {
  if (quantity === "charge") {
    return device.charge === undefined
      ? []
      : [{ device, quantity, amounts: device.charge.latest, covered: device.charge.covered }]
  }
  const amounts = device.energy?.get(quantity)
  return amounts === undefined ? [] : [{ device, quantity, ...amounts }]
}

const bind = ({ sum, when }: Formula, devices: ReadonlyArray<MeasuringDevice>): Bound => {
  const reported = ({ quantity, type }: ReportedQuantity) =>
    devices.flatMap((device) => (device.type === type ? findSeries(device, quantity) : []))
  const plain = sum.filter((term) => !isExtra(term))
  return {
    when: when.flatMap(reported),
    sum: sum.flatMap((term) => reported(term).map((series) => ({ ...series, sign: term.sign }))),
    expected: devices.flatMap((device) => {
      const terms = plain.filter(({ type }) => type === device.type)
      const series = terms.flatMap(({ quantity }) => findSeries(device, quantity))
      return terms.length === 0 ? [] : [{ reporting: device.reporting, series }]
    }),
    extra: sum.filter(isExtra).flatMap(reported)
  }
}

const sumInterval = ({ sum }: Bound, interval: number) => {
  let total: bigint | null = null
  for (const { amounts, sign } of sum) {
    const amount = amounts[interval]
    if (amount === null || amount === undefined) continue
    if (sign === 1) total = total === null ? amount : total + amount
    else total = (total ?? 0n) - amount
  }
  return total
}

/** The covered milliseconds of an interval whose amount is known but not its distribution in time: the least there is. */
const LEAST = 1

/**
 * The covered time: the mean share of the devices, each counted while it reports, of the time in which any reports. Time
 * before the first reading of all is not covered.
 */
const computeCoverage = ({ expected, extra }: Bound, interval: number, from: number, to: number) => {
  let covered = 0
  let expectedTime = 0
  const spans: Array<Span> = []
  const count = (reporting: Span | undefined, time: number) => {
    covered += time
    expectedTime += Math.max(time, overlap(reporting, from, to))
    if (reporting !== undefined) spans.push(reporting)
  }
  for (const { reporting, series } of expected) {
    let most = 0
    for (const each of series) most = Math.max(most, each.covered[interval]!)
    count(reporting, most)
  }
  for (const each of extra) {
    if (isPresent(each, interval)) count(each.device.reporting, each.covered[interval]!)
  }
  if (covered === 0) return 0
  // Usually all devices report all the time: then no union is needed.
  const isWhole = expectedTime === spans.length * (to - from)
  const any = isWhole ? to - from : Math.max(overlapOfAny(spans, from, to), Math.min(covered, to - from))
  return (covered / expectedTime) * any
}

/** A counter's amount over a long gap and a single charge are known, but not their distribution in time. */
const isReported = (amount: bigint | null, isCharge: boolean) => amount !== null && (isCharge || amount !== 0n)

/** Whether any series other than those that decide the formula has data in the interval. */
const hasMore = (formulas: ReadonlyArray<Bound>, { when }: Bound, interval: number) => {
  const own = new Set(when.map(({ amounts }) => amounts))
  return formulas.some((formula) =>
    [...formula.when, ...formula.sum].some((series) => !own.has(series.amounts) && isPresent(series, interval))
  )
}

/**
 * The series of a site by the first formula that covers each interval, between two bounds in milliseconds. Formulas are
 * chosen by the quarter, so that a day is the sum of its hours; a longer interval is decided at once where the result is the same.
 */
export const siteSeries = (
  formulas: ReadonlyArray<Formula>,
  devices: ReadonlyArray<MeasuringDevice>,
  bounds: ReadonlyArray<number>
): SiteSeries => {
  const bound = formulas.map((formula) => bind(formula, devices))
  const isCharge = formulas.some(({ sum }) => sum.some(({ quantity }) => quantity === "charge"))
  const amounts: Array<bigint | null> = []
  const covered: Array<number> = []
  const mixed: Array<number> = []
  for (let interval = 0; interval < bounds.length - 1; interval++) {
    const [from, to] = [bounds[interval]!, bounds[interval + 1]!]
    const at = bound.findIndex(({ when }) => isAnyPresent(when, interval))
    const formula = bound[at]
    const amount = formula === undefined ? null : sumInterval(formula, interval)
    const time =
      formula === undefined
        ? 0
        : Math.max(computeCoverage(formula, interval, from, to), isReported(amount, isCharge) ? LEAST : 0)
    amounts.push(time === 0 ? null : amount)
    covered.push(time)
    if (formula === undefined || to - from <= QUARTER) continue
    const isWhole = formula.when.some((series) => series.covered[interval]! >= to - from)
    if (!isWhole && hasMore(bound.slice(at), formula, interval)) mixed.push(interval)
  }
  return { amounts, covered, mixed }
}
