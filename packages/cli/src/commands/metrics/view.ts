import type { MetricPoint, MetricSeries, Period } from "@edp/domain/metrics/MetricSeries"
import type { MetricName } from "@edp/domain/metrics/Metric"

/** A series under the name that people read. */
export interface NamedSeries {
  readonly name: string
  readonly metric: MetricName
  readonly points: ReadonlyArray<MetricPoint>
}

/** What tables and charts show: series over the same buckets. */
export interface MetricView {
  readonly series: ReadonlyArray<NamedSeries>
  /** Whose energies, in words. */
  readonly place: string
  readonly period: Period
  readonly timezone: string
  /** Where each bucket begins, and where the last one ends; milliseconds since 1970. */
  readonly bounds: ReadonlyArray<number>
}

/** The points of an answer, apart by the device or the site that they are of. */
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

export const boundsOf = ({ data, meta }: MetricSeries): ReadonlyArray<number> => {
  const [first = []] = splitByGroup(data).values()
  return [...first.map(({ timestamp }) => Date.parse(timestamp)), Date.parse(meta.to)]
}

export const isKnown = ({ value }: MetricPoint) => value !== null

/** All of a series' energies, or the latest of what is stored; null where nothing is known. */
export const totalOf = ({ metric, points }: NamedSeries): number | null => {
  const known = points.filter(isKnown).map(({ value }) => value!)
  if (known.length === 0) return null
  return metric === "storage" ? known.at(-1)! : known.reduce((sum, value) => sum + value, 0)
}

/** The share of the whole span that readings cover, 0 to 1. */
export const coverageOf = ({ points }: NamedSeries, bounds: ReadonlyArray<number>): number => {
  const whole = (bounds.at(-1) ?? 0) - (bounds[0] ?? 0)
  if (whole <= 0) return 0
  return points.reduce((sum, { coverage }, at) => sum + coverage * (bounds[at + 1]! - bounds[at]!), 0) / whole
}
