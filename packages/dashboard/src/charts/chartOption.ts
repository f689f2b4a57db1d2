import type { Language } from "@edp/domain/shared/Language"
import { formatAge, formatQuantity, formatTime, type Unit } from "../i18n/format.ts"
import { type Band, type Pattern, type Point, type Series, seriesPatterns, valueAt } from "./series.ts"
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
  readonly nowLabel: string
  /** The present: what lasts is known until now. */
  readonly now: number
}

const bandColors: Readonly<Record<Band["state"], string>> = {
  outage: "--bad-soft",
  dispatch: "--info-soft",
  clock: "--marked",
  alert: "--warn-soft",
  command: "--good-soft"
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
const tip = ({ series, timeZone, timeFormat, language, color, noData, now }: Shown) => {
  // The box is asked for later, when the colours of the page can no longer be read.
  const colors = new Map(series.map(({ color: name }) => [name, color(`--chart-${name}`)]))
  return (items: unknown) => {
    const box = document.createElement("div")
    box.className = "chart-tip"
    const list = (Array.isArray(items) ? items : [items]) as ReadonlyArray<{
      readonly axisValue: number
      readonly value: readonly [number, number | null, number?]
    }>
    const time = list[0]?.value[2] ?? list[0]?.axisValue
    if (time === undefined) return box
    const head = document.createElement("strong")
    const shownTime = formatTime(language, time, {
      ...(timeFormat ?? { dateStyle: "medium", timeStyle: "short" }),
      ...(timeZone !== undefined && { timeZone })
    })
    head.textContent = time > now ? shownTime : `${shownTime} · ${formatAge(language, time, now)}`
    box.append(head)
    for (const each of series) {
      const value = valueAt(each, time)
      const line = document.createElement("span")
      const mark = document.createElement("span")
      mark.className = each.isOverlay ? "legend-mark overlay" : "legend-mark"
      mark.style.background = colors.get(each.color)!
      line.append(mark, `${each.name}: ${value === null ? noData : formatQuantity(language, value, each.unit)}`)
      box.append(line)
    }
    return box
  }
}

/** Both directions of a balance are positive. */
const axisValue = (language: Language, unit: Unit, series: ReadonlyArray<Series>) => {
  const isBalance = series.some(({ isDown }) => isDown)
  return (value: number) => formatQuantity(language, isBalance ? Math.abs(value) : value, unit)
}

const yAxis = (unit: Unit, index: number, { language, color, series }: Shown) => ({
  type: "value" as const,
  position: index === 0 ? ("left" as const) : ("right" as const),
  scale: unit !== "W" && unit !== "Wh",
  ...(unit === "%" && { min: 0, max: 100 }),
  // Watts have no fractions, so that finer lines would have equal labels.
  ...((unit === "W" || unit === "Wh") && { minInterval: 1 }),
  axisLabel: { color: color("--muted"), formatter: axisValue(language, unit, series) },
  splitLine: { show: index === 0, lineStyle: { color: color("--line") } }
})

/** The least share of the axis at which a band has room for its name. The table of the chart names all of them. */
const NAMED_BAND = 0.06

/** The share of the axis that a band takes at least. */
const INSTANT = 1 / 200

/** Times until now in which no bar has a value: without a mark they would look like zeros. */
const unmeasured = ({ series, to, now }: Shown) => {
  const bars = series.filter(({ kind, isOverlay }) => kind === "bar" && !isOverlay)
  const gaps: Array<readonly [from: number, to: number]> = []
  for (const [index, [start]] of (bars[0]?.points ?? []).entries()) {
    if (start >= now || bars.some(({ points }) => (points[index]?.[1] ?? null) !== null)) continue
    const end = Math.min(now, bars[0]!.points[index + 1]?.[0] ?? to)
    const last = gaps.at(-1)
    if (last?.[1] === start) gaps[gaps.length - 1] = [last[0], end]
    else gaps.push([start, end])
  }
  return gaps
}

const markedBands = (shown: Shown) => {
  const { bands, color, from, to, now } = shown
  return {
    label: { color: color("--muted"), fontSize: 11, position: "insideTop" as const },
    emphasis: { disabled: true },
    data: [
      ...bands.map((band) => {
        const start = Math.max(from, band.from)
        // A band without an end has the least width that can be seen.
        const end = Math.min(to, Math.max(band.to ?? now, start + INSTANT * (to - from)))
        return [
          {
            name: band.label,
            xAxis: start,
            itemStyle: { color: color(bandColors[band.state]), opacity: 0.8 },
            label: { show: end - start >= NAMED_BAND * (to - from) }
          },
          { xAxis: end }
        ]
      }),
      ...unmeasured(shown).map(([start, end]) => [
        {
          name: shown.noData,
          xAxis: start,
          itemStyle: { color: color("--marked"), opacity: 0.6 },
          label: { show: end - start >= NAMED_BAND * (to - from) }
        },
        { xAxis: end }
      ])
    ] as never
  }
}

const nowLine = ({ color, from, now, nowLabel, to }: Shown) => ({
  silent: true,
  symbol: "none" as const,
  label: { formatter: nowLabel, color: color("--muted"), fontSize: 11 },
  lineStyle: { color: color("--text"), width: 1, type: "solid" as const, opacity: 0.6 },
  data: now > from && now < to ? [{ xAxis: now }] : []
})

const dashes: Readonly<Record<Pattern, "solid" | "dashed" | "dotted" | Array<number>>> = {
  0: "solid",
  1: "dashed",
  2: "dotted",
  3: [8, 3, 2, 3],
  4: [14, 5],
  5: [14, 4, 3, 4],
  6: [3, 5]
}

/** Stripes and dots of bars. */
const decals: Readonly<Partial<Record<Pattern, object>>> = {
  1: { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: Math.PI / 4 },
  2: {
    symbol: "circle",
    symbolSize: 0.7,
    dashArrayX: [
      [6, 6],
      [0, 6, 6, 0]
    ],
    dashArrayY: [6, 0]
  },
  3: { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 6], rotation: -Math.PI / 4 }
}

/**
 * The points of a chart with bars: each in the middle of its bucket, so that the bar stands over it, with the start of the bucket for
 * the box beside the pointer.
 */
const inBuckets = (points: ReadonlyArray<Point>, to: number) =>
  points.map(([start, value], index) => [(start + (points[index + 1]?.[0] ?? to)) / 2, value, start])

/** The places of the names of buckets: under the middle of their bars. */
const inMiddle = (ticks: ReadonlyArray<number>, points: ReadonlyArray<Point>, to: number) =>
  inBuckets(points, to).flatMap(([middle, , start]) => (ticks.includes(start!) ? [middle!] : []))

/** As many bars are wide enough for a name under their middle. */
const NAMED_BARS = 62

/** The option of ECharts for some series over one time axis: one value axis for each unit, two at most. */
export const chartOption = (shown: Shown) => {
  const { series, from, to, color } = shown
  const units = [...new Set(series.map(({ unit }) => unit))].slice(0, 2)
  const hasBars = series.some(({ kind }) => kind === "bar")
  const ticks = timeTicks(from, to, shown.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone)
  const bars = series[0]?.points ?? []
  const labels = hasBars && bars.length <= NAMED_BARS ? inMiddle(ticks, bars, to) : ticks
  const looks = seriesPatterns(series)
  const drawn = series.map((each) => {
    const stroke = color(`--chart-${each.color}`)
    const pattern = looks.get(each.id)!
    const points: ReadonlyArray<Point> = each.isDown
      ? each.points.map(([time, value]) => [time, value === null ? null : -value])
      : each.points
    const decal = decals[pattern]
    return {
      id: each.id,
      name: each.name,
      type: each.kind === "bar" ? ("bar" as const) : ("line" as const),
      yAxisIndex: Math.max(0, units.indexOf(each.unit)),
      data: (hasBars ? inBuckets(points, to) : points) as Array<[number, number | null]>,
      connectNulls: false,
      showSymbol: each.points.length < 3,
      ...(each.kind !== "bar" && { sampling: "lttb" as const }),
      ...(each.kind === "step" && { step: hasBars ? ("middle" as const) : ("end" as const) }),
      ...(each.stack !== undefined && { stack: each.stack, barCategoryGap: each.points.length > 60 ? "0%" : "20%" }),
      ...(each.kind === "area" && { areaStyle: { color: stroke, opacity: 0.15 } }),
      itemStyle: {
        color: stroke,
        ...(each.kind === "bar" && decal !== undefined && { decal: { color: color("--card"), ...decal } as never })
      },
      lineStyle: {
        color: stroke,
        width: each.isOverlay ? 1.5 : 2,
        opacity: each.isOverlay ? 0.65 : 1,
        type: dashes[pattern]
      }
    }
  })
  // On a series of its own: those of a bar would be moved to its place within the bucket.
  const marks = { id: "marks", type: "line" as const, data: [], markArea: markedBands(shown), markLine: nowLine(shown) }
  return {
    animation: false,
    // The same margins in every chart, so that the times of charts beneath each other are in one line.
    grid: {
      left: 64,
      right: units.length > 1 ? 56 : 32,
      top: 20,
      bottom: 28,
      outerBoundsMode: "none" as const
    },
    textStyle: { fontFamily: "system-ui, sans-serif" },
    xAxis: {
      type: "time" as const,
      containShape: false,
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
    series: [...drawn, marks]
  }
}
