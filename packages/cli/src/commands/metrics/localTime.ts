import type { Period } from "@edp/domain/metrics/MetricSeries"

export const zonedAt = (instant: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone)

/** A bucket by the calendar and the clock of its time zone; an hour has its offset from UTC, for one may come twice. */
export const bucketLabel = (instant: number, period: Period, timezone: string): string => {
  const zoned = zonedAt(instant, timezone)
  const date = zoned.toPlainDate()
  switch (period) {
    case "year":
      return date.toString().slice(0, -6)
    case "month":
      return date.toString().slice(0, -3)
    case "week":
    case "day":
      return date.toString()
    case "hour":
    case "15m": {
      const offset = zoned.offset === "+00:00" ? "Z" : zoned.offset
      return `${date.toString()} ${zoned.toPlainTime().toString({ smallestUnit: "minute" })}${offset}`
    }
  }
}

const inWords = (zoned: Temporal.ZonedDateTime, options: Intl.DateTimeFormatOptions) =>
  zoned.toPlainDateTime().toLocaleString("en-US", options)

const isBeginning = (zoned: Temporal.ZonedDateTime) => zoned.equals(zoned.startOfDay())

const day = { day: "numeric", month: "long", year: "numeric" } as const
const minute = { ...day, hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const

/** A span as a person would name it: a year, a month, a day, the first and the last day, or two instants. */
export const spanText = (from: number, to: number, timezone: string): string => {
  const [first, end] = [zonedAt(from, timezone), zonedAt(to, timezone)]
  if (!isBeginning(first) || !isBeginning(end) || to <= from)
    return `${inWords(first, minute)} to ${inWords(end, minute)}`
  const isSpan = (length: Temporal.DurationLike) => first.toPlainDate().add(length).equals(end.toPlainDate())
  if (first.dayOfYear === 1 && isSpan({ years: 1 })) return `${first.year}`
  if (first.day === 1 && isSpan({ months: 1 })) return inWords(first, { month: "long", year: "numeric" })
  if (isSpan({ days: 1 })) return inWords(first, day)
  return `${inWords(first, day)} to ${inWords(end.subtract({ days: 1 }), day)}`
}
