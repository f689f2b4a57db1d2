import type { Language } from "@edp/domain/shared/Language"
import { formatQuantity, formatTime, type Unit } from "../i18n/format.ts"
import type { Band, Point, Series } from "./series.ts"
import { timeTicks } from "./ticks.ts"

/** The colours of the page, read from its style sheet when a chart is drawn. */
export type Palette = (name: string) => string

interface Shown {
  readonly series: ReadonlyArray<Series>
  readonly bands: ReadonlyArray<Band>
  readonly from: number
  readonly to: number
  readonly timeZone: string | undefined
  readonly timeFormat: Intl.DateTimeFormatOptions | undefined
  readonly language: Language
  readonly color: Palette
  readonly noData: string
  /** The present: what lasts is known until now. */
  readonly now: number
}

const bandColors: Readonly<Record<Band["state"], string>> = {
  outage: "--bad-soft",
  dispatch: "--info-soft",
  clock: "--marked",
  alert: "--warn-soft"
}

const DAY = 86_400_000

const axisTime = ({ from, to, timeZone, language }: Shown) => {
  const span = to - from
  const zone = timeZone === undefined ? {} : { timeZone }
  const options: Intl.DateTimeFormatOptions =
    span <= 2 * DAY
      ? { hour: "numeric", minute: "2-digit", ...zone }
      : span <= 100 * DAY
        ? { month: "short", day: "numeric", ...zone }
        : span <= 400 * DAY
          ? { month: "short", ...zone }
          : { month: "short", year: "numeric", ...zone }
  return (time: number) => formatTime(language, time, options)
}

/** The lines of the box beside the pointer. Built from nodes, because the page's policy allows no styles in markup. */
const tip = ({ series, timeZone, timeFormat, language, color, noData }: Shown) => {
  // The box is asked for later, when the colours of the page can no longer be read.
  const colors = new Map(series.map(({ color: name }) => [name, color(`--chart-${name}`)]))
  return (items: unknown) => {
    const box = document.createElement("div")
    box.className = "chart-tip"
    const list = (Array.isArray(items) ? items : [items]) as ReadonlyArray<{
      readonly axisValue: number
      readonly seriesId: string
      readonly value: readonly [number, number | null, number?]
    }>
    const time = list[0]?.value[2] ?? list[0]?.axisValue
    if (time === undefined) return box
    const head = document.createElement("strong")
    head.textContent = formatTime(language, time, {
      ...(timeFormat ?? { dateStyle: "medium", timeStyle: "short" }),
      ...(timeZone !== undefined && { timeZone })
    })
    box.append(head)
    for (const each of series) {
      const value = list.find(({ seriesId }) => seriesId === each.id)?.value[1]
      const line = document.createElement("span")
      const mark = document.createElement("span")
      mark.className = "legend-mark"
      mark.style.background = colors.get(each.color)!
      line.append(
        mark,
        `${each.name}: ${value === null || value === undefined ? noData : formatQuantity(language, value, each.unit)}`
      )
      box.append(line)
    }
    return box
  }
}

const yAxis = (unit: Unit, index: number, { language, color }: Shown) => ({
  type: "value" as const,
  position: index === 0 ? ("left" as const) : ("right" as const),
  scale: unit !== "W" && unit !== "Wh",
  ...(unit === "%" && { min: 0, max: 100 }),
  // Watts have no fractions, so that finer lines would have equal labels.
  ...((unit === "W" || unit === "Wh") && { minInterval: 1 }),
  axisLabel: { color: color("--muted"), formatter: (value: number) => formatQuantity(language, value, unit) },
  splitLine: { show: index === 0, lineStyle: { color: color("--line") } }
})

/** The least share of the axis at which a band has room for its name. The table of the chart names all of them. */
const NAMED_BAND = 0.06

/** The share of the axis that a band takes at least. */
const INSTANT = 1 / 200

const markedBands = ({ bands, color, from, to, now }: Shown) => ({
  silent: true,
  label: { color: color("--muted"), fontSize: 11, position: "insideTop" as const },
  data: bands.map((band) => {
    const start = Math.max(from, band.from)
    // A band without an end has the least width that can be seen.
    const end = Math.min(to, band.to ?? Math.max(now, start + INSTANT * (to - from)))
    return [
      {
        name: band.label,
        xAxis: start,
        itemStyle: { color: color(bandColors[band.state]), opacity: 0.8 },
        label: { show: end - start >= NAMED_BAND * (to - from) }
      },
      { xAxis: end }
    ]
  }) as never
})

/**
 * The points of a chart with bars: each in the middle of its bucket, so that the bar stands over it, with the start of the bucket for
 * the box beside the pointer.
 */
const inBuckets = (points: ReadonlyArray<Point>, to: number) =>
  points.map(([start, value], index) => [(start + (points[index + 1]?.[0] ?? to)) / 2, value, start])

/** The places of the names of buckets: under the middle of their bars. */
const inMiddle = (ticks: ReadonlyArray<number>, points: ReadonlyArray<Point>, to: number) =>
  inBuckets(points, to).flatMap(([middle, , start]) => (ticks.includes(start!) ? [middle!] : []))

/** The option of ECharts for some series over one time axis: one value axis for each unit, two at most. */
export const chartOption = (shown: Shown) => {
  const { series, from, to, color } = shown
  const units = [...new Set(series.map(({ unit }) => unit))].slice(0, 2)
  const hasBars = series.some(({ kind }) => kind === "bar")
  const ticks = timeTicks(from, to, shown.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone)
  const labels = hasBars ? inMiddle(ticks, series[0]?.points ?? [], to) : ticks
  const drawn = series.map((each, index) => {
    const stroke = color(`--chart-${each.color}`)
    return {
      id: each.id,
      name: each.name,
      type: each.kind === "bar" ? ("bar" as const) : ("line" as const),
      yAxisIndex: Math.max(0, units.indexOf(each.unit)),
      data: (hasBars ? inBuckets(each.points, to) : each.points) as Array<[number, number | null]>,
      connectNulls: false,
      showSymbol: each.points.length < 3,
      ...(each.kind !== "bar" && { sampling: "lttb" as const }),
      ...(each.kind === "step" && { step: hasBars ? ("middle" as const) : ("end" as const) }),
      ...(each.stack !== undefined && { stack: each.stack }),
      ...(each.kind === "area" && { areaStyle: { color: stroke, opacity: 0.15 } }),
      itemStyle: { color: stroke },
      lineStyle: { color: stroke, width: 2, type: each.dashed ? ("dashed" as const) : ("solid" as const) },
      ...(index === 0 && { markArea: markedBands(shown) })
    }
  })
  return {
    animation: false,
    grid: { left: 8, right: 12, top: 16, bottom: 8, containLabel: true },
    textStyle: { fontFamily: "system-ui, sans-serif" },
    xAxis: {
      type: "time" as const,
      min: from,
      max: to,
      // Ticks of the chart's time zone; those of ECharts are at the hours and midnights of the browser's.
      axisTick: { customValues: ticks as Array<number> },
      axisLabel: {
        color: color("--muted"),
        hideOverlap: true,
        customValues: labels as Array<number>,
        formatter: axisTime(shown)
      },
      axisLine: { lineStyle: { color: color("--control") } },
      splitLine: { show: false }
    },
    yAxis: (units.length === 0 ? ([""] as const) : units).map((unit, index) => yAxis(unit, index, shown)),
    tooltip: {
      trigger: "axis" as const,
      confine: true,
      backgroundColor: color("--card"),
      borderColor: color("--line"),
      textStyle: { color: color("--text") },
      formatter: tip(shown) as never
    },
    dataZoom: [{ type: "inside" as const, zoomOnMouseWheel: "ctrl" as const, moveOnMouseMove: true }],
    series: drawn
  }
}
