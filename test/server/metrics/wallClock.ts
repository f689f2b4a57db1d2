import type { Period } from "@edp/domain/metrics/MetricSeries"

const formats = new Map<string, Intl.DateTimeFormat>()

const makeFormat = (timezone: string) => {
  const known =
    formats.get(timezone) ??
    new Intl.DateTimeFormat("en-US-u-ca-iso8601", {
      timeZone: timezone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      timeZoneName: "longOffset"
    })
  formats.set(timezone, known)
  return known
}

/** The local time, read from the platform's formatter. */
const shown = (at: number, timezone: string) => {
  const parts = makeFormat(timezone).formatToParts(at)
  const of = (type: string) => parts.find((part) => part.type === type)!.value
  return {
    date: `${of("year")}-${of("month")}-${of("day")}`,
    time: `${of("hour")}:${of("minute")}`,
    offset: of("timeZoneName")
  }
}

/** The Monday of a date's week. */
const findWeek = (date: string) => {
  const day = new Date(`${date}T00:00:00Z`)
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day.toISOString().slice(0, 10)
}

/** Which quarter, hour, day, week, month or year of a time zone an instant lies in. */
export const periodAt = (period: Period, at: number, timezone: string): string => {
  const { date, offset, time } = shown(at, timezone)
  switch (period) {
    case "15m":
      return `${date} ${time.slice(0, 2)}:${Math.floor(Number(time.slice(3)) / 15)} ${offset}`
    case "hour":
      return `${date} ${time.slice(0, 2)} ${offset}`
    case "day":
      return date
    case "week":
      return findWeek(date)
    case "month":
      return date.slice(0, 7)
    case "year":
      return date.slice(0, 4)
  }
}
