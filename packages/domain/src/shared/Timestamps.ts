import { Schema } from "effect"
import { documents } from "./documents.ts"

/** A time in a response: ISO 8601 in UTC with milliseconds. It is text and is not parsed when it is sent. */
export const Timestamp = Schema.String.check(documents({ format: "date-time", maxLength: 24 })).annotate({
  description: "ISO 8601 in UTC with milliseconds",
  examples: ["2026-03-01T12:00:00.000Z"]
})

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/u

const expected = "Must be a date-time of RFC 3339, such as 2026-03-01T12:00:00Z"

const daysInMonth = (year: number, month: number) => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** The calendar repeats after 400 years. */
const CYCLE = Date.UTC(2400) - Date.UTC(2000)

const parse = (text: string): number | undefined => {
  // Called for every reading, so it allocates neither arrays nor dates.
  const match = rfc3339.exec(text)
  if (match === null) return undefined
  const year = Number(match[1])
  const month = Number(match[2])
  const day = Number(match[3])
  const hour = Number(match[4])
  const minute = Number(match[5])
  const second = Number(match[6])
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const milliseconds = match[7] === undefined ? 0 : Number(match[7].padEnd(3, "0").slice(0, 3))
  // Date.UTC maps the years 0 to 99 to the 20th century.
  const inCycle = Date.UTC(2000 + (year % 400), month - 1, day, hour, minute, second, milliseconds)
  const local = inCycle + (Math.floor(year / 400) - 5) * CYCLE
  if (match[8] === undefined) return local
  const offsetHour = Number(match[9])
  const offsetMinute = Number(match[10])
  if (offsetHour > 23 || offsetMinute > 59) return undefined
  const offset = (offsetHour * 60 + offsetMinute) * 60_000
  return match[8] === "-" ? local + offset : local - offset
}

/** With nine digits of a second and an offset. */
const LONGEST = 35

let lastText = ""
let lastInstant: number | undefined

/** Parses RFC 3339 to milliseconds since 1970; undefined if the text is invalid. A leap second becomes the next second. */
export const parseTimestamp = (text: string): number | undefined => {
  if (text.length > LONGEST) return undefined
  // The same text is validated and then parsed again, and readings with equal times arrive together.
  if (text !== lastText) {
    lastInstant = parse(text)
    lastText = text
  }
  return lastInstant
}

const FIRST = Date.parse("0000-01-01T00:00:00Z")
const LAST = Date.parse("9999-12-31T23:59:59.999Z")

/** With its offset a time may be outside the years of RFC 3339, and no response could contain it. */
const isInstant = (text: string) => {
  const instant = parseTimestamp(text)
  return instant !== undefined && instant >= FIRST && instant <= LAST
}

/** An input time: RFC 3339 with any offset. */
export const TimestampInput = Schema.String.annotate({ message: expected })
  .check(
    Schema.makeFilter(isInstant, {
      message: expected,
      // 35 characters with nanoseconds and an offset.
      toJsonSchema: () => [{ format: "date-time", maxLength: 35 }, true]
    })
  )
  .annotate({ description: "RFC 3339 with any offset", examples: ["2026-03-01T04:00:00-08:00"] })
