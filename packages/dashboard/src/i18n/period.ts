import { DateTime } from "effect"
import { nowMillis } from "../state/now.ts"

export const periodUnits = ["day", "week", "month", "year"] as const
export type PeriodUnit = (typeof periodUnits)[number]

/** A day, week, month or year of a time zone. A week begins on Monday. */
export interface Period {
  readonly unit: PeriodUnit
  /** Bounds in milliseconds since 1970; `to` is exclusive. */
  readonly from: number
  readonly to: number
  /** The first day, as `2026-03-01`. */
  readonly day: string
}

/** A period as the address has it. */
export interface PeriodSearch {
  readonly unit?: PeriodUnit | undefined
  readonly day?: string | undefined
}

const zoned = (time: number, timeZone: string) => DateTime.makeZonedUnsafe(time, { timeZone })

const steps = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 }, year: { years: 1 } } as const

const starting = (start: DateTime.Zoned, unit: PeriodUnit): Period => ({
  unit,
  from: start.epochMilliseconds,
  to: DateTime.add(start, steps[unit]).epochMilliseconds,
  day: DateTime.formatIsoDate(start)
})

/** The period that holds a time. */
export const periodAt = (time: number, unit: PeriodUnit, timeZone: string): Period =>
  starting(DateTime.startOf(zoned(time, timeZone), unit, { weekStartsOn: 1 }), unit)

/** The first year of a period. A year that is being typed begins with 0002. */
const FIRST_YEAR = 1970

/** The period of a date such as `2026-03-01`, which a parameter of the address gives; undefined for any other text. */
export const periodFromDay = (day: string | undefined, unit: PeriodUnit, timeZone: string): Period | undefined => {
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

/** The period before (-1) or after (1) another. */
export const movePeriod = (period: Period, by: 1 | -1, timeZone: string): Period =>
  periodAt(by === 1 ? period.to : period.from - 1, period.unit, timeZone)

/** The period of the address; by default the present one of a unit, a day. */
export const chosenPeriod = ({ unit = "day", day }: PeriodSearch, timeZone: string): Period =>
  periodFromDay(day, unit, timeZone) ?? periodAt(nowMillis(), unit, timeZone)
