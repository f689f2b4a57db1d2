import type { MetricName } from "@edp/domain/metrics/Metric"
import { type MetricView, type NamedSeries, type Unit, amount, isKnown, unitFor } from "../view.ts"

/** A series as a chart shows it: under its name, in its colour. */
export interface ChartSeries {
  readonly name: string
  readonly color: string
  /** Wh of each bucket; null where there is nothing to show. */
  readonly values: ReadonlyArray<number | null>
  /** Series of one stack lie on each other. */
  readonly stack: string
  /** What is stored is a level, which bars would tell wrongly. */
  readonly isLevel: boolean
}

/** Apart in hue and in lightness, so that they differ also for those who don't see all colours. */
const metricColors: Readonly<Record<MetricName, string>> = {
  consumption: "#1f5f99",
  production: "#e3a008",
  generation: "#e3a008",
  storage: "#6d4aa3",
  grid: "#7b8794",
  charging: "#c2477f",
  load: "#1f5f99"
}
const exported = "#2f9e62"

const groupColors = [
  "#1f5f99",
  "#e3a008",
  "#2f9e62",
  "#c2477f",
  "#6d4aa3",
  "#56b4d9",
  "#8a5a2b",
  "#7b8794",
  "#b6c04a",
  "#d9663a",
  "#123a5c",
  "#9a86c7"
] as const

const valuesOf = ({ points }: NamedSeries) => points.map((point) => (isKnown(point) ? point.value : null))

/** A bucket of the metric is what came from the grid less what went there. */
const gridImport = "grid: net import"
const gridExport = "grid: net export"

/** The two directions of the grid, each with its name and colour. */
const directions = (one: NamedSeries): ReadonlyArray<ChartSeries> => {
  const values = valuesOf(one)
  const side = (name: string, color: string, isOn: (value: number) => boolean): ChartSeries => ({
    name,
    color,
    values: values.map((value) => (value !== null && isOn(value) ? value : null)),
    stack: one.name,
    isLevel: false
  })
  const both = [
    side(gridImport, metricColors.grid, (value) => value >= 0),
    side(gridExport, exported, (value) => value < 0)
  ]
  const told = both.filter(({ values }) => values.some((value) => value !== null))
  return told.length === 0 ? both.slice(0, 1) : told
}

/** Several metrics stand beside each other; the devices or sites of one metric lie on each other, and so show the whole. */
export const chartSeries = ({ series }: MetricView): ReadonlyArray<ChartSeries> => {
  const isGrouped = series.some(({ metric, name }) => metric !== name)
  return series.flatMap((one, at): ReadonlyArray<ChartSeries> => {
    if (!isGrouped && one.metric === "grid") return directions(one)
    const isLevel = one.metric === "storage"
    const color = isGrouped ? groupColors[at % groupColors.length]! : metricColors[one.metric]
    return [{ name: one.name, color, values: valuesOf(one), stack: isGrouped ? "whole" : one.name, isLevel }]
  })
}

/** A hyphen is too short for a sign. */
export const minus = (text: string) => text.replace("-", "−")

const directionNames = [gridImport, gridExport]

const total = (values: ReadonlyArray<number | null>) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

const inWords = (energy: number, unit: Unit) => `${minus(amount(energy, unit, unit.size === 1 ? 0 : 1))} ${unit.symbol}`

const legendText = (one: ChartSeries, series: ReadonlyArray<ChartSeries>, unit: Unit) => {
  const { isLevel, name, stack, values } = one
  const last = values.findLast((value) => value !== null) ?? null
  if (last === null) return `${name}: no readings`
  if (isLevel) return `${name}  ${inWords(last, unit)} at last`
  const sides = series.filter((other) => other.stack === stack && directionNames.includes(other.name))
  if (sides.length < 2) return `${name}  ${inWords(total(values), unit)}`
  // The sum of the buckets on one side of zero alone would be taken for all that was imported, or exported.
  const both = sides.flatMap((other) => other.values)
  return name === gridExport ? `${name} (together ${inWords(total(both), unit)})` : name
}

/** What each series comes to, all in one unit; of what is stored the latest, and one sum of the two directionNames of the grid. */
export const legendTexts = (series: ReadonlyArray<ChartSeries>): ReadonlyMap<string, string> => {
  const unit = unitFor(series.map(({ values }) => total(values)))
  return new Map(series.map((one) => [one.name, legendText(one, series, unit)]))
}
