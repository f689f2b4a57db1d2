import { type ElementProblem, takes } from "./FeedProblem.ts"
import type { Interval, SeriesIntervals } from "./meterIntervals.ts"

const longest = (intervals: ReadonlyArray<Interval>) =>
  intervals.reduce((most, { from, to }) => Math.max(most, to - from), 0)

const isEqual = (one: Interval, other: Interval) => one.from === other.from && one.to === other.to

/** In the order of time, each once. Different values for the same time are a problem of the file. */
const inOrder = (intervals: ReadonlyArray<Interval>, refuse: (problem: ElementProblem) => void) => {
  const sorted: Array<Interval> = []
  for (const interval of intervals.toSorted((one, other) => one.from - other.from || one.to - other.to)) {
    const last = sorted.at(-1)
    if (last === undefined || interval.from >= last.to) sorted.push(interval)
    else if (isEqual(interval, last) && Number.isNaN(last.watts)) sorted[sorted.length - 1] = interval
    else if (!isEqual(interval, last) || (interval.watts !== last.watts && !Number.isNaN(interval.watts))) {
      refuse(takes(interval.line, "IntervalReading/timePeriod", `no part of the interval of line ${last.line}`))
    }
  }
  return sorted
}

/** The intervals of both lists; those of the second one only where they meet none of the first. */
const fill = (first: ReadonlyArray<Interval>, second: ReadonlyArray<Interval>) => {
  const merged: Array<Interval> = []
  let at = 0
  for (const interval of second) {
    while (at < first.length && first[at]!.to <= interval.from) merged.push(first[at++]!)
    if (at === first.length || first[at]!.from >= interval.to) merged.push(interval)
  }
  return [...merged, ...first.slice(at)]
}

/**
 * One list of the intervals of a direction. Where several series cover a time, energies come before registers and powers, and
 * shorter intervals before longer ones: a day's energy beside the same day's quarters of an hour is not counted twice.
 */
export const mergeIntervals = (
  all: ReadonlyArray<SeriesIntervals>,
  direction: "imported" | "exported",
  refuse: (problem: ElementProblem) => void
): ReadonlyArray<Interval> => {
  const levels = new Map<string, { readonly rank: number; readonly length: number; intervals: Array<Interval> }>()
  for (const { [direction]: intervals, rank } of all) {
    const length = longest(intervals)
    const level = levels.get(`${rank} ${length}`)
    if (level === undefined) levels.set(`${rank} ${length}`, { rank, length, intervals: [...intervals] })
    else for (const interval of intervals) level.intervals.push(interval)
  }
  return [...levels.values()]
    .toSorted((one, other) => one.rank - other.rank || one.length - other.length)
    .reduce<ReadonlyArray<Interval>>((merged, { intervals }) => fill(merged, inOrder(intervals, refuse)), [])
}
