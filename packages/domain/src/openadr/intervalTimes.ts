import { addDuration, durationMillis } from "./durations.ts"
import type { Interval, IntervalPeriod, ValuesMap } from "./values.ts"

/** Milliseconds since 1970; the end is excluded, and null if there is none. */
export interface TimedInterval {
  readonly id: number
  readonly start: number
  readonly end: number | null
  readonly payloads: ReadonlyArray<ValuesMap>
}

interface TimedObject {
  readonly duration?: string
  readonly intervalPeriod?: IntervalPeriod | null
  readonly intervals?: ReadonlyArray<Interval> | null
}

/** At most this many intervals of an event that repeats its intervals are computed. */
const REPEATED_INTERVALS = 20_000

/** Times up to the year 1 mean now. */
const NOW_BEFORE = Date.parse("0002-01-01T00:00:00Z")

/** A time without a zone is in UTC. */
const parse = (text: string) => {
  const hasZone = text.length <= 10 || /(?:[Zz]|[+-]\d{2}:\d{2})$/u.test(text)
  return Date.parse(hasZone ? text : `${text}Z`)
}

const startTime = (text: string | undefined, fallback: number, now: number) => {
  if (text === undefined) return fallback
  const time = parse(text)
  return Number.isNaN(time) || time < NOW_BEFORE ? now : time
}

const once = ({ intervalPeriod, intervals }: TimedObject, begin: number, now: number): ReadonlyArray<TimedInterval> => {
  let next = begin
  return (intervals ?? []).map(({ id, intervalPeriod: own, payloads }) => {
    const start = startTime(own?.start, next, now)
    const end = addDuration(start, own?.duration ?? intervalPeriod?.duration ?? "PT0S")
    next = end ?? start
    return { id, start, end, payloads }
  })
}

/**
 * The intervals of an event in their order. An interval without a period of its own follows the one before it and has the
 * duration of the event's period. `now` stands for starts that mean now. An event with a `duration` repeats its intervals until
 * that has passed, and ends then.
 */
export const timedIntervals = (event: TimedObject, now: number): ReadonlyArray<TimedInterval> => {
  const begin = startTime(event.intervalPeriod?.start, now, now)
  const first = once(event, begin, now)
  if (event.duration === undefined) return first
  const total = durationMillis(event.duration)
  const until = addDuration(begin, event.duration)
  if (until !== null && until <= begin) return first
  const ends = first.map(({ end }) => end)
  if (first.length === 0 || ends.includes(null)) {
    return first.map((each) => ({ ...each, end: each.end ?? until }))
  }
  const length = Math.max(...(ends as ReadonlyArray<number>)) - begin
  const repeats = length <= 0 || total === null ? 1 : Math.ceil(total / length)
  const found: Array<TimedInterval> = []
  for (let round = 0; round < repeats && found.length < REPEATED_INTERVALS; round++) {
    for (const each of first) {
      const start = each.start + round * length
      if (until !== null && start >= until) continue
      const end = each.end! + round * length
      found.push({ ...each, start, end: until === null ? end : Math.min(end, until) })
    }
  }
  return found
}

/** The first start and the last end of an event; undefined if it has no intervals. */
export const eventSpan = (
  event: TimedObject,
  now: number
): { readonly start: number; readonly end: number | null } | undefined => {
  const intervals = timedIntervals(event, now)
  if (intervals.length === 0) return undefined
  let [start, end]: [number, number | null] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const each of intervals) {
    start = Math.min(start, each.start)
    end = end === null || each.end === null ? null : Math.max(end, each.end)
  }
  return { start, end }
}
