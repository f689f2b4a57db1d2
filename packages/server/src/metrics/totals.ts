import type { MetricPoint } from "@edp/domain/metrics/MetricSeries"

/** Up to here, 1 GWh, µWh can be divided by a thousand as numbers without losing the last digit. */
const EXACT = 10n ** 15n

/** µWh as Wh with three decimals, halves away from zero. */
export const wattHours = (amount: bigint) => {
  const half = amount < 0n ? -500 : 500
  return amount > -EXACT && amount < EXACT
    ? Math.trunc((Number(amount) + half) / 1000) / 1000 || 0
    : Number((amount + BigInt(half)) / 1000n) / 1000
}

/** When the buckets begin, as they are answered. */
export const timestampsOf = (bounds: ReadonlyArray<number>): ReadonlyArray<string> =>
  bounds.slice(0, -1).map((bound) => new Date(bound).toISOString())

const share = (covered: number, whole: number) =>
  whole === 0 ? 0 : Math.min(1, Math.round((covered / whole) * 10_000) / 10_000)

/** A series that the figures of places are added up to. What is summed are integers: it is rounded once, in the points. */
export const makeTotals = (
  bounds: ReadonlyArray<number>,
  nothing: bigint | null,
  timestamps = timestampsOf(bounds)
) => {
  const size = bounds.length - 1
  const amounts: Array<bigint | null> = Array.from({ length: size }, () => nothing)
  const covered: Array<number> = Array.from({ length: size }, () => 0)
  let places = 0
  return {
    /** Tells of a place, whether or not anything is known of it: it counts in the coverage. */
    expect: () => void places++,
    add: (bucket: number, amount: bigint | null, milliseconds: number) => {
      if (amount !== null) amounts[bucket] = (amounts[bucket] ?? 0n) + amount
      covered[bucket]! += milliseconds
    },
    points: (group: Pick<MetricPoint, "deviceId" | "siteId">): ReadonlyArray<MetricPoint> =>
      amounts.map((amount, bucket) => ({
        timestamp: timestamps[bucket]!,
        value: amount === null ? null : wattHours(amount),
        coverage: share(covered[bucket]!, places * (bounds[bucket + 1]! - bounds[bucket]!)),
        ...group
      }))
  }
}

export type Totals = ReturnType<typeof makeTotals>
