import type { Span } from "../../energy/intervals.ts"
import { LEAST_COVERAGE, divideRounded, lengthInMs, sumKnown } from "./series.ts"

/** A mean that is not divided yet: the sum of the amounts of a number of days or sites. */
export interface Mean {
  readonly sum: bigint
  readonly count: number
}

/** The mean of each interval over the series in which it is known; null where fewer than `least` are. */
export const intervalMeans = (
  many: ReadonlyArray<ReadonlyArray<bigint | null>>,
  length: number,
  least = 1
): ReadonlyArray<Mean | null> =>
  Array.from({ length }, (_, index) => {
    const amounts = many.flatMap((each) => each[index] ?? [])
    return amounts.length < least
      ? null
      : { sum: amounts.reduce((sum, amount) => sum + amount, 0n), count: amounts.length }
  })

const rounded = (mean: Mean | null) => (mean === null ? null : divideRounded(mean.sum, BigInt(mean.count)))

export type Adjustment =
  /** A factor in millionths. */
  | { readonly kind: "multiplicative"; readonly millionths: bigint }
  /** An energy (µWh) in a time (milliseconds), which is a power. */
  | { readonly kind: "additive"; readonly amount: bigint; readonly time: number }

const MILLION = 1_000_000n
const [LEAST, MOST] = [800_000n, 1_200_000n]

/** Means as the energies of a baseline, µWh. Each is rounded once. */
export const toBaseline = (
  means: ReadonlyArray<Mean | null>,
  intervals: ReadonlyArray<Span>,
  adjustment?: Adjustment
): ReadonlyArray<bigint | null> =>
  means.map((mean, index) => {
    if (mean === null || adjustment === undefined) return rounded(mean)
    const count = BigInt(mean.count)
    if (adjustment.kind === "multiplicative") return divideRounded(mean.sum * adjustment.millionths, count * MILLION)
    const time = BigInt(adjustment.time)
    const added = count * adjustment.amount * BigInt(lengthInMs(intervals[index]!))
    return divideRounded(mean.sum * time + added, count * time)
  })

export interface AdjustmentHours {
  readonly intervals: ReadonlyArray<Span>
  readonly actual: ReadonlyArray<bigint | null>
  readonly means: ReadonlyArray<Mean | null>
}

/** Whether energies have one sign and none is 0: only then a ratio scales them. */
const hasOneSign = (amounts: ReadonlyArray<bigint | null>) =>
  amounts.every((amount) => amount === null || amount > 0n) || amounts.every((amount) => amount === null || amount < 0n)

/**
 * The same-day adjustment: actual ÷ baseline over the two hours that end one hour before the window, at least 0.8 and at most
 * 1.2, the limits of CAISO's (Tariff 4.13.4) and NYISO's (weather-sensitive CBL). Where the baseline crosses zero, a ratio means
 * nothing, and the mean difference is added, as PJM's symmetric additive adjustment does (Manual 11, 10.4). Undefined where the hours are not known.
 */
export const findAdjustment = (
  { actual, intervals, means }: AdjustmentHours,
  window: ReadonlyArray<Mean | null>
): Adjustment | undefined => {
  const before = means.map((mean, index) => (actual[index] === null ? null : rounded(mean)))
  const baseline = sumKnown(before, intervals)
  const measured = sumKnown(
    actual.map((amount, index) => (before[index] === null ? null : amount)),
    intervals
  )
  const time = intervals.reduce((sum, each) => sum + lengthInMs(each), 0)
  if (baseline.time < LEAST_COVERAGE * time) return undefined
  if (hasOneSign([...before, ...window.map(rounded)])) {
    const [sign, size] = baseline.amount < 0n ? [-1n, -baseline.amount] : [1n, baseline.amount]
    const ratio = divideRounded(sign * measured.amount * MILLION, size)
    return { kind: "multiplicative", millionths: ratio < LEAST ? LEAST : ratio > MOST ? MOST : ratio }
  }
  return { kind: "additive", amount: measured.amount - baseline.amount, time: baseline.time }
}
