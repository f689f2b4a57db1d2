import { renderPlot } from "../../kernel/plot.ts"
import { axisTicks } from "../metrics/ticks.ts"
import { type ReportView, formatSpan } from "./reportView.ts"

const ROWS = 12
const GAP = 5
const WIDEST = 120

/** The mean of the buckets that a time overlaps, weighted by the overlap. */
const toCurve = (values: ReadonlyArray<number | null>, bounds: ReadonlyArray<number>) => (from: number, to: number) => {
  let [sum, time] = [0, 0]
  for (const [at, value] of values.entries()) {
    const within = Math.min(bounds[at + 1]!, to) - Math.max(bounds[at]!, from)
    if (value === null || within <= 0) continue
    sum += value * within
    time += within
  }
  return time > 0 ? sum / time : undefined
}

/** Actual use as an area, with the baseline as a line over it. */
export const reportPlot = (view: ReportView, columns: number): string => {
  const { actual, baseline, bounds, method } = view
  const width = Math.min(columns, WIDEST)
  const ticks = axisTicks(view, width, GAP).map(({ bucket, text }) => ({ at: bounds[bucket]!, label: text }))
  const plot = renderPlot({
    curve: toCurve(actual, bounds),
    line: toCurve(baseline, bounds),
    from: bounds[0]!,
    to: bounds.at(-1)!,
    ticks,
    unit: "W",
    columns: width,
    rows: ROWS
  })
  return [`Net import, ${formatSpan(view)}`, plot, `⣿ actual   ━ baseline (${method})`].join("\n")
}
