import type { EChartsOption, LineSeriesOption } from "echarts"
import { type TimeFrame, axisTicks } from "../metrics/ticks.ts"

export const WIDTH = 1200
export const HEIGHT = 600
const FONT = "Inter, 'Helvetica Neue', Arial, sans-serif"

const MARGIN = { left: 84, right: 36, top: 152, bottom: 64 } as const
/** Width of a letter on the time axis, and the gap between labels in letters. */
const PIXELS_OF_A_LETTER = 8
const GAP = 2
const ink = { title: "#14212e", text: "#4a5866", axis: "#8d99a5", grid: "#e6eaee" } as const
const grey = "#eceff1"

/** Uses the minus sign instead of the shorter hyphen. */
export const minus = (text: string) => text.replace("-", "−")

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

/** Grey bands over the buckets of which nothing is known. They have their own axis, which counts buckets. */
export const unknownBands = (unknown: ReadonlyArray<boolean>): ReadonlyArray<LineSeriesOption> => {
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

const labels = {
  color: ink.text,
  fontSize: 13,
  lineHeight: 18,
  rich: { below: { color: ink.axis, fontSize: 12, lineHeight: 18 } }
}

/** Values belong to buckets, or to points in time that are counted in buckets. */
export type TimeAxis = "category" | "value"

const timeAxis = (frame: TimeFrame, type: TimeAxis) => {
  const buckets = frame.bounds.length - 1
  const ticks = axisTicks(frame, (WIDTH - MARGIN.left - MARGIN.right) / PIXELS_OF_A_LETTER, GAP)
  const texts = new Map(ticks.map(({ below, bucket, text }) => [bucket, below ? `${text}\n{below|${below}}` : text]))
  if (type === "value") {
    return {
      type,
      min: 0,
      max: buckets,
      interval: 1,
      axisLine: { onZero: false, lineStyle: { color: ink.axis } },
      splitLine: { show: false },
      axisLabel: { ...labels, formatter: (bucket: number) => texts.get(bucket) ?? "" }
    }
  }
  return {
    type,
    data: Array.from({ length: buckets }, (_, bucket) => `${bucket}`),
    axisLine: { onZero: false, lineStyle: { color: ink.axis } },
    axisTick: { interval: (bucket: number) => texts.has(bucket), lineStyle: { color: ink.axis } },
    axisLabel: {
      interval: (bucket: number) => texts.has(bucket),
      ...labels,
      formatter: (name: string) => texts.get(Number(name)) ?? ""
    }
  }
}

/** The line at zero, which a series carries. */
export const zeroLine = {
  silent: true,
  symbol: "none",
  animation: false,
  label: { show: false },
  lineStyle: { color: ink.text, width: 1, type: "solid" as const },
  data: [{ yAxis: 0 }]
}

export interface ChartTexts {
  readonly title: string
  readonly subtitle: string
  readonly unit: string
  /** The names of the series that the legend has, and their texts. */
  readonly legends: ReadonlyMap<string, string>
}

/** All of a chart but its series: texts, legend and axes. */
export const chartFrame = (
  frame: TimeFrame,
  { legends, subtitle, title, unit }: ChartTexts,
  time: TimeAxis = "category"
): EChartsOption => ({
  animation: false,
  backgroundColor: "#ffffff",
  textStyle: { fontFamily: FONT },
  title: {
    text: title,
    subtext: subtitle,
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
    data: Array.from(legends.keys(), (name) => ({ name }))
  },
  grid: { ...MARGIN },
  xAxis: [timeAxis(frame, time), { type: "value", show: false, min: 0, max: frame.bounds.length - 1 }],
  yAxis: [
    {
      type: "value",
      axisLine: { show: false },
      axisTick: { show: false },
      name: unit,
      nameGap: 14,
      nameTextStyle: { color: ink.text, fontSize: 13, align: "right", padding: [0, 8, 0, 0] },
      axisLabel: { color: ink.text, fontSize: 13, formatter: (value: number) => minus(value.toLocaleString("en")) },
      splitLine: { lineStyle: { color: ink.grid } }
    },
    { type: "value", show: false }
  ]
})
