import type { Range } from "./memory.ts"

/** A meter with more gaps forgets the oldest: they are not filled any more. */
const MOST = 1000

/** Adds ranges, each of which meets none of the others, and joins those that touch. */
export const addRanges = (covered: ReadonlyArray<Range>, added: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  const joined: Array<Range> = []
  for (const [from, to] of [...covered, ...added].sort(([one], [other]) => one - other)) {
    const last = joined.at(-1)
    if (last !== undefined && from <= last[1]) joined[joined.length - 1] = [last[0], Math.max(last[1], to)]
    else joined.push([from, to])
  }
  if (joined.length <= MOST) return joined
  const kept = joined.slice(-MOST)
  return [[joined[0]![0], kept[0]![1]], ...kept.slice(1)]
}

/** Whether a time meets none of the ranges, which are in their order. */
export const isFree = (covered: ReadonlyArray<Range>, from: number, to: number): boolean => {
  let [low, high] = [0, covered.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (covered[middle]![1] <= from) low = middle + 1
    else high = middle
  }
  return low === covered.length || covered[low]![0] >= to
}
