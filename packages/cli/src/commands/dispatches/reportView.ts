import type { Dispatch } from "@edp/domain/dispatches/Dispatch"
import type { DispatchReport, ReportInterval } from "@edp/domain/dispatches/DispatchReport"
import { isSameTimezone } from "@edp/domain/shared/Timezone"
import { amount, percent, spanText, unitFor } from "../metrics/view.ts"
import type { TimeFrame } from "../metrics/ticks.ts"

const HOUR = 3_600_000

/** Baseline and actual use of a dispatch over time, as mean powers. */
export interface ReportView extends TimeFrame {
  readonly name: string
  readonly method: string
  /** W in each bucket, positive is import; null where it is not known. */
  readonly baseline: ReadonlyArray<number | null>
  readonly actual: ReadonlyArray<number | null>
  /** One line with the result. */
  readonly result: string
}

/** The zone that all sites of the page share, else UTC. */
const commonTimezone = ({ sites }: DispatchReport) => {
  const [first, ...others] = sites.data.map(({ timezone }) => timezone)
  return first !== undefined && others.every((other) => isSameTimezone(first, other)) ? first : "UTC"
}

const toPower = (energy: number | null, { endsAt, startsAt }: ReportInterval) =>
  energy === null ? null : (energy * HOUR) / (Date.parse(endsAt) - Date.parse(startsAt))

/** A power in the unit that suits it. */
export const formatPower = (watts: number | null): string => {
  if (watts === null) return "-"
  const unit = unitFor([watts])
  return `${amount(watts, unit, unit.size === 1 ? 0 : 1)} ${unit.symbol.slice(0, -1)}`
}

/** An energy in the unit that suits it. */
export const formatEnergy = (energy: number | null): string => {
  if (energy === null) return "-"
  const unit = unitFor([energy])
  return `${amount(energy, unit, unit.size === 1 ? 0 : 1)} ${unit.symbol}`
}

const formatResult = ({ deliveredPowerW, deliveredWh, performance, sitesCounted, sitesTotal }: DispatchReport) =>
  [
    deliveredWh === null
      ? "nothing is known to be delivered"
      : `delivered ${formatEnergy(deliveredWh)}, ${formatPower(deliveredPowerW)} on average`,
    ...(performance === null ? [] : [`performance ${percent(performance)}`]),
    `${sitesCounted} of ${sitesTotal} sites count`
  ].join("  ·  ")

export const makeReportView = ({ name }: Dispatch, report: DispatchReport): ReportView => {
  const { baseline, intervals } = report
  const bounds: Array<number> = []
  const powers = { baseline: [] as Array<number | null>, actual: [] as Array<number | null> }
  const add = (from: number, base: number | null, used: number | null) => {
    bounds.push(from)
    powers.baseline.push(base)
    powers.actual.push(used)
  }
  let end: number | undefined
  for (const interval of intervals) {
    const from = Date.parse(interval.startsAt)
    // Between two intervals of a dispatch its devices have their own settings.
    if (end !== undefined && from > end) add(end, null, null)
    add(from, toPower(interval.baselineWh, interval), toPower(interval.actualWh, interval))
    end = Date.parse(interval.endsAt)
  }
  return {
    ...powers,
    name,
    method: report.indicative ? `${baseline.method}, indicative` : baseline.method,
    result: formatResult(report),
    bounds: end === undefined ? [] : [...bounds, end],
    period: "15m",
    timezone: commonTimezone(report)
  }
}

/** The time of a dispatch with its zone. */
export const formatSpan = ({ bounds, timezone }: TimeFrame) =>
  `${spanText(bounds[0]!, bounds.at(-1)!, timezone)} (${timezone})`
