import type { MetricName } from "@edp/domain/metrics/Metric"
import { minus } from "../../charts/chartFrame.ts"
import { type MetricView, type NamedSeries, type Unit, amount, isKnown, unitFor } from "../view.ts"

/** A series with its name and colour. */
export interface ChartSeries {
  readonly name: string
  readonly color: string
  /** Wh per bucket; null without data. */
  readonly values: ReadonlyArray<number | null>
  /** Series with the same name are stacked. */
  readonly stack: string
  /** A stored energy is a level, drawn as a line. */
  readonly isLevel: boolean
}

/** Different in hue and lightness, also for colour-blind readers. */
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

const knownValues = ({ points }: NamedSeries) => points.map((point) => (isKnown(point) ? point.value : null))

/** A bucket of the grid metric is import minus export. */
const gridImport = "grid: net import"
const gridExport = "grid: net export"

/** Net import and net export as two series. */
const directions = (one: NamedSeries): ReadonlyArray<ChartSeries> => {
  const values = knownValues(one)
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
  const shown = both.filter(({ values }) => values.some((value) => value !== null))
  return shown.length === 0 ? both.slice(0, 1) : shown
}

/** Bars of several metrics stand side by side; those of devices or sites are stacked. */
export const chartSeries = ({ series }: MetricView): ReadonlyArray<ChartSeries> => {
  const isGrouped = series.some(({ metric, name }) => metric !== name)
  return series.flatMap((one, at): ReadonlyArray<ChartSeries> => {
    if (!isGrouped && one.metric === "grid") return directions(one)
    const isLevel = one.metric === "storage"
    const color = isGrouped ? groupColors[at % groupColors.length]! : metricColors[one.metric]
    return [{ name: one.name, color, values: knownValues(one), stack: isGrouped ? "whole" : one.name, isLevel }]
  })
}

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
  // The sum of one side would be misread as the total import or export.
  const both = sides.flatMap((other) => other.values)
  return name === gridExport ? `${name} (together ${inWords(total(both), unit)})` : name
}

/** The legends: sums in one unit, the last level of storage, and one sum for both directions of the grid. */
export const legendLabels = (series: ReadonlyArray<ChartSeries>): ReadonlyMap<string, string> => {
  const unit = unitFor(series.map(({ values }) => total(values)))
  return new Map(series.map((one) => [one.name, legendText(one, series, unit)]))
}
