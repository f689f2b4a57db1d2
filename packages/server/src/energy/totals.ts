import type { MetricPoint, MissingReason } from "@edp/domain/metrics/MetricSeries"
import type { Aggregation } from "@edp/domain/metrics/Metric"
import type { Span } from "./intervals.ts"
import { makeTimeSums, union } from "./spans.ts"

/** Up to 1 GWh, µWh can be divided by a thousand as numbers without losing the last digit. */
const EXACT = 10n ** 15n

/** µWh as Wh with three decimals, halves away from zero. */
export const wattHours = (amount: bigint) => {
  const half = amount < 0n ? -500 : 500
  return amount > -EXACT && amount < EXACT
    ? Math.trunc((Number(amount) + half) / 1000) / 1000 || 0
    : Number((amount + BigInt(half)) / 1000n) / 1000
}

/** The timestamps of the buckets' beginnings. */
export const toTimestamps = (bounds: ReadonlyArray<number>): ReadonlyArray<string> =>
  bounds.slice(0, -1).map((bound) => new Date(bound).toISOString())

/** The least coverage above 0: a partly known bucket is not reported as unknown. */
const LEAST_SHARE = 0.0001

/** The share of a time that is covered, with four decimals. */
export const coverageShare = (covered: number, whole: number) =>
  whole === 0 || covered === 0 ? 0 : Math.min(1, Math.max(LEAST_SHARE, Math.round((covered / whole) * 10_000) / 10_000))

/** The buckets of a series. */
export interface SeriesFrame {
  /** The beginnings of the buckets and the end of the last one, milliseconds since 1970. */
  readonly bounds: ReadonlyArray<number>
  readonly timestamps?: ReadonlyArray<string>
  readonly aggregation: Aggregation
  readonly now: number
}

/** Sums the series of sites. Sums are integers and are rounded once, in the points. */
export const makeTotals = ({ bounds, timestamps = toTimestamps(bounds), aggregation, now }: SeriesFrame) => {
  const size = bounds.length - 1
  const amounts: Array<bigint | null> = Array.from({ length: size }, () => null)
  const covered: Array<number> = Array.from({ length: size }, () => 0)
  const reported = makeTimeSums(bounds)
  const spans: Array<Span> = []
  let sites = 0

  /** The reason of a bucket without data, given when sites report. */
  const findReason = (bucket: number, reporting: ReadonlyArray<Span>): MissingReason => {
    const [from, to] = [bounds[bucket]!, bounds[bucket + 1]!]
    if (from >= now) return "future"
    if (sites === 0) return "no_devices"
    if (reporting.length === 0 || to <= reporting[0]!.from) return "before_first_reading"
    return reporting.at(-1)!.to < now && from >= reporting.at(-1)!.to ? "disconnected" : "not_measured"
  }

  return {
    /** Adds sites whose devices report at these times: while any does its site counts in the coverage, known or not. */
    expect: (reporting: ReadonlyArray<Span>, count = 1) => {
      sites += count
      if (count === 0) return
      for (const span of union(reporting)) {
        reported.add(span, count)
        spans.push(span)
      }
    },
    add: (bucket: number, amount: bigint | null, milliseconds: number) => {
      if (amount !== null) amounts[bucket] = (amounts[bucket] ?? 0n) + amount
      covered[bucket]! += milliseconds
    },
    points: (group: Pick<MetricPoint, "deviceId" | "siteId">): ReadonlyArray<MetricPoint> => {
      const reporting = union(spans)
      const any = makeTimeSums(bounds)
      for (const span of reporting) any.add(span)
      const [anySums, sums] = [any.sums(), reported.sums()]
      return amounts.map((amount, bucket) => {
        const length = bounds[bucket + 1]! - bounds[bucket]!
        const time = covered[bucket]!
        const known = (time / Math.max(time, sums[bucket]!)) * Math.max(anySums[bucket]!, Math.min(time, length))
        const sum = aggregation === "sum" && time > 0 ? (amount ?? 0n) : amount
        const value = time === 0 || sum === null ? null : wattHours(sum)
        return {
          timestamp: timestamps[bucket]!,
          value,
          coverage: time === 0 ? 0 : coverageShare(known, length),
          ...(value === null && { reason: findReason(bucket, reporting) }),
          ...group
        }
      })
    }
  }
}

export type Totals = ReturnType<typeof makeTotals>
