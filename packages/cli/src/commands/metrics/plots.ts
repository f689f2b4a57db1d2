import { renderPlot } from "../../kernel/plot.ts"
import { type MetricView, type NamedSeries, isKnown, unitForSeries } from "./view.ts"
import { axisTicks } from "./ticks.ts"
import { formatHeading, formatTotals } from "./table.ts"

const ROWS = 9
const GAP = 5
const WIDEST = 120

/** The mean of the buckets in a time range, weighted by overlap, in Wh per bucket. */
const toCurve =
  ({ points }: NamedSeries, bounds: ReadonlyArray<number>) =>
  (from: number, to: number): number | undefined => {
    let [sum, time] = [0, 0]
    // Binary search for the last bound that is not after the instant.
    let [low, high] = [0, points.length]
    while (low + 1 < high) {
      const middle = (low + high) >> 1
      if (bounds[middle]! <= from) low = middle
      else high = middle
    }
    for (let at = low; at < points.length && bounds[at]! < to; at++) {
      const within = Math.min(bounds[at + 1]!, to) - Math.max(bounds[at]!, from)
      const point = points[at]!
      if (within <= 0 || !isKnown(point)) continue
      sum += point.value! * within
      time += within
    }
    return time > 0 ? sum / time : undefined
  }

/** One plot per series, and the sums. */
export const metricPlots = (view: MetricView, columns: number): string => {
  const { bounds, series } = view
  const width = Math.min(columns, WIDEST)
  const [from, to] = [bounds[0]!, bounds.at(-1)!]
  const ticks = axisTicks(view, width, GAP).map(({ bucket, text }) => ({
    at: bounds[bucket]!,
    label: text
  }))
  const plots = series.map((one) => {
    const { size, symbol } = unitForSeries([one])
    const curve = toCurve(one, bounds)
    const inUnit = (begin: number, end: number) => {
      const value = curve(begin, end)
      return value === undefined ? undefined : value / size
    }
    return [one.name, renderPlot({ curve: inUnit, from, to, ticks, unit: symbol, columns: width, rows: ROWS })].join(
      "\n"
    )
  })
  return [formatHeading(view), ...plots, formatTotals(view)].join("\n\n")
}
