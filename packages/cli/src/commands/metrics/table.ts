import type { MetricPoint } from "@edp/domain/metrics/MetricSeries"
import { type Column, renderRecord, renderTable } from "../../kernel/table.ts"
import {
  type MetricView,
  type NamedSeries,
  type Unit,
  amount,
  bucketLabel,
  computeCoverage,
  isKnown,
  percent,
  spanText,
  computeTotal,
  unitFor,
  unitForSeries
} from "./view.ts"

/** Ends of bars in eighths of a cell. */
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

export interface BarScale {
  readonly low: number
  readonly high: number
  /** Cells below zero and above. */
  readonly below: number
  readonly above: number
}

/** Divides a width into cells below and above zero. */
export const barScale = (values: ReadonlyArray<number>, width: number): BarScale => {
  const low = values.reduce((least, value) => Math.min(least, value), 0)
  const high = values.reduce((most, value) => Math.max(most, value), 0)
  const below = low === high ? 0 : Math.round((width * -low) / (high - low))
  return { low, high, below, above: width - below }
}

/** Draws a bar to the right of zero, or to the left for negative values. */
export const bar = (value: number, { above, below, high, low }: BarScale): string => {
  if (value < 0) {
    const halves = Math.round((value / low) * below * 2)
    const text = `${halves % 2 === 1 ? "▐" : ""}${"█".repeat(halves >> 1)}`
    return text.padStart(below)
  }
  const parts = high === 0 ? 0 : Math.round((value / high) * above * 8)
  return `${" ".repeat(below)}${"█".repeat(parts >> 3)}${eighths[parts & 7]!}`
}

/** More series are listed below each other. */
const MOST_COLUMNS = 6
const BAR_WIDTH = 40
const NARROWEST_BAR = 10

interface Row {
  readonly time: string
  readonly points: ReadonlyArray<MetricPoint>
}

const shown = (point: MetricPoint | undefined, unit: Unit) =>
  point === undefined || !isKnown(point) ? "-" : amount(point.value!, unit)

const toRows = ({ bounds, period, series, timezone }: MetricView): ReadonlyArray<Row> =>
  bounds.slice(0, -1).map((bound, bucket) => ({
    time: bucketLabel(bound, period, timezone),
    points: series.map(({ points }) => points[bucket]!)
  }))

const least = (points: ReadonlyArray<MetricPoint>) => Math.min(...points.map(({ coverage }) => coverage))

const wide = (view: MetricView, unit: Unit): ReadonlyArray<Column<Row>> => {
  const isPartial = view.series.some(({ points }) => points.some(({ coverage }) => coverage < 1))
  return [
    { title: view.period.toUpperCase(), value: ({ time }) => time, whole: true },
    ...view.series.map(({ name }, at) => ({
      title: `${name} ${unit.symbol}`,
      value: ({ points }: Row) => shown(points[at], unit),
      right: true
    })),
    ...(isPartial
      ? [{ title: "COVERAGE", value: ({ points }: Row) => percent(least(points)), right: true, whole: true }]
      : [])
  ]
}

/** Adds bars to the table of a single series, if there is room. */
const withBars = (table: string, view: MetricView, room: number) => {
  const [{ points } = { points: [] }, another] = view.series
  const lines = table.split("\n")
  const widest = Math.max(...lines.map((line) => line.length))
  const width = Math.min(BAR_WIDTH, room - widest - 2)
  if (another !== undefined || points.length < 2 || width < NARROWEST_BAR || lines.length !== points.length + 1)
    return table
  const known = points.map((point) => (isKnown(point) ? point.value! : 0))
  const scale = barScale(known, width)
  return lines
    .map((line, at) => (at === 0 ? line : `${line.padEnd(widest)}  ${bar(known[at - 1]!, scale)}`.trimEnd()))
    .join("\n")
}

const long = (view: MetricView, unit: Unit, room: number) => {
  const rows = view.series.flatMap(({ name, points }) =>
    points.map((point, bucket) => ({
      name,
      point,
      time: bucketLabel(view.bounds[bucket]!, view.period, view.timezone)
    }))
  )
  return renderTable(
    [
      { title: "SERIES", value: ({ name }) => name },
      { title: view.period.toUpperCase(), value: ({ time }) => time, whole: true },
      { title: unit.symbol, value: ({ point }) => shown(point, unit), right: true, whole: true },
      { title: "COVERAGE", value: ({ point }) => percent(point.coverage), right: true, whole: true }
    ],
    rows,
    room
  )
}

const totalText = (series: NamedSeries, bounds: ReadonlyArray<number>) => {
  const total = computeTotal(series)
  if (total === null) return "no readings"
  const latest = series.metric === "storage" ? " at last" : ""
  return `${amount(total, unitFor([total]))} ${unitFor([total]).symbol}${latest}, coverage ${percent(computeCoverage(series, bounds))}`
}

/** One line with metrics, filters and time range. */
export const formatHeading = ({ asOf, bounds, place, series, timezone }: MetricView): string => {
  const metrics = [...new Set(series.map(({ metric }) => metric))].join(", ")
  const heading = `${metrics}, ${place}, ${spanText(bounds[0]!, bounds.at(-1)!, timezone)} (${timezone})`
  return asOf === null ? heading : `${heading}, as of ${new Date(asOf).toISOString().slice(0, 19)}Z`
}

/** The sums of the series. */
export const formatTotals = ({ bounds, series }: MetricView): string =>
  renderRecord(series.map((one) => [one.name, totalText(one, bounds)]))

/** A table of the buckets, with bars for a single series, and the sums. */
export const metricTable = (view: MetricView, room: number): string => {
  const unit = unitForSeries(view.series)
  const table =
    view.series.length > MOST_COLUMNS
      ? long(view, unit, room)
      : withBars(renderTable(wide(view, unit), toRows(view), room), view, Number.isFinite(room) ? room : 120)
  return [formatHeading(view), "", table, "", formatTotals(view)].join("\n")
}
