import type { Dispatch } from "@edp/domain/dispatches/Dispatch"
import type { DispatchReport, MissingResult, ReportInterval } from "@edp/domain/dispatches/DispatchReport"
import type { Span } from "../../energy/intervals.ts"
import { coverageShare, wattHours } from "../../energy/totals.ts"
import { lengthInMs } from "../baselines/series.ts"
import { type SiteOutcome, roundTo, siteSums, toWatts } from "./outcomeValues.ts"

type Figures = Pick<
  DispatchReport,
  | "nominatedPowerW"
  | "deliveredWh"
  | "deliveredPowerW"
  | "exportedWh"
  | "performance"
  | "reason"
  | "sitesCounted"
  | "sitesTotal"
  | "leftOut"
  | "intervals"
>

/** Sums the outcomes of sites. Only sites whose result is known count; sums are integers and are rounded once. */
export const makeReportTotals = (
  intervals: ReadonlyArray<Span>,
  passed: number,
  nominatedPowerW: Dispatch["nominatedPowerW"]
) => {
  const sums = intervals.map(() => ({ baseline: 0n, actual: 0n, known: 0, covered: 0 }))
  const reasons = new Map<MissingResult, number>()
  let [counted, total, delivered, power] = [0, 0, 0n, 0]
  let exported: bigint | null = null

  const toInterval = (interval: Span, index: number): ReportInterval => {
    const { actual, baseline, covered, known } = sums[index]!
    const times = { startsAt: new Date(interval.from).toISOString(), endsAt: new Date(interval.to).toISOString() }
    const nothing = { baselineWh: null, actualWh: null, deliveredWh: null }
    if (index >= passed) return { ...times, ...nothing, coverage: 0, reason: "not_ended" }
    const coverage = coverageShare(covered, counted * lengthInMs(interval))
    if (known === 0) return { ...times, ...nothing, coverage, reason: counted === 0 ? "no_sites" : "low_coverage" }
    return {
      ...times,
      baselineWh: wattHours(baseline),
      actualWh: wattHours(actual),
      deliveredWh: wattHours(baseline - actual),
      coverage
    }
  }

  const findReason = (): MissingResult | undefined => {
    if (passed === 0) return "not_begun"
    if (counted === 0) return "no_sites"
    return nominatedPowerW === null ? "not_nominated" : undefined
  }

  return {
    add: (outcome: SiteOutcome) => {
      total++
      if (outcome.reason !== undefined) {
        reasons.set(outcome.reason, (reasons.get(outcome.reason) ?? 0) + 1)
        return
      }
      counted++
      const { actual, baseline, time } = siteSums(outcome, intervals)
      delivered += baseline - actual
      if (time > 0) power += toWatts(baseline - actual, time)
      if (outcome.exported !== null) exported = (exported ?? 0n) + outcome.exported
      for (const [index, sum] of sums.entries()) {
        const [expected, used] = [outcome.baseline[index] ?? null, outcome.actual[index] ?? null]
        sum.covered += outcome.covered[index] ?? 0
        if (expected === null || used === null) continue
        sum.baseline += expected
        sum.actual += used
        sum.known++
      }
    },
    total: () => total,
    figures: (): Figures => {
      const reason = findReason()
      const isKnown = counted > 0
      const deliveredPowerW = isKnown ? roundTo(3, power) : null
      return {
        nominatedPowerW,
        deliveredWh: isKnown ? wattHours(delivered) : null,
        deliveredPowerW,
        exportedWh: exported === null ? null : wattHours(exported),
        performance:
          deliveredPowerW === null || nominatedPowerW === null || nominatedPowerW === 0
            ? null
            : roundTo(4, deliveredPowerW / nominatedPowerW),
        ...(reason === undefined ? {} : { reason }),
        sitesCounted: counted,
        sitesTotal: total,
        leftOut: Array.from(reasons, ([each, sites]) => ({ reason: each, sites })).toSorted(
          (one, other) => other.sites - one.sites || (one.reason < other.reason ? -1 : 1)
        ),
        intervals: intervals.map(toInterval)
      }
    }
  }
}
