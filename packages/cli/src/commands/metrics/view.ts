import type { MetricPoint, MetricSeries, Period } from "@edp/domain/metrics/MetricSeries"
import type { MetricName } from "@edp/domain/metrics/Metric"

/** A series with a display name. */
export interface NamedSeries {
  readonly name: string
  readonly metric: MetricName
  readonly points: ReadonlyArray<MetricPoint>
}

/** Series over the same buckets, for tables and charts. */
export interface MetricView {
  readonly series: ReadonlyArray<NamedSeries>
  /** Description of the filters. */
  readonly place: string
  readonly period: Period
  readonly timezone: string
  /** Start of each bucket and end of the last one, in milliseconds since 1970. */
  readonly bounds: ReadonlyArray<number>
  /** As of when the figures are, milliseconds since 1970; null if they are of the time of the request. */
  readonly asOf: number | null
}

/** Groups points by device or site. */
export const splitByGroup = (points: ReadonlyArray<MetricPoint>): ReadonlyMap<string, ReadonlyArray<MetricPoint>> => {
  const groups = new Map<string, Array<MetricPoint>>()
  for (const point of points) {
    const id = point.deviceId ?? point.siteId ?? ""
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [point])
    else group.push(point)
  }
  return groups
}

export const toBounds = ({ data, meta }: MetricSeries): ReadonlyArray<number> => {
  const [first = []] = splitByGroup(data).values()
  return [...first.map(({ timestamp }) => Date.parse(timestamp)), Date.parse(meta.to)]
}

export const isKnown = ({ value }: MetricPoint) => value !== null

/** The sum of a series, or the last level of storage; null without data. */
export const computeTotal = ({ metric, points }: NamedSeries): number | null => {
  const known = points.filter(isKnown).map(({ value }) => value!)
  if (known.length === 0) return null
  return metric === "storage" ? known.at(-1)! : known.reduce((sum, value) => sum + value, 0)
}

/** The share of the time range with readings, 0 to 1. */
export const computeCoverage = ({ points }: NamedSeries, bounds: ReadonlyArray<number>): number => {
  const whole = (bounds.at(-1) ?? 0) - (bounds[0] ?? 0)
  if (whole <= 0) return 0
  return points.reduce((sum, { coverage }, at) => sum + coverage * (bounds[at + 1]! - bounds[at]!), 0) / whole
}

export interface Unit {
  readonly symbol: "Wh" | "kWh" | "MWh"
  /** Its size in Wh. */
  readonly size: number
}

const wh: Unit = { symbol: "Wh", size: 1 }
const kwh: Unit = { symbol: "kWh", size: 1000 }
const mwh: Unit = { symbol: "MWh", size: 1_000_000 }

/** The unit for energies in Wh, by the largest. */
export const unitFor = (energies: ReadonlyArray<number>): Unit => {
  const largest = energies.reduce((most, energy) => Math.max(most, Math.abs(energy)), 0)
  if (largest < 2000) return wh
  return largest < 100_000_000 ? kwh : mwh
}

export const unitForSeries = (series: ReadonlyArray<NamedSeries>): Unit =>
  unitFor(series.flatMap(({ points }) => points.filter(isKnown).map(({ value }) => value!)))

/** Formats an energy in Wh, with three decimals unless it is a whole number of Wh. */
export const amount = (
  energy: number,
  { size }: Unit,
  digits = size === 1 && Number.isInteger(energy) ? 0 : 3
): string => (energy / size).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** A share in percent, rounded down, so that incomplete data is never 100 %. */
export const percent = (share: number): string => `${Math.floor(share * 1000 + 1e-6) / 10} %`

export const zonedAt = (instant: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone)

/** The label of a bucket in its time zone. Hours include the UTC offset, because one can occur twice. */
export const bucketLabel = (instant: number, period: Period, timezone: string): string => {
  const zoned = zonedAt(instant, timezone)
  const date = zoned.toPlainDate()
  switch (period) {
    case "year":
      return date.toString().slice(0, -6)
    case "month":
      return date.toString().slice(0, -3)
    case "week":
    case "day":
      return date.toString()
    case "hour":
    case "15m": {
      const offset = zoned.offset === "+00:00" ? "Z" : zoned.offset
      return `${date.toString()} ${zoned.toPlainTime().toString({ smallestUnit: "minute" })}${offset}`
    }
  }
}

const inWords = (zoned: Temporal.ZonedDateTime, options: Intl.DateTimeFormatOptions) =>
  zoned.toPlainDateTime().toLocaleString("en-US", options)

const isBeginning = (zoned: Temporal.ZonedDateTime) => zoned.equals(zoned.startOfDay())

const day = { day: "numeric", month: "long", year: "numeric" } as const
const minute = { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const

/** A time range in words: a year, a month, a day, two days or two instants. */
export const spanText = (from: number, to: number, timezone: string): string => {
  const [first, end] = [zonedAt(from, timezone), zonedAt(to, timezone)]
  if (!isBeginning(first) || !isBeginning(end) || to <= from)
    return `${inWords(first, minute)} to ${inWords(end, minute)}`
  const isSpan = (length: Temporal.DurationLike) => first.toPlainDate().add(length).equals(end.toPlainDate())
  if (first.dayOfYear === 1 && isSpan({ years: 1 })) return `${first.year}`
  if (first.day === 1 && isSpan({ months: 1 })) return inWords(first, { month: "long", year: "numeric" })
  if (isSpan({ days: 1 })) return inWords(first, day)
  return `${inWords(first, day)} to ${inWords(end.subtract({ days: 1 }), day)}`
}
