import type { Dispatch } from "@edp/domain/dispatches/Dispatch"
import type { DispatchReport, ReportInterval } from "@edp/domain/dispatches/DispatchReport"
import type { Band, Point, Series } from "../../charts/series.ts"

const HOUR = 3_600_000

/** The mean power of an interval; null where its energy is unknown. */
const power = (wattHours: number | null, { endsAt, startsAt }: ReportInterval) =>
  wattHours === null ? null : (wattHours * HOUR) / (Date.parse(endsAt) - Date.parse(startsAt))

/** Steps: a value holds from the start of its interval to its end. */
const steps = (
  intervals: ReadonlyArray<ReportInterval>,
  energy: (interval: ReportInterval) => number | null
): ReadonlyArray<Point> =>
  intervals.flatMap((interval): ReadonlyArray<Point> => {
    const value = power(energy(interval), interval)
    const [start, end] = [Date.parse(interval.startsAt), Date.parse(interval.endsAt)]
    return [
      [start, value],
      [end - 1, value]
    ]
  })

/** The time until which the figures of a report are measured; undefined if that is the end of the dispatch. */
export const measuredUntil = ({ intervals, to }: Pick<DispatchReport, "intervals" | "to">): string | undefined => {
  const last = intervals.findLast(({ deliveredWh }) => deliveredWh !== null)
  return last === undefined || last.endsAt === to ? undefined : last.endsAt
}

interface Names {
  readonly baseline: string
  readonly actual: string
  readonly delivered: string
}

/** Baseline, actual use and what was delivered, as powers over the time of the dispatch. */
export const reportSeries = ({ intervals }: DispatchReport, names: Names): ReadonlyArray<Series> => [
  {
    id: "baseline",
    name: names.baseline,
    unit: "W",
    kind: "line",
    color: 2,
    dashed: true,
    points: steps(intervals, ({ baselineWh }) => baselineWh)
  },
  {
    id: "actual",
    name: names.actual,
    unit: "W",
    kind: "line",
    color: 1,
    points: steps(intervals, ({ actualWh }) => actualWh)
  },
  {
    id: "delivered",
    name: names.delivered,
    unit: "W",
    kind: "area",
    color: 3,
    points: steps(intervals, ({ deliveredWh }) => deliveredWh)
  }
]

/** The intervals of the dispatch as bands. */
export const intervalBands = ({ intervals }: Dispatch, label: (number: number) => string): ReadonlyArray<Band> =>
  intervals.map(({ durationSeconds, startsAt }, index) => ({
    from: Date.parse(startsAt),
    to: Date.parse(startsAt) + durationSeconds * 1000,
    label: label(index + 1),
    state: "dispatch"
  }))
