import type { DispatchReport, MissingResult } from "@edp/domain/dispatches/DispatchReport"
import type { ReportedValue } from "./reportValues.ts"

/** The part of a report of a dispatch that says what it delivered. */
export type DeliveryReport = Pick<DispatchReport, "intervals" | "leftOut">

/** Sites that are left out for these reasons delivered nothing. Of others it is not known what they delivered. */
const idle: ReadonlySet<MissingResult> = new Set([
  "not_begun",
  "opted_out",
  "held_out",
  "did_not_take_part",
  "no_battery"
])

const lacksSites = ({ leftOut }: DeliveryReport) => leftOut.some(({ reason, sites }) => sites > 0 && !idle.has(reason))

/** Energy in a span, Wh; null where it is not known. */
interface Delivered {
  readonly wattHours: number | null
  readonly isWhole: boolean
}

const deliveredIn = ({ intervals }: DeliveryReport, from: number, to: number): ReadonlyArray<Delivered> =>
  intervals.flatMap(({ coverage, deliveredWh, endsAt, reason, startsAt }): ReadonlyArray<Delivered> => {
    const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)]
    const common = Math.min(end, to) - Math.max(start, from)
    if (common <= 0) return []
    // The dispatch was cancelled before: from then on it delivered nothing.
    if (reason === "not_ended") return [{ wattHours: 0, isWhole: false }]
    const share = common / (end - start)
    return [{ wattHours: deliveredWh === null ? null : deliveredWh * share, isWhole: share === 1 && coverage === 1 }]
  })

/**
 * The energy that would have been used without the dispatches of an event, kWh: what was used, and what they delivered. So both are
 * of the same sites, whatever the dispatches measure.
 */
export const baselineValue = (
  use: ReportedValue,
  { from, to }: { readonly from: number; readonly to: number },
  reports: ReadonlyArray<DeliveryReport>
): ReportedValue => {
  const parts = reports.flatMap((report) => deliveredIn(report, from, to))
  const known = parts.flatMap(({ wattHours }) => wattHours ?? [])
  if (typeof use.value !== "number" || known.length < parts.length) return { value: undefined, quality: "OK" }
  const value = Math.round((use.value + known.reduce((sum, each) => sum + each, 0) / 1000) * 1e6) / 1e6
  if (reports.some(lacksSites)) return { value, quality: "BAD" }
  const isWhole = parts.every((part) => part.isWhole)
  return { value, quality: use.quality === "OK" && !isWhole ? "ESTIMATED" : use.quality }
}
