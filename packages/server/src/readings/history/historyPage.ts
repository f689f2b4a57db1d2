import { type PageOf, makePage } from "@edp/domain/shared/Page"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import type { Span } from "../../energy/intervals.ts"
import type { Order, ReadingText } from "../readingText.ts"

const DAY = 86_400_000

/** No reading is older or newer. Outside of this range the database formats times differently. */
const OLDEST = Date.UTC(1000)
const NEWEST = Date.UTC(9999, 11, 31)

/** The requested span: by default the 24 hours before `to`, which defaults to now. */
export const historySpan = (query: { readonly from?: string; readonly to?: string }, now: number): Span => {
  const to = query.to === undefined ? now : parseTimestamp(query.to)!
  return { from: query.from === undefined ? to - DAY : parseTimestamp(query.from)!, to }
}

/** The part of a span that can hold readings at all. */
export const imaginable = ({ from, to }: Span): Span => ({ from: Math.max(from, OLDEST), to: Math.min(to, NEWEST) })

/** The part of a span in which the device has readings: no other partitions are read. */
export const within = ({ from, to }: Span, firstAt: number | null, lastAt: number | null): Span | undefined => {
  if (firstAt === null || lastAt === null) return undefined
  const part = { from: Math.max(from, firstAt), to: Math.min(to, lastAt + 1) }
  return part.from < part.to ? part : undefined
}

const firstOfMonth = (at: number, months: number) => {
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)
}

/** The first `months` months of a span in reading order; each month is a separate table. */
export const firstMonths = ({ from, to }: Span, order: Order, months: number): Span =>
  order === "asc"
    ? { from, to: Math.min(to, firstOfMonth(from, months)) }
    : { from: Math.max(from, firstOfMonth(to - 1, 1 - months)), to }

type Timestamp = (at: number) => string

const digits = (count: number) => Array.from({ length: 10 ** count }, (_, value) => `${value}`.padStart(count, "0"))
const [two, three] = [digits(2), digits(3)]

/**
 * Formats instants as `Date` does. This takes most of the time of formatting a page, so the date of consecutive readings
 * of one day is formatted once.
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
 * A reading of the response. Its state is passed on from the database without being parsed: no state has a field named
 * `id` or `createdAt`.
 */
const readingJson = ({ id, at, state }: ReadingText, timestamp: Timestamp) =>
  `{"id":"${id}","createdAt":"${timestamp(at)}"${state === "{}" ? "}" : `,${state.slice(1)}`}`

const pageJson = (readings: ReadonlyArray<ReadingText>, rest: object) => {
  const timestamp = timestamps()
  const data = readings.map((reading) => readingJson(reading, timestamp))
  return `{"data":[${data.join(",")}],${JSON.stringify(rest).slice(1)}`
}

/** A page with its totals, as JSON. */
export const pageText = (
  readings: ReadonlyArray<ReadingText>,
  page: number,
  perPage: number,
  total: number
): string => {
  const { data: _, ...totals }: PageOf<never> = makePage([], page, perPage, total)
  return pageJson(readings, totals)
}

/** A page of a cursor walk, as JSON. */
export const walkText = (readings: ReadonlyArray<ReadingText>, perPage: number): string =>
  pageJson(readings, { perPage })
