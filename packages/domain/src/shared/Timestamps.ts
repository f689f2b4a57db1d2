import { Schema } from "effect"

/** What the service answers: ISO 8601 in UTC with milliseconds. It travels as text, never parsed on the way out. */
export const Timestamp = Schema.String.annotate({
  format: "date-time",
  description: "ISO 8601 in UTC with milliseconds",
  examples: ["2026-03-01T12:00:00.000Z"]
})

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/u

const expected = "Must be a date-time of RFC 3339, such as 2026-03-01T12:00:00Z"

/** The instant of an RFC 3339 text in milliseconds since 1970, or undefined when it is none. Leap seconds are the next second. */
export const parseTimestamp = (text: string): number | undefined => {
  const match = rfc3339.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number
  ]
  const milliseconds = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3))
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, milliseconds)
  const offsetHour = Number(match[9] ?? 0)
  const offsetMinute = Number(match[10] ?? 0)
  const wrapped = date.getUTCMonth() !== month - 1 && second < 60
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 60 || wrapped) return undefined
  if (offsetHour > 23 || offsetMinute > 59) return undefined
  const offset = (offsetHour * 60 + offsetMinute) * 60_000
  return date.getTime() - (match[8] === "-" ? -offset : offset)
}

/** What a caller may send: a date-time of RFC 3339 with any offset. */
export const TimestampInput = Schema.String.annotate({ message: expected })
  .check(
    Schema.makeFilter((text: string) => parseTimestamp(text) !== undefined, {
      message: expected,
      toJsonSchema: () => ({ format: "date-time" })
    })
  )
  .annotate({ description: "RFC 3339 with any offset", examples: ["2026-03-01T04:00:00-08:00"] })
