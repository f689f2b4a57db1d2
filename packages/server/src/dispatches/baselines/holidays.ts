import { DAY } from "../../schedules/localTime.ts"

/** A calendar day without a time zone, as the number of days since 1970-01-01. */
export type DayNumber = number

export const toDayNumber = (date: string): DayNumber => Date.parse(`${date}T00:00:00Z`) / DAY
export const formatDay = (day: DayNumber): string => new Date(day * DAY).toISOString().slice(0, 10)

/** 0 is Sunday; 1970-01-01 was a Thursday. */
export const weekdayAt = (day: DayNumber): number => (((day + 4) % 7) + 7) % 7

const [SUNDAY, MONDAY, THURSDAY, SATURDAY] = [0, 1, 4, 6]

const dayAt = (year: number, month: number, day: number): DayNumber => Date.UTC(year, month - 1, day) / DAY

/** The nth of a weekday in a month. */
const nth = (year: number, month: number, n: number, weekday: number): DayNumber => {
  const first = dayAt(year, month, 1)
  return first + ((weekday - weekdayAt(first) + 7) % 7) + 7 * (n - 1)
}

const lastMonday = (year: number, month: number): DayNumber => {
  const last = dayAt(year, month + 1, 1) - 1
  return last - ((weekdayAt(last) - MONDAY + 7) % 7)
}

/** The first year in which June 19 was a holiday: Public Law 117-17. */
const JUNETEENTH = 2021

/** The days on which holidays of a year fall: 5 U.S.C. 6103(a). */
const holidaysIn = (year: number): ReadonlyArray<DayNumber> => [
  dayAt(year, 1, 1),
  nth(year, 1, 3, MONDAY),
  nth(year, 2, 3, MONDAY),
  lastMonday(year, 5),
  ...(year < JUNETEENTH ? [] : [dayAt(year, 6, 19)]),
  dayAt(year, 7, 4),
  nth(year, 9, 1, MONDAY),
  nth(year, 10, 2, MONDAY),
  dayAt(year, 11, 11),
  nth(year, 11, 4, THURSDAY),
  dayAt(year, 12, 25)
]

/** Observed on the Friday before a Saturday, 5 U.S.C. 6103(b), and on the Monday after a Sunday, Executive Order 11582. */
const observed = (day: DayNumber): DayNumber => {
  if (weekdayAt(day) === SATURDAY) return day - 1
  return weekdayAt(day) === SUNDAY ? day + 1 : day
}

const known = new Map<number, ReadonlySet<DayNumber>>()

/** The days of a year on which federal holidays are observed. The next New Year's Day may be among them. */
const observedIn = (year: number): ReadonlySet<DayNumber> => {
  const days = known.get(year) ?? new Set([...holidaysIn(year), dayAt(year + 1, 1, 1)].map(observed))
  known.set(year, days)
  return days
}

/** Whether a federal holiday of the USA is observed on the day. */
export const isFederalHoliday = (day: DayNumber): boolean => observedIn(new Date(day * DAY).getUTCFullYear()).has(day)

export type DayType = "weekday" | "weekend"

/** The type of each day. Holidays count as weekend days. */
export type Calendar = (day: DayNumber) => DayType

export const makeCalendar = (holidays: "us-federal" | "none", extraHolidays: ReadonlyArray<string> = []): Calendar => {
  const extra = new Set(extraHolidays.map(toDayNumber))
  return (day) => {
    const weekday = weekdayAt(day)
    const isFree = weekday === SATURDAY || weekday === SUNDAY || extra.has(day)
    return isFree || (holidays === "us-federal" && isFederalHoliday(day)) ? "weekend" : "weekday"
  }
}
