import { QUARTER, type Span } from "./intervals.ts"

/** The union of spans, ascending and without overlaps. */
export const union = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const sorted = spans.filter(({ from, to }) => from < to).toSorted((one, other) => one.from - other.from)
  const merged: Array<{ from: number; to: number }> = []
  for (const { from, to } of sorted) {
    const last = merged.at(-1)
    if (last === undefined || from > last.to) merged.push({ from, to })
    else last.to = Math.max(last.to, to)
  }
  return merged
}

/** The overlap of a span with a time, milliseconds. */
export const overlap = (span: Span | undefined, from: number, to: number) =>
  span === undefined ? 0 : Math.max(0, Math.min(span.to, to) - Math.max(span.from, from))

/** The overlap of the union of spans with a time, milliseconds. */
export const overlapOfAny = (spans: ReadonlyArray<Span>, from: number, to: number) =>
  union(spans).reduce((sum, span) => sum + overlap(span, from, to), 0)

/** The last bucket that begins at an instant or before it. */
export const bucketAt = (bounds: ReadonlyArray<number>, at: number) => {
  let [low, high] = [0, bounds.length - 1]
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (bounds[middle]! <= at) low = middle
    else high = middle
  }
  return low
}

/**
 * Sums the overlap of spans with each bucket, milliseconds. The cost of a span does not depend on how many whole buckets it
 * covers.
 */
export const makeTimeSums = (bounds: ReadonlyArray<number>) => {
  const size = bounds.length - 1
  const parts = new Float64Array(Math.max(0, size))
  /** The difference in the number of spans that cover a bucket wholly to the bucket before. */
  const more = new Float64Array(Math.max(0, size) + 1)
  return {
    add: (span: Span, times = 1) => {
      const from = Math.max(span.from, bounds[0]!)
      const to = Math.min(span.to, bounds.at(-1)!)
      if (size < 1 || from >= to) return
      const [first, last] = [bucketAt(bounds, from), bucketAt(bounds, to - 1)]
      if (first === last) {
        parts[first]! += times * (to - from)
        return
      }
      parts[first]! += times * (bounds[first + 1]! - from)
      parts[last]! += times * (to - bounds[last]!)
      more[first + 1]! += times
      more[last]! -= times
    },
    sums: (): ReadonlyArray<number> => {
      const sums: Array<number> = []
      let whole = 0
      for (let bucket = 0; bucket < size; bucket++) {
        whole += more[bucket]!
        sums.push(parts[bucket]! + whole * (bounds[bucket + 1]! - bounds[bucket]!))
      }
      return sums
    }
  }
}

const DAY = 86_400_000

/** A run of neighbouring intervals, cut finer. */
export interface FinerIntervals {
  readonly bounds: ReadonlyArray<number>
  /** The interval that each of the finer ones is a part of. */
  readonly parents: ReadonlyArray<number>
}

/** Intervals longer than a day are cut by days, others by quarters of an hour. */
const splitSpan = (from: number, to: number) => {
  const step = to - from > DAY ? DAY : QUARTER
  const parts = [from]
  for (let at = (Math.floor(from / step) + 1) * step; at < to; at += step) parts.push(at)
  return parts
}

/** Cuts the intervals, each run of neighbours by itself. */
export const finerIntervals = (
  bounds: ReadonlyArray<number>,
  intervals: ReadonlyArray<number>
): ReadonlyArray<FinerIntervals> => {
  const runs: Array<{ readonly bounds: Array<number>; readonly parents: Array<number> }> = []
  let end: number | undefined
  for (const interval of intervals.toSorted((one, other) => one - other)) {
    if (end !== bounds[interval]) runs.push({ bounds: [], parents: [] })
    const run = runs.at(-1)!
    if (end === bounds[interval]) run.bounds.pop()
    end = bounds[interval + 1]!
    const parts = splitSpan(bounds[interval]!, end)
    run.bounds.push(...parts, end)
    run.parents.push(...parts.map(() => interval))
  }
  return runs
}
