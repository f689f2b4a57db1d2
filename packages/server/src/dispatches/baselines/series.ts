import type { Span } from "../../energy/intervals.ts"

/** The net use of an interval. */
export interface IntervalEnergy {
  /** µWh, positive imports; null if nothing is known. */
  readonly amount: bigint | null
  /** Milliseconds that readings cover. */
  readonly covered: number
}

export type Series = ReadonlyArray<IntervalEnergy>

export const nothing: IntervalEnergy = { amount: null, covered: 0 }

/** The least coverage of a window and of each of its intervals. */
export const LEAST_COVERAGE = 0.9

export const lengthInMs = ({ from, to }: Span) => to - from

/**
 * The energies that count: an interval of which readings cover less than 0.9 has none, since what is measured of it need not be
 * the energy of the whole.
 */
export const knownAmounts = (series: Series, intervals: ReadonlyArray<Span>): ReadonlyArray<bigint | null> =>
  series.map(({ amount, covered }, index) =>
    covered >= LEAST_COVERAGE * lengthInMs(intervals[index]!) ? amount : null
  )

const timeIn = (intervals: ReadonlyArray<Span>) => intervals.reduce((sum, each) => sum + lengthInMs(each), 0)

/** The covered share of the intervals, 0 to 1. */
export const coverageIn = (series: Series, intervals: ReadonlyArray<Span>): number => {
  const time = timeIn(intervals)
  const covered = series.reduce((sum, each, index) => sum + Math.min(each.covered, lengthInMs(intervals[index]!)), 0)
  return time === 0 ? 0 : covered / time
}

/** A sum of energies, and the time in which they were used. */
export interface Sum {
  readonly amount: bigint
  readonly time: number
}

/** The sum of the known amounts. */
export const sumKnown = (amounts: ReadonlyArray<bigint | null>, intervals: ReadonlyArray<Span>): Sum =>
  amounts.reduce<Sum>(
    (sum, amount, index) =>
      amount === null ? sum : { amount: sum.amount + amount, time: sum.time + lengthInMs(intervals[index]!) },
    { amount: 0n, time: 0 }
  )

/** Rounded to the nearest integer, halves away from zero. The divisor is positive. */
export const divideRounded = (dividend: bigint, divisor: bigint): bigint => {
  const half = dividend < 0n ? -divisor : divisor
  return (2n * dividend + half) / (2n * divisor)
}
