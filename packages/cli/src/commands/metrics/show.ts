import { type MetricSeries, metricCsv } from "@edp/domain/metrics/MetricSeries"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { CliFailure, usage } from "../../CliFailure.ts"
import { Output } from "../../Output.ts"
import { bucketFlags, filterFlags, metricArguments, outputFlags, spanFlags } from "./flags.ts"
import { metricPlots } from "./plots.ts"
import { questionOf } from "./question.ts"
import { readMetrics, timezoneOf, viewOf } from "./read.ts"
import { askedSpan } from "./span.ts"
import { metricTable } from "./table.ts"
import type { MetricView } from "./view.ts"
import { writeCharts } from "./writeCharts.ts"

const WIDTH_WITHOUT_TERMINAL = 80

const isEmpty = ({ series }: MetricView) => series.every(({ points }) => points.length === 0)

const nothing = "There is nothing to show: no buckets, or no devices that tell of it."

const print = Effect.fnUntraced(function* (
  answers: ReadonlyArray<MetricSeries>,
  view: MetricView,
  as: { readonly csv: boolean; readonly plot: boolean }
) {
  const output = yield* Output
  // Its last line ends by itself.
  if (as.csv) return yield* Console.log(metricCsv(answers[0]!).trimEnd())
  const columns = Number.isFinite(output.columns) ? output.columns : WIDTH_WITHOUT_TERMINAL
  const text = () => (as.plot ? metricPlots(view, columns) : metricTable(view, output.columns))
  yield* output.show(answers.length === 1 ? answers[0] : answers, () => (isEmpty(view) ? nothing : text()))
})

export const show = Command.make(
  "show",
  { metrics: metricArguments, ...spanFlags, ...bucketFlags, ...filterFlags, ...outputFlags },
  Effect.fn("metrics.show")(function* ({
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
      return yield* usage("--csv and --group-by are for one metric at a time")
    }
    if (csv && (output.json || plot)) return yield* usage("--csv goes with neither --json nor --plot")
    const files = { svg: Option.getOrUndefined(svg), png: Option.getOrUndefined(png) }
    const isChart = files.svg !== undefined || files.png !== undefined
    if (Option.isSome(title) && !isChart) return yield* usage("--title is for --svg and --png")

    const { filters, place } = yield* questionOf(flags)
    const zone = Option.isSome(timezone) ? Effect.succeed(timezone.value) : timezoneOf(metrics[0]!, filters)
    const span = yield* askedSpan(flags, zone)
    const answers = yield* readMetrics(metrics, {
      ...filters,
      ...span,
      ...(Option.isSome(period) && { period: period.value }),
      ...(Option.isSome(timezone) && { timezone: timezone.value }),
      ...(grouping !== "none" && { groupBy: grouping })
    })
    const view = yield* viewOf(answers, place, grouping)
    if (isChart && isEmpty(view)) return yield* new CliFailure({ code: "NOTHING_TO_SHOW", message: nothing })
    if (isChart) yield* writeCharts(view, { ...files, title: Option.getOrUndefined(title) })
    if (!isChart || csv || plot || output.json) yield* print(answers, view, { csv, plot })
  })
).pipe(
  Command.withDescription("Show energies over time, or write a chart of them"),
  Command.withExamples([
    { command: "edp metrics show generation --site home --year 2025" },
    { command: "edp metrics show load generation grid --site home --day 2025-06-21 --plot" },
    { command: "edp metrics show grid --site home --month 2025-06 --svg june.svg --png june.png" },
    { command: "edp metrics show consumption --timeframe 30d --group-by site --csv" }
  ])
)
