import { isDeepStrictEqual } from "node:util"
import type { Directive } from "./directives.ts"

/** A part of a plan: what devices do between two times, in milliseconds since 1970. */
export interface PlannedInterval {
  readonly start: number
  readonly end: number
  readonly directive: Directive
}

/** The intervals of one dispatch. */
export interface PlannedDispatch {
  readonly eventId: string
  readonly intervals: ReadonlyArray<PlannedInterval>
}

const DAY = 86_400_000
const MINUTE = 60_000
/** The limits of a dispatch. */
const INTERVALS = 96

/** Adjacent intervals that mean the same are one. */
const merged = (intervals: ReadonlyArray<PlannedInterval>) => {
  const found: Array<PlannedInterval> = []
  for (const interval of intervals) {
    const last = found.at(-1)
    if (last !== undefined && last.end === interval.start && isDeepStrictEqual(last.directive, interval.directive)) {
      found[found.length - 1] = { ...last, end: interval.end }
    } else found.push(interval)
  }
  return found
}

/** Cuts an interval where days end. Days have 24 hours and are counted from a start. */
const inDays = ({ directive, end, start }: PlannedInterval, first: number): ReadonlyArray<PlannedInterval> => {
  const parts: Array<PlannedInterval> = []
  for (let from = start; from < end;) {
    const to = Math.min(first + (dayNumber(from, first) + 1) * DAY, end)
    parts.push({ start: from, end: to, directive })
    from = to
  }
  return parts
}

const dayNumber = (at: number, first: number) => Math.floor((at - first) / DAY)

/** The parts of a span as dispatches: halves of it where they are too many for one, so that no part moves when another one is added. */
const inHalves = (
  parts: ReadonlyArray<PlannedInterval>,
  start: number,
  length: number
): ReadonlyArray<ReadonlyArray<PlannedInterval>> => {
  if (parts.length === 0) return []
  if (parts.length <= INTERVALS) return [parts]
  const [half, middle] = [length / 2, start + length / 2]
  const isEarly = (part: PlannedInterval) => part.start < middle
  return [
    ...inHalves(parts.filter(isEarly), start, half),
    ...inHalves(
      parts.filter((part) => !isEarly(part)),
      middle,
      half
    )
  ]
}

/**
 * The dispatches of an event's segments, in order of time: one for each day of 24 hours from the event's start, so that a usual event is
 * one dispatch. The days depend on the event alone: what has passed, and other events, do not move them.
 */
export const toDispatches = (
  event: { readonly id: string; readonly start: number },
  segments: ReadonlyArray<PlannedInterval>
): ReadonlyArray<PlannedDispatch> => {
  const parts = merged(segments)
    .flatMap((segment) => inDays(segment, event.start))
    .filter(({ end, start }) => end - start >= MINUTE)
  return [...Map.groupBy(parts, ({ start }) => dayNumber(start, event.start))]
    .flatMap(([day, ofDay]) => inHalves(ofDay, event.start + day * DAY, DAY))
    .map((intervals) => ({ eventId: event.id, intervals }))
}

/** The part of a dispatch that lies after a time; undefined if none does. Devices can't be asked for less than a minute. */
export const remaining = (intervals: ReadonlyArray<PlannedInterval>, from: number): ReadonlyArray<PlannedInterval> =>
  intervals
    .map((interval) => ({ ...interval, start: Math.max(interval.start, from) }))
    .filter(({ end, start }) => end - start >= MINUTE)

/** Two plans are the same if nothing of them differs after a time. */
export const isSamePlan = (
  one: ReadonlyArray<PlannedInterval>,
  other: ReadonlyArray<PlannedInterval>,
  from: number
): boolean => isDeepStrictEqual(remaining(one, from), remaining(other, from))

interface Existing {
  readonly id: string
  readonly eventId: string
  readonly intervals: ReadonlyArray<PlannedInterval>
}

/** The changes by which the dispatches that exist become those that are wanted. Both are compared for the time that is left. */
export const reconcile = (
  existing: ReadonlyArray<Existing>,
  wanted: ReadonlyArray<PlannedDispatch>,
  from: number
): { readonly cancel: ReadonlyArray<Existing>; readonly create: ReadonlyArray<PlannedDispatch> } => {
  const open = wanted.filter(({ intervals }) => remaining(intervals, from).length > 0)
  const unmatched = new Set(open)
  const cancel = existing.filter(({ eventId, intervals }) => {
    if (remaining(intervals, from).length === 0) return false
    const match = [...unmatched].find((each) => each.eventId === eventId && isSamePlan(each.intervals, intervals, from))
    if (match === undefined) return true
    unmatched.delete(match)
    return false
  })
  return {
    cancel,
    create: [...unmatched].map(({ eventId, intervals }) => ({ eventId, intervals: remaining(intervals, from) }))
  }
}
