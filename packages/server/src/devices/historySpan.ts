import { parseTimestamp } from "@edp/domain/shared/Timestamps"

const DAY = 86_400_000

/** Milliseconds since 1970, the first included, the last not. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** What a caller asks for: by default the 24 hours before `to`, which is now by default. */
export const historySpan = (query: { readonly from?: string; readonly to?: string }, now: number): Span => {
  const to = query.to === undefined ? now : parseTimestamp(query.to)!
  return { from: query.from === undefined ? to - DAY : parseTimestamp(query.from)!, to }
}

/** The part of a span in which the device has readings: only the partitions of that part are read. */
export const within = ({ from, to }: Span, firstAt: Date | null, lastAt: Date | null): Span | undefined => {
  if (firstAt === null || lastAt === null) return undefined
  const part = { from: Math.max(from, firstAt.getTime()), to: Math.min(to, lastAt.getTime() + 1) }
  return part.from < part.to ? part : undefined
}

const firstOfMonth = (at: number, months: number) => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

/** The first so many months of a span, in the order in which it is read: each month is a table of its own. */
export const beginningOf = ({ from, to }: Span, order: "asc" | "desc", months: number): Span =>
  order === "asc"
    ? { from, to: Math.min(to, firstOfMonth(from, months)) }
    : { from: Math.max(from, firstOfMonth(to - 1, 1 - months)), to }
