import type { Span } from "../../energy/intervals.ts"
import { type Mean, toBaseline } from "./means.ts"
import { LEAST_COVERAGE, type Series, coverageIn, divideRounded, knownAmounts, lengthInMs, sumKnown } from "./series.ts"

/**
 * The mean of the hour before the window, for each interval by its length: NAESB's "Meter Before / Meter After" (WEQ-015), as
 * ERCOT's of that name. It holds for short dispatches of steady loads only, so reports label it indicative. Undefined if
 * readings cover less than 0.9 of the hour.
 */
export const meterBefore = (
  hour: ReadonlyArray<Span>,
  measured: Series,
  window: ReadonlyArray<Span>
): ReadonlyArray<bigint> | undefined => {
  if (coverageIn(measured, hour) < LEAST_COVERAGE) return undefined
  const { amount, time } = sumKnown(knownAmounts(measured, hour), hour)
  return window.map((interval) => divideRounded(amount * BigInt(lengthInMs(interval)), BigInt(time)))
}

/** The least number of held-out sites with readings. */
export const LEAST_SITES = 3

/**
 * The mean of the held-out sites of a dispatch, site by site: the difference of the means of a randomized control group and of the
 * others (CAISO Tariff 4.13.4, control group methodology; Goldberg and Agnew, Measurement and Verification for Demand Response,
 * 2013).
 */
export const makeControlGroup = (window: ReadonlyArray<Span>) => {
  const means: Array<{ sum: bigint; count: number }> = window.map(() => ({ sum: 0n, count: 0 }))
  let sites = 0
  return {
    /** Adds what a held-out site used. A site without sufficient readings in the intervals that have passed does not count. */
    add: (measured: Series, passed: number) => {
      const intervals = window.slice(0, passed)
      const series = measured.slice(0, passed)
      if (passed === 0 || coverageIn(series, intervals) < LEAST_COVERAGE) return
      sites++
      for (const [index, amount] of knownAmounts(series, intervals).entries()) {
        if (amount === null) continue
        means[index]!.sum += amount
        means[index]!.count++
      }
    },
    sites: () => sites,
    /** µWh of each interval; null where fewer than 3 sites have it. Undefined with fewer than 3 sites. */
    baseline: (): ReadonlyArray<bigint | null> | undefined =>
      sites < LEAST_SITES
        ? undefined
        : toBaseline(
            means.map((mean): Mean | null => (mean.count < LEAST_SITES ? null : mean)),
            window
          )
  }
}
