import { verb } from "../kernel/verb.ts"
import type { Metric } from "@edp/domain/metrics/Metric"
import { type MetricSeries, metricCsv } from "@edp/domain/metrics/MetricSeries"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { CliFailure, usage } from "../kernel/CliFailure.ts"
import { request } from "../kernel/Connection.ts"
import { Output } from "../kernel/Output.ts"
import { pagingFlags, showList } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { asksForChart, writeCharts } from "./chartFiles.ts"
import { askedSpan, bucketFlags, filterFlags, metricArguments, outputFlags, spanFlags } from "./metrics/flags.ts"
import { metricPlots } from "./metrics/plots.ts"
import { resolveFilters, readMetrics, findTimezone, makeView } from "./metrics/question.ts"
import { metricTable } from "./metrics/table.ts"
import type { MetricView } from "./metrics/view.ts"

/** JSON output has the whole description. */
const firstSentence = (text: string) => text.split(/\. |; | \(/u)[0]

const columns: ReadonlyArray<Column<Metric>> = [
  { title: "METRIC", value: ({ name }) => name, whole: true },
  { title: "UNIT", value: ({ unit }) => unit, whole: true },
  { title: "AGGREGATION", value: ({ aggregation }) => aggregation, whole: true, wide: true },
  { title: "DEVICE TYPES", value: ({ deviceTypes }) => deviceTypes },
  { title: "DESCRIPTION", value: ({ description }) => firstSentence(description) }
]

const list = verb("metrics list", "List the metrics", pagingFlags, (flags) =>
  showList(flags, "metrics", columns, (query) => request("metrics", "list", { query }))
)

/** More colours would be hard to distinguish. */
const MOST_SERIES = 12

const requireFewSeries = ({ series }: MetricView) =>
  series.length <= MOST_SERIES
    ? Effect.void
    : Effect.fail(
        new CliFailure({
          code: "TOO_MANY_SERIES",
          message: `A chart shows at most ${MOST_SERIES} series, but there are ${series.length}`,
          details: ["Narrow them with --site, --device or --tag, or take --csv."]
        })
      )

const WIDTH_WITHOUT_TERMINAL = 80

const isEmpty = ({ series }: MetricView) => series.every(({ points }) => points.length === 0)

const nothing = "There is nothing to show: no buckets, or no devices with this metric."

const print = Effect.fnUntraced(function* (
  responses: ReadonlyArray<MetricSeries>,
  view: MetricView,
  as: { readonly csv: boolean; readonly plot: boolean }
) {
  const output = yield* Output
  // console.log adds the last line break.
  if (as.csv) return yield* Console.log(metricCsv(responses[0]!).trimEnd())
  const columns = Number.isFinite(output.columns) ? output.columns : WIDTH_WITHOUT_TERMINAL
  const text = () => (as.plot ? metricPlots(view, columns) : metricTable(view, output.columns))
  yield* output.show(responses.length === 1 ? responses[0] : responses, () => (isEmpty(view) ? nothing : text()))
})

const show = verb(
  "metrics show",
  "Show energy over time, or write a chart",
  { metrics: metricArguments, ...spanFlags, ...bucketFlags, ...filterFlags, ...outputFlags },
  Effect.fnUntraced(function* ({
    csv: wantsCsv,
    groupBy,
    metrics: named,
    period,
    plot,
    png,
    svg,
    timezone,
    title,
    ...flags
  }) {
    const output = yield* Output
    const csv = wantsCsv || output.format === "csv"
    const metrics = [...new Set(named)]
    const grouping = Option.getOrElse(groupBy, () => "none" as const)
    if (metrics.length > 1 && (csv || grouping !== "none")) {
      return yield* usage("--csv and --group-by take one metric at a time")
    }
    if (csv && (output.json || plot)) return yield* usage("--csv can't be combined with --json or --plot")
    const chart = { svg, png, title }
    const isChart = yield* asksForChart(chart)

    const { filters, place } = yield* resolveFilters(flags)
    const zone = Option.isSome(timezone) ? Effect.succeed(timezone.value) : findTimezone(metrics[0]!, filters)
    const span = yield* askedSpan(flags, zone)
    const responses = yield* readMetrics(metrics, {
      ...filters,
      ...span,
      ...(Option.isSome(period) && { period: period.value }),
      ...(Option.isSome(timezone) && { timezone: timezone.value }),
      ...(grouping !== "none" && { groupBy: grouping })
    })
    const view = yield* makeView(responses, place, grouping)
    if (isChart && isEmpty(view)) return yield* new CliFailure({ code: "NOTHING_TO_SHOW", message: nothing })
    if (isChart) {
      yield* requireFewSeries(view)
      yield* writeCharts(chart, async (title) => (await import("./metrics/charts/drawChart.ts")).drawChart(view, title))
    }
    if (!isChart || csv || plot || output.json) yield* print(responses, view, { csv, plot })
  }),
  [
    "edp metrics show generation --site home --year 2025",
    "edp metrics show load generation grid --site home --day 2025-06-21 --plot",
    "edp metrics show grid --site home --month 2025-06 --svg june.svg --png june.png",
    "edp metrics show consumption --timeframe 30d --group-by site --csv"
  ]
)

export const metrics = Command.make("metrics").pipe(
  Command.withDescription("Energy over time, as tables, CSV and charts"),
  Command.withSubcommands([list, show])
)
