import type {
  BaselineDay,
  MissingResult,
  ReportInterval,
  SiteResult,
  DispatchReport
} from "@edp/domain/dispatches/DispatchReport"
import type { Span } from "../../energy/intervals.ts"
import { coverageShare, wattHours } from "../../energy/totals.ts"
import type { DayBaseline } from "../baselines/dayBaseline.ts"
import { type Calendar, formatDay } from "../baselines/holidays.ts"
import type { Adjustment } from "../baselines/means.ts"
import { LEAST_COVERAGE, type Series, coverageIn, knownAmounts, lengthInMs, sumKnown } from "../baselines/series.ts"
import type { LeftOut } from "../baselines/selection.ts"
import type { DispatchPart } from "../baselines/windows.ts"
import type { Dispatch } from "@edp/domain/dispatches/Dispatch"

/** The performance of a site in a dispatch. The series have the intervals of the dispatch. */
export interface SiteOutcome {
  readonly siteId: string
  readonly timezone: string
  readonly days: ReadonlyArray<BaselineDay>
  /** Why the site does not count. */
  readonly reason: MissingResult | undefined
  /** µWh; null where it is not known. */
  readonly baseline: ReadonlyArray<bigint | null>
  readonly actual: ReadonlyArray<bigint | null>
  /** Milliseconds of each interval that readings cover. */
  readonly covered: ReadonlyArray<number>
  /** µWh; null if the grid is not measured. */
  readonly exported: bigint | null
  readonly coverage: number
}

/** An estimate of the use of a site without the dispatch. */
export interface SiteBaseline {
  readonly days: ReadonlyArray<BaselineDay>
  /** µWh of all intervals; undefined if the method finds none, with the reason. */
  readonly amounts: ReadonlyArray<bigint | null> | undefined
  readonly reason: MissingResult
}

/** The figures that make the outcome of a site. */
export interface SiteFigures {
  /** Why nothing is measured. */
  readonly missing: MissingResult | undefined
  /** Undefined if nothing is measured, and for a hold-out. */
  readonly baseline: SiteBaseline | undefined
  readonly use: { readonly measured: Series; readonly exported: bigint | null } | undefined
}

/** The outcome of a site in the intervals that have passed. */
export const toOutcome = (
  site: { readonly siteId: string; readonly timezone: string },
  { missing, use }: SiteFigures,
  { amounts, days, reason }: SiteBaseline,
  window: ReadonlyArray<Span>
): SiteOutcome => {
  if (use === undefined) return leftOutSite(site, missing ?? "no_readings")
  const measured = coverageIn(use.measured, window)
  const coverage = coverageShare(measured, 1)
  const unmeasured = coverage === 0 ? "no_readings" : measured < LEAST_COVERAGE ? "low_coverage" : undefined
  return {
    siteId: site.siteId,
    timezone: site.timezone,
    days,
    reason: unmeasured ?? (amounts === undefined ? reason : undefined),
    baseline: (amounts ?? []).slice(0, window.length),
    ...toActual(use.measured, window),
    exported: use.exported,
    coverage
  }
}

/** A site of which nothing is computed. */
export const leftOutSite = (
  { siteId, timezone }: { readonly siteId: string; readonly timezone: string },
  reason: MissingResult,
  days: ReadonlyArray<BaselineDay> = []
): SiteOutcome => ({
  siteId,
  timezone,
  days,
  reason,
  baseline: [],
  actual: [],
  covered: [],
  exported: null,
  coverage: 0
})

const W_PER_MICRO_PER_MS = 3.6

/** Energy (µWh) in a time (milliseconds) as power, W. */
const toWatts = (amount: bigint, time: number) => (Number(amount) * W_PER_MICRO_PER_MS) / time

const roundTo = (decimals: number, value: number) => Math.round(value * 10 ** decimals) / 10 ** decimals || 0

const toAdjustment = (adjustment: Adjustment | undefined): BaselineDay["adjustment"] => {
  if (adjustment === undefined) return null
  return adjustment.kind === "multiplicative"
    ? { kind: "multiplicative", factor: Number(adjustment.millionths) / 1_000_000, offsetW: null }
    : { kind: "additive", factor: null, offsetW: roundTo(3, toWatts(adjustment.amount, adjustment.time)) }
}

/** How the baseline of a part of a dispatch was computed. */
export const toBaselineDay = (
  { day }: DispatchPart,
  calendar: Calendar,
  { adjustment, leftOut, unadjusted, used }: DayBaseline,
  unusable: ReadonlyArray<LeftOut>
): BaselineDay => ({
  date: formatDay(day),
  dayType: calendar(day),
  daysUsed: used.map(formatDay),
  daysLeftOut: [...unusable, ...leftOut]
    .toSorted((one, other) => other.day - one.day)
    .map((each) => ({ date: formatDay(each.day), reason: each.reason })),
  adjustment: toAdjustment(adjustment),
  ...(unadjusted === undefined ? {} : { unadjusted })
})

/** The energy that flows to the grid, by the net use of each interval. */
export const exportedIn = (amounts: ReadonlyArray<bigint | null>) =>
  amounts.reduce<bigint>((sum, amount) => (amount !== null && amount < 0n ? sum - amount : sum), 0n)

/** The sums of a site over the intervals in which both the baseline and the use are known. */
export const siteSums = ({ actual, baseline }: SiteOutcome, intervals: ReadonlyArray<Span>) => {
  const isKnown = (index: number) => (actual[index] ?? null) !== null && (baseline[index] ?? null) !== null
  const both = (amounts: ReadonlyArray<bigint | null>) =>
    sumKnown(
      amounts.map((amount, index) => (isKnown(index) ? amount : null)),
      intervals
    )
  const [expected, used] = [both(baseline), both(actual)]
  return { baseline: expected.amount, actual: used.amount, time: used.time }
}

export const toSiteResult = (outcome: SiteOutcome, intervals: ReadonlyArray<Span>): SiteResult => {
  const { coverage, days, exported, reason, siteId, timezone } = outcome
  const identity = { siteId, timezone, days: [...days] }
  const known = { exportedWh: exported === null ? null : wattHours(exported), coverage }
  if (reason !== undefined) {
    return { ...identity, baselineWh: null, actualWh: null, deliveredWh: null, ...known, exportedWh: null, reason }
  }
  const { actual, baseline } = siteSums(outcome, intervals)
  return {
    ...identity,
    baselineWh: wattHours(baseline),
    actualWh: wattHours(actual),
    deliveredWh: wattHours(baseline - actual),
    ...known
  }
}

/** The intervals of a site, as the CSV shows them. */
export const toSiteIntervals = (
  outcome: SiteOutcome,
  intervals: ReadonlyArray<Span>,
  passed: number
): ReadonlyArray<ReportInterval> =>
  intervals.map((interval, index) => {
    const times = { startsAt: new Date(interval.from).toISOString(), endsAt: new Date(interval.to).toISOString() }
    const nothing = { baselineWh: null, actualWh: null, deliveredWh: null }
    const [baseline, actual] = [outcome.baseline[index] ?? null, outcome.actual[index] ?? null]
    const coverage = coverageShare(outcome.covered[index] ?? 0, lengthInMs(interval))
    if (outcome.reason !== undefined) return { ...times, ...nothing, coverage, reason: outcome.reason }
    if (index >= passed) return { ...times, ...nothing, coverage, reason: "not_ended" }
    if (baseline === null || actual === null) {
      return { ...times, ...nothing, coverage, reason: coverage === 0 ? "no_readings" : "low_coverage" }
    }
    return {
      ...times,
      baselineWh: wattHours(baseline),
      actualWh: wattHours(actual),
      deliveredWh: wattHours(baseline - actual),
      coverage
    }
  })

/** The amounts that count of what was measured, and the time that readings cover. */
export const toActual = (measured: Series, intervals: ReadonlyArray<Span>) => ({
  actual: knownAmounts(measured, intervals),
  covered: measured.map(({ covered }, index) => Math.min(covered, lengthInMs(intervals[index]!)))
})

/** The columns of the CSV of a dispatch's report. */
export const reportCsvHeader = "siteId,startsAt,endsAt,baselineWh,actualWh,deliveredWh,coverage,reason\r\n"

/** The rows of a site: no cell needs quotes. */
export const reportCsvRows = (siteId: string, intervals: ReadonlyArray<ReportInterval>): string =>
  intervals
    .map(({ actualWh, baselineWh, coverage, deliveredWh, endsAt, reason, startsAt }) =>
      [siteId, startsAt, endsAt, baselineWh ?? "", actualWh ?? "", deliveredWh ?? "", coverage, reason ?? ""].join(",")
    )
    .map((line) => `${line}\r\n`)
    .join("")

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
