import { parseTimestamp } from "@edp/domain/shared/Timestamps"

const DAY = 86_400_000

/** Milliseconds since 1970, the first included, the last not. */
export interface Span {
  readonly from: number
  readonly to: number
}

export type Order = "asc" | "desc"

/** No reading is older or newer; beyond, the database has other ways to write a time. */
const OLDEST = Date.UTC(1000)
const NEWEST = Date.UTC(9999, 11, 31)

/** What a caller asks for: by default the 24 hours before `to`, which is now by default. */
export const historySpan = (query: { readonly from?: string; readonly to?: string }, now: number): Span => {
  const to = query.to === undefined ? now : parseTimestamp(query.to)!
  return { from: query.from === undefined ? to - DAY : parseTimestamp(query.from)!, to }
}

/** The part of a span in which there may be readings at all. */
export const imaginable = ({ from, to }: Span): Span => ({ from: Math.max(from, OLDEST), to: Math.min(to, NEWEST) })

/** The part of a span in which the device has readings: only the partitions of that part are read. */
export const within = ({ from, to }: Span, firstAt: number | null, lastAt: number | null): Span | undefined => {
  if (firstAt === null || lastAt === null) return undefined
  const part = { from: Math.max(from, firstAt), to: Math.min(to, lastAt + 1) }
  return part.from < part.to ? part : undefined
}

const firstOfMonth = (at: number, months: number) => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

/** The first so many months of a span, in the order in which it is read: each month is a table of its own. */
export const beginningOf = ({ from, to }: Span, order: Order, months: number): Span =>
  order === "asc"
    ? { from, to: Math.min(to, firstOfMonth(from, months)) }
    : { from: Math.max(from, firstOfMonth(to - 1, 1 - months)), to }
