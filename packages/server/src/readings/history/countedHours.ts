import type { Span } from "../../energy/intervals.ts"
import { Schema } from "effect"
import { HOUR, startOfHour } from "../hours.ts"

/** An hour is counted this long after its end, in milliseconds: few readings arrive later. */
const USUAL_DELAY = 300_000

/** The start of the UTC month, in milliseconds since 1970. */
export const startOfMonth = (at: number) => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

const nextMonth = (at: number) => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** The end of the last hour that can be counted now. */
export const countable = (now: number) => startOfHour(now - USUAL_DELAY)

/** The next hours to count, at most `hours` and all in one month; undefined when none is left. */
export const nextHours = (counted: number, until: number, hours: number): Span | undefined => {
  const from = startOfHour(counted)
  const to = Math.min(nextMonth(from), from + hours * HOUR, until)
  return from < to ? { from, to } : undefined
}

/** A span divided into whole hours with stored counts and the rest, whose readings must be counted. */
export interface Parts {
  readonly counted: Span
  readonly rest: readonly [before: Span, after: Span]
}

export const splitSpan = (span: Span, countedUntil: number | null): Parts => {
  const from = startOfHour(span.from + HOUR - 1)
  const to = countedUntil === null ? from : startOfHour(Math.min(span.to, countedUntil))
  return from < to
    ? {
        counted: { from, to },
        rest: [
          { from: span.from, to: from },
          { from: to, to: span.to }
        ]
      }
    : { counted: { from: span.from, to: span.from }, rest: [span, { from: span.to, to: span.to }] }
}

/** The place of the number of readings before an hour: in this month, after this number of its hours. */
export interface Slot {
  readonly month: number
  readonly hours: number
}

/** The end of the previous hour, which is never in a month that has no row yet. */
export const findSlot = (hour: number): Slot => {
  const month = startOfMonth(hour - 1)
  return { month, hours: (hour - month) / HOUR }
}

/** A device's month as it is stored: the number of readings before it, and running totals at the end of each hour. */
export const MonthCounts = Schema.Struct({ earlier: Schema.Finite, hours: Schema.Array(Schema.Finite) })
export type MonthCounts = typeof MonthCounts.Type

/** The month with new counts from the given hour on; they replace its stored counts and those of later hours. */
export const withHours = (
  { earlier, hours }: MonthCounts,
  from: number,
  numbers: ReadonlyArray<number>
): MonthCounts => {
  const before = (from - startOfMonth(from)) / HOUR
  const last = hours.slice(0, before).at(-1) ?? 0
  const running = Array.from({ length: before }, (_, hour) => hours[hour] ?? last)
  let sum = last
  for (const number of numbers) running.push((sum += number))
  return { earlier, hours: running }
}
