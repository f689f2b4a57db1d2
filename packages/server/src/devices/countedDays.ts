import type { Span } from "./historySpan.ts"

export const DAY = 86_400_000

/** How late readings usually are at most: a day is counted once it has ended so long ago, in milliseconds. */
const USUAL_DELAY = 3_600_000

/** The beginning of the UTC day, in milliseconds since 1970. */
export const dayOf = (at: number) => Math.floor(at / DAY) * DAY

const nextMonth = (at: number) => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** Up to where days are worth counting now. */
export const countable = (now: number) => dayOf(now - USUAL_DELAY)

/** The next days to count, all in one month, at most so many; undefined when all are. */
export const nextDays = (counted: number, until: number, days: number): Span | undefined => {
  const from = dayOf(counted)
  const to = Math.min(nextMonth(from), from + days * DAY, until)
  return from < to ? { from, to } : undefined
}

/** A span in two: the whole days that are counted, and the rest, whose readings are still to be counted. */
export interface Parts {
  readonly counted: Span
  readonly rest: readonly [before: Span, after: Span]
}

export const partsOf = (span: Span, countedUntil: number | null): Parts => {
  const from = dayOf(span.from + DAY - 1)
  const to = countedUntil === null ? from : dayOf(Math.min(span.to, countedUntil))
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
