import { QUARTER, type Span } from "../../energy/intervals.ts"
import { union } from "../../energy/spans.ts"
import { DAY, instantAt, localAt } from "../../schedules/localTime.ts"
import type { DayNumber } from "./holidays.ts"

const HOUR = 3_600_000

/** Cuts a span at the quarters of an hour; the first and the last part may be shorter. */
export const toQuarters = ({ from, to }: Span): ReadonlyArray<Span> => {
  const parts: Array<Span> = []
  for (let at = from; at < to;) {
    const end = Math.min(to, (Math.floor(at / QUARTER) + 1) * QUARTER)
    parts.push({ from: at, to: end })
    at = end
  }
  return parts
}

/** The intervals of a dispatch's report: the quarters of an hour in which it asks for something, clipped to it. */
export const reportIntervals = (
  intervals: ReadonlyArray<{ readonly startsAt: string; readonly durationSeconds: number }>
): ReadonlyArray<Span> =>
  union(
    intervals.map(({ durationSeconds, startsAt }) => {
      const from = Date.parse(startsAt)
      return { from, to: from + durationSeconds * 1000 }
    })
  ).flatMap(toQuarters)

/** A dispatch, or 24 hours by the clock of a longer one. */
export interface DispatchPart {
  /** The local day of its start. */
  readonly day: DayNumber
  /** The index of its first interval in the dispatch. */
  readonly first: number
  readonly intervals: ReadonlyArray<Span>
}

/**
 * Divides a dispatch into parts of 24 hours by the site's clock, so that each has a type of day. An hour that clocks show twice belongs
 * to the part that has begun before it.
 */
export const toParts = (intervals: ReadonlyArray<Span>, timezone: string): ReadonlyArray<DispatchPart> => {
  const start = localAt(intervals[0]!.from, timezone)
  const parts = new Map<number, { day: DayNumber; first: number; intervals: Array<Span> }>()
  let number = 0
  for (const [index, interval] of intervals.entries()) {
    number = Math.max(number, Math.floor((localAt(interval.from, timezone) - start) / DAY))
    const part = parts.get(number) ?? { day: Math.floor(start / DAY) + number, first: index, intervals: [] }
    part.intervals.push(interval)
    parts.set(number, part)
  }
  return Array.from(parts.values())
}

/** The two hours that end one hour before the start. */
export const adjustmentIntervals = (start: number): ReadonlyArray<Span> =>
  toQuarters({ from: start - 3 * HOUR, to: start - HOUR })

export const hourBefore = (start: number): ReadonlyArray<Span> => toQuarters({ from: start - HOUR, to: start })

/** The local day of a part, without its window and an hour before and after it. */
export const restIntervals = ({ day, intervals }: DispatchPart, timezone: string): ReadonlyArray<Span> => {
  const [from, to] = [instantAt(day * DAY, timezone), instantAt((day + 1) * DAY, timezone)]
  const [start, end] = [intervals[0]!.from - HOUR, intervals.at(-1)!.to + HOUR]
  return [
    { from, to: Math.min(to, start) },
    { from: Math.max(from, end), to }
  ].flatMap(toQuarters)
}

/**
 * Intervals at the same time by the clock, a number of days earlier. Of a time that clocks show twice it is the first one;
 * undefined where clocks skip it.
 */
export const earlierBy = (
  days: number,
  intervals: ReadonlyArray<Span>,
  timezone: string
): ReadonlyArray<Span | undefined> => {
  const locals = intervals.map(({ from }) => localAt(from, timezone) - days * DAY)
  return locals.map((local, index) => {
    const from = instantAt(local, timezone)
    if (localAt(from, timezone) !== local) return undefined
    return { from, to: from + intervals[index]!.to - intervals[index]!.from }
  })
}

/** The local day with what of the window lies beyond it: another dispatch or an outage in it makes the day unlike. */
export const wholeDay = (day: DayNumber, window: ReadonlyArray<Span>, timezone: string): Span => ({
  from: Math.min(instantAt(day * DAY, timezone), ...window.map(({ from }) => from)),
  to: Math.max(instantAt((day + 1) * DAY, timezone), ...window.map(({ to }) => to))
})
