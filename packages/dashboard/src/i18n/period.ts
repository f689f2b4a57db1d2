import { DateTime } from "effect"
import { nowMillis } from "../state/now.ts"

export const calendarUnits = ["day", "week", "month", "year"] as const
export const recentUnits = ["1h", "6h", "7d", "30d"] as const
type CalendarUnit = (typeof calendarUnits)[number]
type RecentUnit = (typeof recentUnits)[number]
/** A unit of the calendar, a time up to now, or a span with bounds of its own. */
export type PeriodUnit = CalendarUnit | RecentUnit | "span"

/**
 * A time that is shown. Weeks begin on Monday. The last 7 and 30 days are whole days of the time zone, of which the present one is the
 * last.
 */
export interface Period {
  readonly unit: PeriodUnit
  /** Bounds in milliseconds since 1970; `to` is exclusive. */
  readonly from: number
  readonly to: number
  /** The first day, as `2026-03-01`. */
  readonly day: string
}

/** A period as the address has it. `from` and `to` are those of a span. */
export interface PeriodSearch {
  readonly unit?: PeriodUnit | undefined
  readonly day?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
/** The longest span: that of the annotations. */
const LONGEST = 400 * DAY

const zoned = (time: number, timeZone: string) => DateTime.makeZonedUnsafe(time, { timeZone })

const steps = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 }, year: { years: 1 } } as const

const starting = (start: DateTime.Zoned, unit: CalendarUnit): Period => ({
  unit,
  from: start.epochMilliseconds,
  to: DateTime.add(start, steps[unit]).epochMilliseconds,
  day: DateTime.formatIsoDate(start)
})

/** The period of the calendar that holds a time. */
export const periodAt = (time: number, unit: CalendarUnit, timeZone: string): Period =>
  starting(DateTime.startOf(zoned(time, timeZone), unit, { weekStartsOn: 1 }), unit)

const between = (unit: PeriodUnit, from: number, to: number, timeZone: string): Period => ({
  unit,
  from,
  to,
  day: DateTime.formatIsoDate(zoned(from, timeZone))
})

/** The period that ends now: with the present minute, or with the present day. */
const recentPeriod = (unit: RecentUnit, timeZone: string): Period => {
  if (unit === "1h" || unit === "6h") {
    const to = Math.ceil(nowMillis() / MINUTE) * MINUTE
    return between(unit, to - (unit === "1h" ? HOUR : 6 * HOUR), to, timeZone)
  }
  const { from, to } = periodAt(nowMillis(), "day", timeZone)
  const days = unit === "7d" ? 6 : 29
  return between(unit, DateTime.subtract(zoned(from, timeZone), { days }).epochMilliseconds, to, timeZone)
}

/** The first year of a period. A year that is being typed begins with 0002. */
const FIRST_YEAR = 1970

/** The period of a date such as `2026-03-01`, which a parameter of the address gives; undefined for any other text. */
export const periodFromDay = (day: string | undefined, unit: CalendarUnit, timeZone: string): Period | undefined => {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined
  const noon = Date.parse(`${day}T12:00:00Z`)
  if (Number.isNaN(noon) || Number(day.slice(0, 4)) < FIRST_YEAR) return undefined
  const parts = DateTime.toPartsUtc(DateTime.makeUnsafe(noon))
  const start = DateTime.makeZonedUnsafe(
    { year: parts.year, month: parts.month, day: parts.day, hour: 12 },
    { timeZone, adjustForTimeZone: true }
  )
  return periodAt(start.epochMilliseconds, unit, timeZone)
}

/** The span between two times of the address, in whole minutes. */
const spanPeriod = ({ from = "", to = "" }: PeriodSearch, timeZone: string): Period | undefined => {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const isSpan = start >= 0 && end - start >= MINUTE && end - start <= LONGEST
  return isSpan ? between("span", start, end, timeZone) : undefined
}

/** The parameters of the address for a span, which is widened to whole minutes. */
export const spanSearch = (from: number, to: number) => {
  const text = (minute: number) => new Date(minute * MINUTE).toISOString().replace(":00.000Z", "Z")
  const search = { unit: "span", from: text(Math.floor(from / MINUTE)), to: text(Math.ceil(to / MINUTE)) } as const
  return { ...search, day: undefined }
}

/** The parameters of the address for a period. */
export const periodSearch = ({ unit, day, from, to }: Period): PeriodSearch =>
  unit === "span"
    ? spanSearch(from, to)
    : { unit, day: isRecent(unit) ? undefined : day, from: undefined, to: undefined }

const isRecent = (unit: PeriodUnit): unit is RecentUnit => (recentUnits as ReadonlyArray<string>).includes(unit)

export const isCalendar = (unit: PeriodUnit): unit is CalendarUnit =>
  (calendarUnits as ReadonlyArray<string>).includes(unit)

/** Whether the period moves on with each minute. */
export const isSliding = ({ unit }: Period) => unit === "1h" || unit === "6h"

/** The period before (-1) or after (1) another. What is no unit of the calendar moves by its length. */
export const movePeriod = (period: Period, by: 1 | -1, timeZone: string): Period => {
  if (isCalendar(period.unit)) return periodAt(by === 1 ? period.to : period.from - 1, period.unit, timeZone)
  const length = period.to - period.from
  return between("span", period.from + by * length, period.to + by * length, timeZone)
}

/** The period of the address; by default the present one of a unit, a day. */
export const chosenPeriod = (search: PeriodSearch, timeZone: string): Period => {
  const { unit = "day", day } = search
  if (unit === "span") return spanPeriod(search, timeZone) ?? periodAt(nowMillis(), "day", timeZone)
  if (isRecent(unit)) return recentPeriod(unit, timeZone)
  return periodFromDay(day, unit, timeZone) ?? periodAt(nowMillis(), unit, timeZone)
}

const QUARTER = 15 * MINUTE

/** The quarters of an hour that a period is in, so that the queries of the last hour stay the same for a while. */
export const inQuarters = <P extends { readonly from: number; readonly to: number }>(period: P): P => ({
  ...period,
  from: Math.floor(period.from / QUARTER) * QUARTER,
  to: Math.ceil(period.to / QUARTER) * QUARTER
})

/** The local time of an instant as the control for dates and times has it: `2026-03-01T12:00`. */
export const toLocalText = (time: number, timeZone: string): string =>
  DateTime.formatIsoOffset(zoned(time, timeZone)).slice(0, 16)

/** The instant of such a text; undefined for an unfinished one. */
export const fromLocalText = (text: string, timeZone: string): number | undefined => {
  const parts = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(text)?.slice(1).map(Number)
  if (parts === undefined || parts[0]! < FIRST_YEAR) return undefined
  const [year, month, day, hour, minute] = parts as [number, number, number, number, number]
  return DateTime.makeZonedUnsafe({ year, month, day, hour, minute }, { timeZone, adjustForTimeZone: true })
    .epochMilliseconds
}

/** Another period that is laid over: the one before, the same time a day, a week or a year before, or one that begins on a date. */
export const overlays = ["before", "day", "week", "year"] as const
export type Overlay = (typeof overlays)[number] | `${number}-${number}-${number}`

const overlaysByUnit: Readonly<Record<PeriodUnit, ReadonlyArray<(typeof overlays)[number]>>> = {
  "1h": ["before", "day", "week"],
  "6h": ["before", "day", "week"],
  day: ["day", "week", "year"],
  "7d": ["week", "year"],
  week: ["week", "year"],
  "30d": ["before", "year"],
  month: ["before", "year"],
  year: ["before"],
  span: ["before", "week", "year"]
}

export const overlaysFor = ({ unit }: Period) => overlaysByUnit[unit]

export interface Former {
  readonly period: Period
  /** The time of the present period at which a time of the former one is drawn: the same one of the clock. */
  readonly align: (time: number) => number
}

type Distance = Parameters<typeof DateTime.add>[1] & object

/** Days from one date to another. */
const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / DAY)

const isHourly = ({ unit }: Period) => unit === "1h" || unit === "6h" || unit === "span"

const distanceTo = (period: Period, overlay: Overlay): Distance => {
  if (overlay === "before") {
    if (isHourly(period)) return { milliseconds: period.to - period.from }
    if (period.unit === "30d") return { days: 30 }
    return period.unit === "year" ? { years: 1 } : { months: 1 }
  }
  if (overlay === "day") return { days: 1 }
  if (overlay === "week") return { days: 7 }
  if (overlay === "year") return { years: 1 }
  return { days: daysBetween(overlay, period.day) }
}

const HALF_HOUR = 30 * MINUTE

/** A shift of times that is computed once for each half hour: clocks change at none within. */
const shiftBy = (distance: Distance, timeZone: string) => {
  const known = new Map<number, number>()
  return (time: number): number => {
    const start = Math.floor(time / HALF_HOUR) * HALF_HOUR
    const shift = known.get(start) ?? DateTime.add(zoned(start, timeZone), distance).epochMilliseconds - start
    known.set(start, shift)
    return time + shift
  }
}

/** The period that is laid over another; undefined for a text of the address that names none. */
export const formerPeriod = (period: Period, overlay: string | undefined, timeZone: string): Former | undefined => {
  const isNamed = overlaysFor(period).some((each) => each === overlay)
  const isDate = periodFromDay(overlay, "day", timeZone) !== undefined && overlay !== period.day
  if (!isNamed && !isDate) return undefined
  const distance = distanceTo(period, overlay as Overlay)
  const [start, end] = [period.from, period.to].map(
    (time) => DateTime.subtract(zoned(time, timeZone), distance).epochMilliseconds
  ) as [number, number]
  const moved = isCalendar(period.unit) ? periodAt(start, period.unit, timeZone) : between("span", start, end, timeZone)
  // Days are aligned with days, so that the last ones of a longer month stay outside.
  const isTimed = overlay === "before" && isHourly(period)
  const back = isTimed || period.unit === "year" ? distance : { days: daysBetween(moved.day, period.day) }
  return { period: moved, align: shiftBy(back, timeZone) }
}
