import type { Span } from "./quarterCells.ts"

/** The same times ascending and without overlaps; empty ones are left out. */
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

/** How much of a time a span takes, milliseconds. */
export const overlap = (span: Span | undefined, from: number, to: number) =>
  span === undefined ? 0 : Math.max(0, Math.min(span.to, to) - Math.max(span.from, from))

/** How much of a time the spans take together, milliseconds. */
export const overlapOfAny = (spans: ReadonlyArray<Span>, from: number, to: number) =>
  union(spans).reduce((sum, span) => sum + overlap(span, from, to), 0)

/** The last bucket that begins at an instant or before it. */
const bucketAt = (bounds: ReadonlyArray<number>, at: number) => {
  let [low, high] = [0, bounds.length - 1]
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (bounds[middle]! <= at) low = middle
    else high = middle
  }
  return low
}

/**
 * Counts how much of each bucket any number of spans take, milliseconds. A span costs the same however many buckets it takes
 * whole.
 */
export const makeTimeSums = (bounds: ReadonlyArray<number>) => {
  const size = bounds.length - 1
  const parts = new Float64Array(Math.max(0, size))
  /** By how many more spans take a bucket whole than take the one before it. */
  const more = new Float64Array(Math.max(0, size) + 1)
  return {
    add: (span: Span) => {
      const from = Math.max(span.from, bounds[0]!)
      const to = Math.min(span.to, bounds.at(-1)!)
      if (size < 1 || from >= to) return
      const [first, last] = [bucketAt(bounds, from), bucketAt(bounds, to - 1)]
      if (first === last) {
        parts[first]! += to - from
        return
      }
      parts[first]! += bounds[first + 1]! - from
      parts[last]! += to - bounds[last]!
      more[first + 1]! += 1
      more[last]! -= 1
    },
    sums: (): ReadonlyArray<number> => {
      let whole = 0
      return Array.from(parts, (part, bucket) => {
        whole += more[bucket]!
        return part + whole * (bounds[bucket + 1]! - bounds[bucket]!)
      })
    }
  }
}
