import { type PageOf, pageOf } from "@edp/domain/shared/Page"
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

/** A reading as it is stored. */
export interface ReadingText {
  readonly id: string
  readonly at: number
  /** JSON of an object. */
  readonly state: string
}

type Timestamp = (at: number) => string

const digits = (count: number) => Array.from({ length: 10 ** count }, (_, value) => `${value}`.padStart(count, "0"))
const [two, three] = [digits(2), digits(3)]

/**
 * Writes instants as `Date` does, which takes most of the time that a page's text takes. Readings next to each other are
 * mostly of one day, whose date is made once.
 */
export const timestamps = (): Timestamp => {
  let day = Number.NaN
  let date = ""
  return (at) => {
    if (Math.floor(at / DAY) !== day) {
      day = Math.floor(at / DAY)
      date = new Date(at).toISOString().slice(0, -13)
    }
    const within = at - day * DAY
    const seconds = Math.floor(within / 1000)
    const [hour, minute] = [two[Math.floor(seconds / 3600)]!, two[Math.floor(seconds / 60) % 60]!]
    return `${date}${hour}:${minute}:${two[seconds % 60]!}.${three[within % 1000]!}Z`
  }
}

/**
 * A reading as it is answered. Its state goes from the database to the caller as it is: nobody reads it on the way, and
 * none has a field that is called like one of these.
 */
const textOf = ({ id, at, state }: ReadingText, timestamp: Timestamp) =>
  `{"id":"${id}","createdAt":"${timestamp(at)}"${state === "{}" ? "}" : `,${state.slice(1)}`}`

const bodyOf = (readings: ReadonlyArray<ReadingText>, rest: object) => {
  const timestamp = timestamps()
  const data = readings.map((reading) => textOf(reading, timestamp))
  return `{"data":[${data.join(",")}],${JSON.stringify(rest).slice(1)}`
}

/** A page with its totals, as JSON. */
export const pageText = (
  readings: ReadonlyArray<ReadingText>,
  page: number,
  perPage: number,
  total: number
): string => {
  const { data: _, ...totals }: PageOf<never> = pageOf([], page, perPage, total)
  return bodyOf(readings, totals)
}

/** A page of a cursor walk, as JSON. */
export const walkText = (readings: ReadonlyArray<ReadingText>, perPage: number): string => bodyOf(readings, { perPage })
