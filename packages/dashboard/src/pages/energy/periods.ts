import { DateTime } from "effect"
import { formerPeriod, isCalendar, movePeriod, overlaysFor, type Period, periodFromDay } from "../../i18n/period.ts"

/** A local time such as `2026-03-01T09:15:00.000+01:00`. */
export const localTime = (time: number, timeZone: string): string =>
  DateTime.formatIsoOffset(DateTime.makeZonedUnsafe(time, { timeZone }))

/** A function that is computed once for each time: all series of a response have the same times. */
const remembered = <A>(compute: (time: number) => A) => {
  const known = new Map<number, A>()
  return (time: number): A => {
    const found = known.get(time)
    if (found !== undefined) return found
    const value = compute(time)
    known.set(time, value)
    return value
  }
}

/** Shifts of clocks are of half an hour or an hour. */
const SHIFTS = [1_800_000, 3_600_000]

/**
 * Names the place of a bucket within a period: the local time within a day, the day within a month, the day and month within a
 * year. The second of two equal local times, when clocks go back, has a name of its own.
 */
export const placeIn = (unit: Period["unit"], timeZone: string): ((from: number) => string) => {
  const text = (time: number) => localTime(time, timeZone)
  return remembered((from) => {
    const local = text(from)
    if (unit === "year") return local.slice(5, 10)
    if (unit !== "day") return local.slice(8, 10)
    const time = local.slice(0, 16)
    return SHIFTS.some((shift) => text(from - shift).slice(0, 16) === time) ? `${time.slice(11)} again` : time.slice(11)
  })
}

/** Names the month of a bucket. */
export const monthNames = (timeZone: string): ((from: number) => string) =>
  remembered((from) => localTime(from, timeZone).slice(0, 7))

/** The same period of the year before; that of 29 February is 28 February. */
export const yearBefore = ({ unit, day }: Period, timeZone: string): Period => {
  const year = String(Number(day.slice(0, 4)) - 1).padStart(4, "0")
  const rest = day.slice(4) === "-02-29" ? "-02-28" : day.slice(4)
  return periodFromDay(year + rest, isCalendar(unit) ? unit : "day", timeZone)!
}

/** An earlier period with which another is compared. */
export interface Earlier {
  readonly period: Period
  /** The time in the present period of a time of the earlier one; undefined where both have names for their places. */
  readonly align: ((time: number) => number) | undefined
}

const hasPlaces = ({ unit }: Period) => unit === "day" || unit === "month" || unit === "year"

/** The periods with which one is compared: the one that is laid over, the one before, and the same one of the year before. */
export const formerPeriods = (period: Period, timeZone: string, over?: string): ReadonlyArray<Earlier> => {
  const named = (name: string | undefined): ReadonlyArray<Earlier> => {
    const former = formerPeriod(period, name, timeZone)
    return former === undefined ? [] : [{ ...former, align: hasPlaces(period) ? undefined : former.align }]
  }
  const usual = !hasPlaces(period)
    ? overlaysFor(period).slice(0, 2).flatMap(named)
    : [movePeriod(period, -1, timeZone), ...(period.unit === "year" ? [] : [yearBefore(period, timeZone)])].map(
        (each) => ({ period: each, align: undefined })
      )
  const all = [...named(over), ...usual]
  return all.filter(({ period: { from } }, index) => all.findIndex((each) => each.period.from === from) === index)
}
