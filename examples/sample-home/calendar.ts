/** The sample's year. Not a leap year: 8,760 hours. */
export const YEAR = 2025

/** Pacific Standard Time, kept all year in the file. */
export const OFFSET = "-08:00"

const DAY_MS = 86_400_000
const newYear = Date.UTC(YEAR, 0, 1)

/** `month` and the resulting day of the year count from 0. */
const nthSunday = (month: number, nth: number): number => {
  const first = Date.UTC(YEAR, month, 1)
  const firstSunday = (7 - new Date(first).getUTCDay()) % 7
  return Math.round((first - newYear) / DAY_MS) + firstSunday + 7 * (nth - 1)
}

/** Clocks in California go forward on the second Sunday of March and back on the first Sunday of November. */
const firstSummerDay = nthSunday(2, 2)
const firstWinterDay = nthSunday(10, 1)

/** `day` counts from 0 (1 January); `hour` is standard time. */
export const intervalStart = (day: number, hour: number): string =>
  new Date(newYear + day * DAY_MS + hour * 3_600_000).toISOString().slice(0, 19) + OFFSET

/** The calendar of the people in the home: the local hour and whether it is a Saturday or Sunday. */
export const wallClock = (day: number, hour: number): { readonly hour: number; readonly weekend: boolean } => {
  const shifted = hour + (day >= firstSummerDay && day < firstWinterDay ? 1 : 0)
  const weekday = new Date(newYear + (day + Math.floor(shifted / 24)) * DAY_MS).getUTCDay()
  return { hour: shifted % 24, weekend: weekday === 0 || weekday === 6 }
}
