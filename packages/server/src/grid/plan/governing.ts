import type { ValuesMap } from "@edp/domain/openadr/values"

/** An event as far as its rank and its times matter. Times are in milliseconds since 1970, and the end of an interval is excluded. */
export interface RankedEvent {
  readonly id: string
  /** 0 is the highest; null is below all numbers. */
  readonly priority: number | null
  readonly createdAt: number
  readonly intervals: ReadonlyArray<{
    readonly start: number
    readonly end: number | null
    readonly payloads: ReadonlyArray<ValuesMap>
  }>
}

/** A time in which one event governs. */
export interface Segment {
  readonly eventId: string
  readonly start: number
  readonly end: number
  readonly payloads: ReadonlyArray<ValuesMap>
}

/** The order of events: of equal priorities the one that was created first, then the lower id. */
export const byRank = (one: RankedEvent, other: RankedEvent): number =>
  byNumber(one.priority, other.priority) || compare(one, other)

const byNumber = (one: number | null, other: number | null) =>
  one === other ? 0 : one === null ? 1 : other === null ? -1 : one - other

const compare = (one: RankedEvent, other: RankedEvent) =>
  one.createdAt - other.createdAt || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

interface Free {
  readonly start: number
  readonly end: number
}

/** Takes a span out of free ones, which are in order. Returns the parts that were free. */
const take = (free: Array<Free>, span: Free): ReadonlyArray<Free> => {
  // The first free span that ends after the start of the taken one.
  let low = 0
  let high = free.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (free[middle]!.end <= span.start) low = middle + 1
    else high = middle
  }
  const taken: Array<Free> = []
  const rest: Array<Free> = []
  let at = low
  for (; at < free.length && free[at]!.start < span.end; at++) {
    const { end, start } = free[at]!
    taken.push({ start: Math.max(start, span.start), end: Math.min(end, span.end) })
    if (start < span.start) rest.push({ start, end: span.start })
    if (end > span.end) rest.push({ start: span.end, end })
  }
  free.splice(low, at - low, ...rest)
  return taken
}

/**
 * The event that governs at each instant between two times, in order of time. An event governs while one of its intervals lasts,
 * unless an event of a higher rank does; of overlapping intervals of one event the first one counts.
 */
export const governing = (events: ReadonlyArray<RankedEvent>, from: number, to: number): ReadonlyArray<Segment> => {
  const free: Array<Free> = from < to ? [{ start: from, end: to }] : []
  const segments: Array<Segment> = []
  for (const { id, intervals } of events.toSorted(byRank)) {
    for (const { end: last, payloads, start } of intervals) {
      const end = last ?? Number.POSITIVE_INFINITY
      if (end <= start) continue
      for (const part of take(free, { start, end })) {
        segments.push({ ...part, eventId: id, payloads })
      }
    }
  }
  return segments.toSorted((one, other) => one.start - other.start)
}
