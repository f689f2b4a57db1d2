import { mergeIntervals } from "./mergeIntervals.ts"
import {
  type Interval,
  type IntervalContext,
  type SeriesIntervals,
  seriesIntervals,
  typeProblem
} from "./meterIntervals.ts"
import type { UsagePoint } from "./usagePoints.ts"

/** The intervals of a usage point by their direction. */
export interface UsageIntervals {
  readonly imported: ReadonlyArray<Interval>
  readonly exported: ReadonlyArray<Interval>
  /**
   * Milliseconds since 1970: up to here both directions are known, where each has a series of its own; Infinity otherwise. A later time
   * may get the energy of the other direction by a later feed.
   */
  readonly completeUntil: number
  /** MeterReadings that are left out, and why. */
  readonly unused: ReadonlyArray<string>
}

const lastEnd = (all: ReadonlyArray<SeriesIntervals>) =>
  all.reduce(
    (last, { exported, imported }) =>
      [...imported.slice(-1), ...exported.slice(-1)].reduce((end, { to }) => Math.max(end, to), last),
    Number.NEGATIVE_INFINITY
  )

const findCompleteUntil = (used: ReadonlyArray<SeriesIntervals>) => {
  const forward = used.filter(({ flow }) => flow === "forward")
  const reverse = used.filter(({ flow }) => flow === "reverse")
  return forward.length === 0 || reverse.length === 0 ? Infinity : Math.min(lastEnd(forward), lastEnd(reverse))
}

/**
 * Forward and reverse together say more than net. A net series says more than one of them alone, because it has both
 * directions.
 */
const withoutRedundant = (all: ReadonlyArray<SeriesIntervals>) => {
  const has = (flow: SeriesIntervals["flow"]) => all.some((one) => one.flow === flow)
  if (!has("net")) return { used: all, unused: [] }
  const isUsed = ({ flow }: SeriesIntervals) => (has("reverse") && has("forward") ? flow !== "net" : flow === "net")
  return { used: all.filter(isUsed), unused: all.filter((one) => !isUsed(one)) }
}

/** The intervals of all series of a usage point. What is left out or refused is told to the context. */
export const usageIntervals = (usagePoint: UsagePoint, context: IntervalContext): UsageIntervals => {
  const problems = usagePoint.series.map((series) => ({ series, problem: typeProblem(series.type) }))
  const found = problems.flatMap(({ problem, series }) =>
    problem === undefined ? [seriesIntervals(series, context)] : []
  )
  const { unused, used } = withoutRedundant(found)
  return {
    imported: mergeIntervals(used, "imported", context.refuse),
    exported: mergeIntervals(used, "exported", context.refuse),
    completeUntil: findCompleteUntil(used),
    unused: [
      ...problems.flatMap(({ problem, series }) => (problem === undefined ? [] : [`${series.name}: ${problem}`])),
      ...unused.map(({ flow, series }) => `${series.name}: its ${flow} energy is in other series`)
    ]
  }
}
