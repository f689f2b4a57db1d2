import type { BarSeriesOption, EChartsOption, LineSeriesOption } from "echarts"
import { axisTicks } from "../ticks.ts"
import { type MetricView, type Unit, computeCoverage, isKnown, percent, spanText, unitFor } from "../view.ts"
import { type ChartSeries, chartSeries, legendTexts, minus } from "./chartSeries.ts"

const grey = "#eceff1"

/** Runs of true: start index and end index, exclusive. */
const runs = (flags: ReadonlyArray<boolean>): ReadonlyArray<readonly [from: number, to: number]> => {
  const found: Array<readonly [number, number]> = []
  for (let from = flags.indexOf(true); from >= 0;) {
    const end = flags.indexOf(false, from)
    const to = end < 0 ? flags.length : end
    found.push([from, to])
    from = flags.indexOf(true, to)
  }
  return found
}

/** Grey bands where there is no data. They have their own axis, which counts buckets. */
const unknownBands = ({ bounds, series }: MetricView): ReadonlyArray<LineSeriesOption> => {
  const unknown = bounds.slice(0, -1).map((_, bucket) => series.every(({ points }) => !isKnown(points[bucket]!)))
  if (!unknown.includes(true)) return []
  const areas = runs(unknown).map(([from, to]): [{ xAxis: number }, { xAxis: number }] => [
    { xAxis: from },
    { xAxis: to }
  ])
  return [
    {
      name: "no readings",
      type: "line",
      xAxisIndex: 1,
      yAxisIndex: 1,
      color: grey,
      animation: false,
      z: 0,
      data: [],
      markArea: { silent: true, animation: false, itemStyle: { color: grey }, label: { show: false }, data: areas }
    }
  ]
}

export const WIDTH = 1200
export const HEIGHT = 600
export const FONT = "Inter, 'Helvetica Neue', Arial, sans-serif"

const MARGIN = { left: 84, right: 36, top: 152, bottom: 64 } as const
/** Width of a letter on the time axis, and the gap between labels in letters. */
const PIXELS_OF_A_LETTER = 8
const GAP = 2
/** More bars are drawn as an area. */
const MOST_BARS = 180
const ink = { title: "#14212e", text: "#4a5866", axis: "#8d99a5", grid: "#e6eaee" } as const

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

const timeAxis = (view: MetricView) => {
  const buckets = view.bounds.length - 1
  const ticks = axisTicks(view, (WIDTH - MARGIN.left - MARGIN.right) / PIXELS_OF_A_LETTER, GAP)
  const texts = new Map(ticks.map(({ below, bucket, text }) => [bucket, below ? `${text}\n{below|${below}}` : text]))
  return {
    type: "category" as const,
    data: Array.from({ length: buckets }, (_, bucket) => `${bucket}`),
    axisLine: { onZero: false, lineStyle: { color: ink.axis } },
    axisTick: { interval: (bucket: number) => texts.has(bucket), lineStyle: { color: ink.axis } },
    axisLabel: {
      interval: (bucket: number) => texts.has(bucket),
      formatter: (name: string) => texts.get(Number(name)) ?? "",
      color: ink.text,
      fontSize: 13,
      lineHeight: 18,
      rich: { below: { color: ink.axis, fontSize: 12, lineHeight: 18 } }
    }
  }
}

const zeroLine = {
  silent: true,
  symbol: "none",
  animation: false,
  label: { show: false },
  lineStyle: { color: ink.text, width: 1, type: "solid" as const },
  data: [{ yAxis: 0 }]
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
  const bands = unknownBands(view)
  const legends = legendTexts(series)
  return {
    animation: false,
    backgroundColor: "#ffffff",
    textStyle: { fontFamily: FONT },
    title: {
      text: title ?? chartTitle(view),
      subtext: chartSubtitle(view, unit),
      left: 24,
      top: 20,
      itemGap: 8,
      textStyle: { color: ink.title, fontSize: 22, fontWeight: 600 },
      subtextStyle: { color: ink.text, fontSize: 14 }
    },
    legend: {
      left: 20,
      top: 84,
      itemWidth: 14,
      itemHeight: 14,
      itemGap: 24,
      icon: "roundRect",
      textStyle: { color: ink.text, fontSize: 14 },
      formatter: (name: string) => legends.get(name) ?? name,
      data: [...series, ...bands].map(({ name }) => ({ name: `${name}` }))
    },
    grid: { ...MARGIN },
    xAxis: [timeAxis(view), { type: "value", show: false, min: 0, max: buckets }],
    yAxis: [
      {
        type: "value",
        axisLine: { show: false },
        axisTick: { show: false },
        name: unit.symbol,
        nameGap: 14,
        nameTextStyle: { color: ink.text, fontSize: 13, align: "right", padding: [0, 8, 0, 0] },
        axisLabel: { color: ink.text, fontSize: 13, formatter: (value: number) => minus(value.toLocaleString("en")) },
        splitLine: { lineStyle: { color: ink.grid } }
      },
      { type: "value", show: false }
    ],
    series: [
      ...series.map((one, at) => ({
        ...drawn(one, unit, stacks * buckets <= MOST_BARS, stacks === 1),
        ...(at === 0 && { markLine: zeroLine })
      })),
      ...bands
    ]
  }
}
