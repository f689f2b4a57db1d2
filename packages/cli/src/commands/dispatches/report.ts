import type { DispatchReport, MissingResult, SiteResult } from "@edp/domain/dispatches/DispatchReport"
import { Console, Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { CliFailure, usage } from "../../kernel/CliFailure.ts"
import { Connection, request } from "../../kernel/Connection.ts"
import { Output } from "../../kernel/Output.ts"
import { siteLabels } from "../../kernel/find.ts"
import { given, pagingFlags } from "../../kernel/paging.ts"
import { type Column, renderRecord, renderTable } from "../../kernel/table.ts"
import { verb } from "../../kernel/verb.ts"
import { asksForChart, chartFlags, writeCharts } from "../chartFiles.ts"
import { percent } from "../metrics/view.ts"
import { reportPlot } from "./reportPlot.ts"
import { formatEnergy, formatPower, makeReportView } from "./reportView.ts"

const WIDTH_WITHOUT_TERMINAL = 80

const formatReason = (reason: MissingResult | undefined) => reason?.replaceAll("_", " ")

const withReason = (shown: string, reason: MissingResult | undefined) =>
  shown === "-" && reason !== undefined ? `- (${formatReason(reason)})` : shown

const reportFields = (name: string, report: DispatchReport) =>
  [
    ["dispatch", name],
    ["status", report.status],
    ["from", report.from],
    ["to", report.to],
    ["baseline", report.indicative ? `${report.baseline.method} (indicative)` : report.baseline.method],
    ["parameters", Object.keys(report.baseline.parameters).length === 0 ? null : report.baseline.parameters],
    ["nominated", formatPower(report.nominatedPowerW)],
    ["delivered", withReason(formatEnergy(report.deliveredWh), report.reason)],
    ["delivered power", withReason(formatPower(report.deliveredPowerW), report.reason)],
    ["exported", withReason(formatEnergy(report.exportedWh), report.reason)],
    ["performance", withReason(report.performance === null ? "-" : percent(report.performance), report.reason)],
    ["sites", `${report.sitesCounted} of ${report.sitesTotal} count`]
  ] as const

const siteColumns = (labels: ReadonlyMap<string, string>): ReadonlyArray<Column<SiteResult>> => [
  { title: "SITE ID", value: ({ siteId }) => siteId, whole: true },
  { title: "SITE", value: ({ siteId }) => labels.get(siteId) },
  { title: "BASELINE", value: ({ baselineWh }) => formatEnergy(baselineWh), right: true, whole: true },
  { title: "ACTUAL", value: ({ actualWh }) => formatEnergy(actualWh), right: true, whole: true },
  { title: "DELIVERED", value: ({ deliveredWh }) => formatEnergy(deliveredWh), right: true, whole: true },
  { title: "COVERAGE", value: ({ coverage }) => percent(coverage), right: true, whole: true },
  { title: "DAYS", value: ({ days }) => new Set(days.flatMap(({ daysUsed }) => daysUsed)).size, right: true },
  { title: "WHY", value: ({ reason }) => formatReason(reason) }
]

const readCsv = Effect.fnUntraced(function* (id: string) {
  const call = yield* (yield* Connection).endpoint("dispatchReports", "get")
  return yield* call({ params: { id }, headers: { accept: "text/csv" }, query: {} })
})

/** The report as text: figures, the plot, and a page of the sites. */
const formatReport = Effect.fnUntraced(function* (
  name: string,
  report: DispatchReport,
  plot: string | undefined,
  columns: number
) {
  const { data, page, totalItems, totalPages } = report.sites
  const labels = yield* siteLabels(data.map(({ siteId }) => siteId))
  const sites =
    data.length === 0
      ? []
      : [renderTable(siteColumns(labels), data, columns), `sites: page ${page} of ${totalPages}, ${totalItems} in all`]
  return [renderRecord(reportFields(name, report)), ...(plot === undefined ? [] : [plot]), ...sites].join("\n\n")
})

export const report = verb(
  "dispatches report",
  "Show what a dispatch delivered against its baseline, or write a chart of both",
  {
    id: Argument.String("dispatch").pipe(Argument.withDescription("Id of the dispatch")),
    page: pagingFlags.page,
    perPage: pagingFlags.perPage,
    csv: Flag.Boolean("csv").pipe(
      Flag.withDescription("Print the intervals of all sites as CSV, as in the API"),
      Flag.withDefault(false)
    ),
    ...chartFlags
  },
  Effect.fnUntraced(function* ({ csv: wantsCsv, id, page, perPage, ...chart }) {
    const output = yield* Output
    const csv = wantsCsv || output.format === "csv"
    if (csv && output.json) return yield* usage("--csv can't be combined with --json")
    const isChart = yield* asksForChart(chart)
    if (csv && isChart) return yield* usage("--csv can't be combined with --svg and --png")
    // console.log adds the last line break.
    if (csv) return yield* Console.log((yield* readCsv(id)).trimEnd())
    const dispatch = yield* request("dispatches", "get", { params: { id } })
    const response: DispatchReport = yield* request("dispatchReports", "get", {
      params: { id },
      headers: {},
      query: given({ page, perPage })
    })
    const view = makeReportView(dispatch, response)
    const isKnown = [...view.baseline, ...view.actual].some((value) => value !== null)
    if (isChart) {
      if (!isKnown) {
        return yield* new CliFailure({ code: "NOTHING_TO_SHOW", message: "Nothing is known of this dispatch yet" })
      }
      yield* writeCharts(chart, async (title) => (await import("./charts/drawReport.ts")).drawReport(view, title))
    }
    if (isChart && !output.json) return
    const columns = Number.isFinite(output.columns) ? output.columns : WIDTH_WITHOUT_TERMINAL
    const plot = isKnown ? reportPlot(view, columns) : undefined
    const text = output.json ? "" : yield* formatReport(dispatch.name, response, plot, output.columns)
    yield* output.show(response, () => text)
  }),
  [
    "edp dispatches report DISPATCH_ID",
    "edp dispatches report DISPATCH_ID --svg evening.svg --png evening.png --title 'Hot evening'",
    "edp dispatches report DISPATCH_ID --csv"
  ]
)
