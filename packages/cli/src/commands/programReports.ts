import {
  type ProgramReport,
  type ReportDay,
  type UnresponsiveDevice,
  reportCsv
} from "@edp/domain/dispatches/ProgramReport"
import { timeframes } from "@edp/domain/metrics/MetricQuery"
import { Console, Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { Output, showTable } from "../kernel/Output.ts"
import { deviceNames, findInstance, instanceArgument } from "../kernel/find.ts"
import { text } from "../kernel/flags.ts"
import { given } from "../kernel/paging.ts"
import { type Column, renderRecord, renderTable } from "../kernel/table.ts"
import { verb } from "../kernel/verb.ts"
import { amount, percent, unitFor } from "./metrics/view.ts"

const spanFlags = {
  timeframe: Flag.Literals("timeframe", timeframes).pipe(
    Flag.withDescription("Time range until now; default: 30d"),
    Flag.optional
  ),
  from: text("from", "Start, such as 2026-07-01T00:00:00-07:00; default: 30 days before --to"),
  to: text("to", "End, exclusive; default: now")
}

interface SpanFlags {
  readonly timeframe: Option.Option<(typeof timeframes)[number]>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
}

const readReport = Effect.fnUntraced(function* (id: string, { from, timeframe, to }: SpanFlags) {
  const query = given({ from, timeframe, to })
  const report: ProgramReport = yield* request("programReports", "get", { params: { id }, headers: {}, query })
  return report
})

/** An energy, a capacity or a power; a dash where it is not known. */
const formatFigure = (value: number | null, suffix: "h" | "") => {
  if (value === null) return "-"
  const unit = unitFor([value])
  const symbol = suffix === "h" ? unit.symbol : unit.symbol.slice(0, -1)
  return `${amount(value, unit, unit.size === 1 ? 0 : 1)} ${symbol}`
}

const energy = (value: number | null) => formatFigure(value, "h")
const power = (value: number | null) => formatFigure(value, "")

const formatCounts = (rows: ReadonlyArray<readonly [name: string, count: number]>) =>
  rows.filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`)

const reasons = {
  no_devices: "no device is enrolled",
  no_batteries: "no battery is enrolled",
  not_known: "no battery states it",
  no_readings: "no readings",
  not_counted: "only test dispatches, or too short a time",
  future: "not begun"
} as const

const why = (reason: keyof typeof reasons | undefined) => (reason === undefined ? null : reasons[reason])

const withReason = (shown: string, reason: keyof typeof reasons | undefined) =>
  shown === "-" && reason !== undefined ? `- (${reasons[reason]})` : shown

const reportFields = (report: ProgramReport) =>
  [
    ["instance", report.programInstanceId],
    ["from", report.from],
    ["to", report.to],
    ["time zone", report.timezone],
    ["enrollments", formatCounts(report.enrollments.map(({ count, status }) => [status, count]))],
    ["devices", formatCounts(report.devices.map(({ count, type }) => [type, count]))],
    [
      "capacity",
      `${withReason(energy(report.capacityWh), report.capacityReason)}${
        report.capacityWh === null ? "" : ` of ${report.batteriesWithCapacity} of ${report.batteries} batteries`
      }`
    ],
    ["discharge power", withReason(power(report.dischargePowerW), report.capacityReason)],
    ["charge power", withReason(power(report.chargePowerW), report.capacityReason)],
    ["discharged", withReason(energy(report.dischargedWh), report.reason)],
    ["charged", withReason(energy(report.chargedWh), report.reason)],
    ["coverage", percent(report.coverage)]
  ] as const

const dayColumns: ReadonlyArray<Column<ReportDay>> = [
  { title: "DAY", value: ({ date }) => date, whole: true },
  { title: "ENROLLED", value: ({ enrollments }) => enrollments, right: true, whole: true },
  { title: "DEVICES", value: ({ devices }) => devices, right: true, whole: true },
  { title: "CAPACITY", value: ({ capacityWh }) => energy(capacityWh), right: true, whole: true },
  { title: "DISCHARGED", value: ({ dischargedWh }) => energy(dischargedWh), right: true, whole: true },
  { title: "CHARGED", value: ({ chargedWh }) => energy(chargedWh), right: true, whole: true },
  { title: "COVERAGE", value: ({ coverage }) => percent(coverage), right: true, whole: true },
  { title: "WHY", value: ({ reason }) => why(reason) }
]

const unresponsiveColumns = (names: ReadonlyMap<string, string>): ReadonlyArray<Column<UnresponsiveDevice>> => [
  { title: "DEVICE ID", value: ({ deviceId }) => deviceId, whole: true },
  { title: "DEVICE", value: ({ deviceId }) => names.get(deviceId) },
  { title: "UNRESPONSIVE", value: ({ dispatches, unresponsive }) => `${unresponsive} of ${dispatches}`, right: true },
  { title: "LAST", value: ({ lastUnresponsiveAt }) => lastUnresponsiveAt, time: true, whole: true }
]

/** The devices of a report that are listed in text; JSON has all. */
const MOST_LISTED = 20

const formatUnresponsive = Effect.fnUntraced(function* (report: ProgramReport, columns: number) {
  const shown = report.unresponsiveDevices.slice(0, MOST_LISTED)
  if (shown.length === 0) return "Every device responded to the dispatches of the last 12 months."
  const names = yield* deviceNames(shown.map(({ deviceId }) => deviceId))
  const heading = `Devices that did not respond in the last 12 months: ${report.unresponsiveTotal}`
  return `${heading}\n\n${renderTable(unresponsiveColumns(names), shown, columns)}`
})

/** `edp instances report`. */
export const instanceReport = verb(
  "instances report",
  "Report enrollments, devices, capacity and energy of a program instance, by day",
  {
    instance: instanceArgument,
    ...spanFlags,
    csv: Flag.Boolean("csv").pipe(Flag.withDescription("Print the days as CSV, as in the API"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ csv, instance, ...flags }) {
    const output = yield* Output
    if (csv && output.json) return yield* usage("--csv can't be combined with --json")
    const { id } = yield* findInstance(instance)
    const report = yield* readReport(id, flags)
    // console.log adds the last line break.
    if (csv || output.format === "csv") return yield* Console.log(reportCsv(report.days).trimEnd())
    if (output.json) return yield* output.show(report, () => "")
    const unresponsive = yield* formatUnresponsive(report, output.columns)
    const parts = [
      renderRecord(reportFields(report)),
      renderTable(dayColumns, report.days, output.columns),
      unresponsive
    ]
    yield* output.show(report, () => parts.join("\n\n"))
  }),
  ["edp instances report summer", "edp instances report summer --timeframe 90d --csv"]
)

interface InstanceRow {
  readonly slug: string
  readonly report: ProgramReport
}

const instanceColumns: ReadonlyArray<Column<InstanceRow>> = [
  { title: "INSTANCE", value: ({ slug }) => slug, whole: true },
  {
    title: "APPROVED",
    value: ({ report }) => report.enrollments.find(({ status }) => status === "approved")?.count ?? 0,
    right: true,
    whole: true
  },
  {
    title: "DEVICES",
    value: ({ report }) => report.devices.reduce((sum, { count }) => sum + count, 0),
    right: true,
    whole: true
  },
  { title: "CAPACITY", value: ({ report }) => energy(report.capacityWh), right: true, whole: true },
  { title: "POWER", value: ({ report }) => power(report.dischargePowerW), right: true, whole: true },
  { title: "DISCHARGED", value: ({ report }) => energy(report.dischargedWh), right: true, whole: true },
  { title: "CHARGED", value: ({ report }) => energy(report.chargedWh), right: true, whole: true },
  { title: "COVERAGE", value: ({ report }) => percent(report.coverage), right: true, whole: true },
  { title: "UNRESPONSIVE", value: ({ report }) => report.unresponsiveTotal, right: true, whole: true }
]

/** `edp programs report`. */
export const programReport = verb(
  "programs report",
  "Report the program instances of the workspace, a line for each",
  { slug: Argument.String("slug").pipe(Argument.withDescription("Slug of the program")), ...spanFlags },
  Effect.fnUntraced(function* ({ slug, ...flags }) {
    yield* request("programs", "get", { params: { slug } })
    const { data } = yield* request("programInstances", "list", { query: { programSlug: [slug], perPage: 100 } })
    const rows = yield* Effect.forEach(data, ({ id, slug }) =>
      Effect.map(readReport(id, flags), (report): InstanceRow => ({ slug, report }))
    )
    yield* showTable(
      rows.map(({ report }) => report),
      instanceColumns,
      rows
    )
  }),
  ["edp programs report evening-peak --timeframe 7d"]
)
