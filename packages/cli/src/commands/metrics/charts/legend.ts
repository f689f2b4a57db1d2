import { amount, type Unit, unitFor } from "../amount.ts"
import { type ChartSeries, gridExport, gridImport } from "./chartSeries.ts"

/** A hyphen is too short for a sign. */
export const minus = (text: string) => text.replace("-", "−")

const directions = [gridImport, gridExport]

const total = (values: ReadonlyArray<number | null>) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

const inWords = (energy: number, unit: Unit) => `${minus(amount(energy, unit, unit.size === 1 ? 0 : 1))} ${unit.symbol}`

const legendText = (one: ChartSeries, series: ReadonlyArray<ChartSeries>, unit: Unit) => {
  const { isLevel, name, stack, values } = one
  const last = values.findLast((value) => value !== null) ?? null
  if (last === null) return `${name}: no readings`
  if (isLevel) return `${name}  ${inWords(last, unit)} at last`
  const sides = series.filter((other) => other.stack === stack && directions.includes(other.name))
  if (sides.length < 2) return `${name}  ${inWords(total(values), unit)}`
  // The sum of the buckets on one side of zero alone would be taken for all that was imported, or exported.
  const both = sides.flatMap((other) => other.values)
  return name === gridExport ? `${name} (together ${inWords(total(both), unit)})` : name
}

/** What each series comes to, all in one unit; of what is stored the latest, and one sum of the two directions of the grid. */
export const legendTexts = (series: ReadonlyArray<ChartSeries>): ReadonlyMap<string, string> => {
  const unit = unitFor(series.map(({ values }) => total(values)))
  return new Map(series.map((one) => [one.name, legendText(one, series, unit)]))
}
