import type { BarSeriesOption, EChartsOption, LineSeriesOption } from "echarts"
import { chartFrame, unknownBands, zeroLine } from "../../charts/chartFrame.ts"
import { type MetricView, type Unit, computeCoverage, isKnown, percent, spanText, unitFor } from "../view.ts"
import { type ChartSeries, chartSeries, legendLabels } from "./chartSeries.ts"

/** More bars are drawn as an area. */
const MOST_BARS = 180

const perBucket = { "15m": "quarter of an hour", hour: "hour", day: "day", week: "week", month: "month", year: "year" }

/** Heights of the stacks above and below zero in Wh. */
const heights = (series: ReadonlyArray<ChartSeries>): ReadonlyArray<number> => {
  const sums = new Map<string, number>()
  for (const { stack, values } of series) {
    for (const [bucket, value] of values.entries()) {
      if (value === null) continue
      const key = `${stack} ${bucket} ${value < 0}`
      sums.set(key, (sums.get(key) ?? 0) + value)
    }
  }
  return [...sums.values()]
}

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

const chartTitle = ({ series }: MetricView) => {
  const names = [...new Set(series.map(({ metric }) => metric as string))]
  const last = names.pop()!
  return capital(names.length === 0 ? last : `${names.join(", ")} and ${last}`)
}

const chartSubtitle = (view: MetricView, unit: Unit) => {
  const { bounds, period, place, series, timezone } = view
  const coverage = Math.min(...series.map((one) => computeCoverage(one, bounds)))
  const partial = coverage < 1 ? [`readings cover ${percent(coverage)}`] : []
  const span = spanText(bounds[0]!, bounds.at(-1)!, timezone)
  return [place, span, `${unit.symbol} per ${perBucket[period]}`, timezone, ...partial].join("  ·  ")
}

const drawn = (one: ChartSeries, unit: Unit, asBars: boolean, opaque: boolean): BarSeriesOption | LineSeriesOption => {
  const data = one.values.map((value) => (value === null ? null : value / unit.size)) as Array<number>
  const shared = { name: one.name, data, color: one.color, animation: false }
  if (one.isLevel)
    return { ...shared, type: "line", symbol: asBars ? "circle" : "none", symbolSize: 5, lineStyle: { width: 2 } }
  if (asBars) return { ...shared, type: "bar", stack: one.stack, barCategoryGap: "28%", barGap: "8%" }
  return {
    ...shared,
    type: "line",
    step: "middle",
    stack: one.stack,
    symbol: "none",
    lineStyle: { width: opaque ? 1 : 1.3 },
    areaStyle: { opacity: opaque ? 0.85 : 0.2 }
  }
}

/** The chart as an echarts option. */
export const chartOption = (view: MetricView, title: string | undefined): EChartsOption => {
  const series = chartSeries(view)
  const unit = unitFor(heights(series))
  const buckets = view.bounds.length - 1
  const stacks = new Set(series.map(({ stack }) => stack)).size
  const unknown = view.bounds
    .slice(0, -1)
    .map((_, bucket) => view.series.every(({ points }) => !isKnown(points[bucket]!)))
  const bands = unknownBands(unknown)
  const bandLegends = bands.map(({ name }) => [`${name}`, `${name}`] as const)
  return {
    ...chartFrame(view, {
      title: title ?? chartTitle(view),
      subtitle: chartSubtitle(view, unit),
      unit: unit.symbol,
      legends: new Map([...legendLabels(series), ...bandLegends])
    }),
    series: [
      ...series.map((one, at) => ({
        ...drawn(one, unit, stacks * buckets <= MOST_BARS, stacks === 1),
        ...(at === 0 && { markLine: zeroLine })
      })),
      ...bands
    ]
  }
}
