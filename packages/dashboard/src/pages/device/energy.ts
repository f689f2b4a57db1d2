import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MetricName } from "@edp/domain/metrics/Metric"
import type { MetricSeries, MissingReason, Period as Bucket } from "@edp/domain/metrics/MetricSeries"
import type { Point } from "../../charts/series.ts"
import { DAY, type Period } from "../../i18n/period.ts"

/** Meaning of a metric for one device. */
export type EnergyMeaning = "charged" | "discharged" | "generated" | "drawn" | "imported" | "exported" | "grid" | "load"

interface Energy {
  readonly metric: MetricName
  readonly meaning: EnergyMeaning
}

const energies: Readonly<Partial<Record<DeviceType, ReadonlyArray<Energy>>>> = {
  battery: [
    { metric: "consumption", meaning: "charged" },
    { metric: "production", meaning: "discharged" },
    { metric: "grid", meaning: "grid" },
    { metric: "load", meaning: "load" }
  ],
  charger: [{ metric: "charging", meaning: "drawn" }],
  inverter: [
    { metric: "generation", meaning: "generated" },
    { metric: "grid", meaning: "grid" },
    { metric: "load", meaning: "load" }
  ],
  meter: [
    { metric: "consumption", meaning: "imported" },
    { metric: "production", meaning: "exported" }
  ],
  vehicle: [{ metric: "charging", meaning: "drawn" }]
}

/** The energies that a type of device has; none for a type without metrics. */
export const deviceEnergies = (type: DeviceType): ReadonlyArray<Energy> => energies[type] ?? []

/** The buckets of a period, by its length. */
export const bucketFor = ({ from, to }: Pick<Period, "from" | "to">): Bucket =>
  to - from < DAY / 2 ? "15m" : to - from < 2.1 * DAY ? "hour" : to - from < 100 * DAY ? "day" : "month"

interface Total {
  /** Wh; null if no bucket has a value. */
  readonly value: number | null
  /** Share of the time until now that was measured. */
  readonly coverage: number
  /** Why there is no value. */
  readonly reason: MissingReason | undefined
}

/** A bucket of a series with the part of it that is over. */
interface Measured {
  readonly point: MetricSeries["data"][number]
  readonly length: number
  readonly elapsed: number
}

const withLengths = ({ data, meta }: MetricSeries, now: number): ReadonlyArray<Measured> => {
  const end = Date.parse(meta.to)
  const starts = data.map(({ timestamp }) => Date.parse(timestamp))
  return data.map((point, index) => {
    const start = starts[index]!
    const next = starts[index + 1] ?? end
    return { point, length: next - start, elapsed: Math.max(0, Math.min(now, next) - start) }
  })
}

/** The measured time of a bucket. The API's coverage is of its whole length, of which the running one has only a part behind it. */
const measuredTime = ({ point, length }: Measured) => point.coverage * length

/** The sum of a series, with its coverage of the time until now. */
export const total = (series: MetricSeries, now: number): Total => {
  const begun = withLengths(series, now).filter(({ elapsed }) => elapsed > 0)
  const span = begun.reduce((sum, { elapsed }) => sum + elapsed, 0)
  const covered = begun.reduce((sum, bucket) => sum + measuredTime(bucket), 0)
  const values = series.data.flatMap(({ value }) => (value === null ? [] : [value]))
  return {
    value: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0),
    coverage: span === 0 ? 0 : Math.min(1, covered / span),
    reason: begun.findLast(({ point }) => point.reason !== undefined)?.point.reason
  }
}

/** The values of a series over time. */
export const valuePoints = ({ data }: MetricSeries): ReadonlyArray<Point> =>
  data.map(({ timestamp, value }): Point => [Date.parse(timestamp), value])

/** The shortest part of a running bucket whose coverage says something. */
const TELLING = 0.1

/** The coverage of each bucket until now, in percent. One that has hardly begun has none yet. */
export const coveragePoints = (series: MetricSeries, now: number): ReadonlyArray<Point> =>
  withLengths(series, now).map((bucket): Point => {
    const { point, length, elapsed } = bucket
    const start = Date.parse(point.timestamp)
    return [start, elapsed < length * TELLING ? null : Math.min(100, (measuredTime(bucket) / elapsed) * 100)]
  })

/** A coverage from which on a bucket counts as measured, in percent: the newest reading is always a moment old. */
const FULL = 95

/** Whether a bucket was measured in part. */
export const isPartly = (series: MetricSeries, now: number): boolean =>
  coveragePoints(series, now).some(([, share], index) => {
    const hasValue = series.data[index]!.value !== null
    return hasValue && share !== null && share < FULL
  })
