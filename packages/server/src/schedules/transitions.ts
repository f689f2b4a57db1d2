import { type WeeklyTimes, parseTime, ruleMinutes } from "@edp/domain/schedules/week"
import { isDeepStrictEqual } from "node:util"
import { DAY, instantAt, localDay, MINUTE } from "./localTime.ts"

/** The times of a schedule and its modes. Its rules must not overlap. */
export interface Timetable<Mode> {
  readonly timezone: string
  /** The mode outside of the rules; null leaves the device as it is. */
  readonly defaultMode: Mode | null
  readonly rules: ReadonlyArray<WeeklyTimes & { readonly mode: Mode }>
}

/** A time at which one mode holds. */
interface Segment<Mode> {
  /** Milliseconds since 1970, inclusive. */
  readonly from: number
  readonly mode: Mode | null
  /** The index of the rule; null between rules. */
  readonly rule: number | null
}

/** The start of a mode that differs from the one before. */
export interface Transition<Mode> extends Segment<Mode> {
  readonly mode: Mode
}

/** A rule may have begun on the day before, and a day of the calendar can be skipped. */
const DAYS_BACK = 2

/** The days in which a transition comes if there are any: a clock change can swallow one of a week's occurrences. */
const DAYS_AHEAD = 30

interface Occurrence {
  readonly rule: number
  readonly from: number
  readonly to: number
}

/** 1970 began on a Thursday. */
const dayOfWeek = (day: number) => (((day + 4) % 7) + 7) % 7

/**
 * The rules that begin on a local day, in order.
 *
 * @param day Days since 1970.
 */
const occurrences = <Mode>({ rules, timezone }: Timetable<Mode>, day: number): Array<Occurrence> =>
  rules
    .flatMap((times, rule) => {
      if (!times.daysOfWeek.includes(dayOfWeek(day))) return []
      const start = parseTime(times.startTime)
      return [{ rule, start, end: start + ruleMinutes(times) }]
    })
    .toSorted((one, other) => one.start - other.start)
    .map(({ end, rule, start }) => ({
      rule,
      from: instantAt(day * DAY + start * MINUTE, timezone),
      to: instantAt(day * DAY + end * MINUTE, timezone)
    }))

/** The segments from some days before `from` on, in order; neighbours may have equal modes. Ends with the days ahead. */
function* segments<Mode>(timetable: Timetable<Mode>, from: number, daysAhead: number): Generator<Segment<Mode>> {
  const { defaultMode, rules, timezone } = timetable
  const between = (at: number) => ({ from: at, mode: defaultMode, rule: null })
  const today = localDay(from, timezone)
  let end = instantAt((today - DAYS_BACK) * DAY, timezone)
  let begun = false
  for (let day = today - DAYS_BACK; day <= today + daysAhead; day++) {
    for (const one of occurrences(timetable, day)) {
      // Both times were in the same gap.
      if (one.from === one.to) continue
      if (!begun || one.from > end) yield between(end)
      yield { from: one.from, mode: rules[one.rule]!.mode, rule: one.rule }
      begun = true
      end = one.to
    }
  }
  yield between(end)
}

function* transitions<Mode>(timetable: Timetable<Mode>, from: number, daysAhead: number): Generator<Transition<Mode>> {
  // At the end of the days ahead, a rule of the next day may follow without a break.
  const until = from + (daysAhead - 2) * DAY
  let before: Segment<Mode> | undefined
  for (const segment of segments(timetable, from, daysAhead)) {
    if (segment.from >= until) return
    const { mode } = segment
    const isChange = before !== undefined && !isDeepStrictEqual(before.mode, mode)
    if (isChange && mode !== null && segment.from >= from) yield { ...segment, mode }
    before = segment
  }
}

/** The transitions from a time on, inclusive, at most as many as the limit. */
export const nextTransitions = <Mode>(
  timetable: Timetable<Mode>,
  from: number,
  limit: number
): ReadonlyArray<Transition<Mode>> => {
  const found: Array<Transition<Mode>> = []
  for (let at = from; found.length < limit;) {
    const before = found.length
    for (const one of transitions(timetable, at, DAYS_AHEAD)) {
      found.push(one)
      if (found.length === limit) return found
    }
    if (found.length === before) return found
    at = found.at(-1)!.from + 1
  }
  return found
}

/** The first transition after a time, in milliseconds; undefined if there is none. */
export const transitionAfter = <Mode>(timetable: Timetable<Mode>, at: number): number | undefined =>
  nextTransitions(timetable, at + 1, 1)[0]?.from

/** The mode that holds at a time; null if no rule holds and there is no default. */
export const modeAt = <Mode>(timetable: Timetable<Mode>, at: number): Mode | null => {
  let mode = timetable.defaultMode
  for (const segment of segments(timetable, at, 1)) {
    if (segment.from > at) break
    mode = segment.mode
  }
  return mode
}
