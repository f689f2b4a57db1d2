import type { Span } from "./historyPage.ts"

export const HOUR = 3_600_000

/** How late readings usually are at most: an hour is counted once it has ended so long ago, in milliseconds. */
const USUAL_DELAY = 300_000

/** The beginning of the UTC hour, in milliseconds since 1970. */
export const hourOf = (at: number) => Math.floor(at / HOUR) * HOUR

/** The beginning of the UTC month, in milliseconds since 1970. */
export const monthOf = (at: number) => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

const nextMonth = (at: number) => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** Up to where hours are worth counting now. */
export const countable = (now: number) => hourOf(now - USUAL_DELAY)

/** The next hours to count, all in one month, at most so many; undefined when all are. */
export const nextHours = (counted: number, until: number, hours: number): Span | undefined => {
  const from = hourOf(counted)
  const to = Math.min(nextMonth(from), from + hours * HOUR, until)
  return from < to ? { from, to } : undefined
}

/** A span in two: the whole hours that are counted, and the rest, whose readings are still to be counted. */
export interface Parts {
  readonly counted: Span
  readonly rest: readonly [before: Span, after: Span]
}

export const partsOf = (span: Span, countedUntil: number | null): Parts => {
  const from = hourOf(span.from + HOUR - 1)
  const to = countedUntil === null ? from : hourOf(Math.min(span.to, countedUntil))
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

/** Where the number of readings before an hour is kept: in that month, after so many of its hours. */
export interface Slot {
  readonly month: number
  readonly hours: number
}

/** The end of the hour before, so that a month that is not there yet is not asked for. */
export const slotOf = (hour: number): Slot => {
  const month = monthOf(hour - 1)
  return { month, hours: (hour - month) / HOUR }
}

/** A device's month as it is kept: the readings before it, and from its beginning until the end of each hour. */
export interface MonthCounts {
  readonly earlier: number
  readonly hours: ReadonlyArray<number>
}

/** The month with the numbers of hours from the given one on; what was kept of that hour and of later ones goes. */
export const withHours = (
  { earlier, hours }: MonthCounts,
  from: number,
  numbers: ReadonlyArray<number>
): MonthCounts => {
  const before = (from - monthOf(from)) / HOUR
  const last = hours.slice(0, before).at(-1) ?? 0
  const running = Array.from({ length: before }, (_, hour) => hours[hour] ?? last)
  let sum = last
  for (const number of numbers) running.push((sum += number))
  return { earlier, hours: running }
}
