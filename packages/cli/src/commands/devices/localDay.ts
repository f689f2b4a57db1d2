import { DateTime, Option } from "effect"

export interface LocalDay {
  /** First instant of the day and first of the next one, milliseconds since 1970. */
  readonly from: number
  readonly to: number
  /** Every so many hours of the clock on the wall, where it shows them. */
  readonly hours: ReadonlyArray<{ readonly at: number; readonly label: string }>
}

const HOURS_BETWEEN_TICKS = 3

const instant = (year: number, month: number, day: number, hour: number, timezone: string) =>
  Option.map(
    DateTime.makeZoned({ year, month, day, hour }, { timeZone: timezone, adjustForTimeZone: true }),
    DateTime.toEpochMillis
  )

const two = (value: number) => `${value}`.padStart(2, "0")

/** A day of the calendar as a time zone lives it: of 23 to 25 hours where its clocks change. None where there is no such day. */
export const localDay = (text: string, timezone: string): Option.Option<LocalDay> => {
  const [, year = 0, month = 0, day = 0] = (/^(\d{4})-(\d{2})-(\d{2})$/u.exec(text) ?? []).map(Number)
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return Option.none()
  const next = new Date(Date.UTC(year, month - 1, day + 1))
  const from = instant(year, month, day, 0, timezone)
  const to = instant(next.getUTCFullYear(), next.getUTCMonth() + 1, next.getUTCDate(), 0, timezone)
  if (Option.isNone(from) || Option.isNone(to)) return Option.none()
  const hours = Array.from({ length: 24 / HOURS_BETWEEN_TICKS }, (_, at) => at * HOURS_BETWEEN_TICKS).flatMap((hour) =>
    Option.toArray(Option.map(instant(year, month, day, hour, timezone), (at) => ({ at, label: two(hour) })))
  )
  return Option.some({ from: from.value, to: to.value, hours: [...hours, { at: to.value, label: "24" }] })
}

/** The calendar's day at an instant, in a time zone. */
export const dayOf = (instant: number, timezone: string): string => {
  const zoned = DateTime.makeZoned(instant, { timeZone: timezone })
  if (Option.isNone(zoned)) return new Date(instant).toISOString().slice(0, 10)
  const { day, month, year } = DateTime.toParts(zoned.value)
  return `${year}-${two(month)}-${two(day)}`
}
