import type { Timetable } from "@edp/server/schedules/transitions"

const MINUTE = 60_000
const DAY = 1440

export interface Stretch {
  readonly timezone: string
  /** Milliseconds since 1970, on a whole minute. */
  readonly from: number
  readonly minutes: number
}

const known = new Map<string, ReadonlyArray<number>>()

/** The local time of each minute, read from the platform's formatter, in minutes. */
const readClock = ({ from, minutes, timezone }: Stretch): ReadonlyArray<number> => {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric"
  })
  return Array.from({ length: minutes }, (_, minute) => {
    const parts = format.formatToParts(from + minute * MINUTE)
    const read = (type: string) => Number(parts.find((part) => part.type === type)!.value)
    return Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute")) / MINUTE
  })
}

/** The latest local time that the clock has shown so far: it stands still while a local hour is repeated. */
const readProgress = (stretch: Stretch): ReadonlyArray<number> => {
  const key = JSON.stringify(stretch)
  const made = known.get(key)
  if (made !== undefined) return made
  let latest = -Infinity
  const progress = readClock(stretch).map((local) => (latest = Math.max(latest, local)))
  known.set(key, progress)
  return progress
}

const toMinutes = (time: string) => Number(time.split(":")[0]) * 60 + Number(time.split(":")[1])

/** The rule of each minute of a week that begins on Sunday; null where none holds. */
export const weekOfRules = (rules: Timetable<unknown>["rules"]): ReadonlyArray<number | null> => {
  const week = Array.from({ length: 7 * DAY }, (): number | null => null)
  for (const [index, { daysOfWeek, endTime, startTime }] of rules.entries()) {
    for (const day of daysOfWeek) {
      const end = toMinutes(endTime) + (endTime > startTime ? 0 : DAY)
      for (let minute = toMinutes(startTime); minute < end; minute++) week[(day * DAY + minute) % week.length] = index
    }
  }
  return week
}

/** 1970 began on a Thursday. */
const minuteOfWeek = (local: number) => (((local + 4 * DAY) % (7 * DAY)) + 7 * DAY) % (7 * DAY)

/** The rule and the mode that hold in each minute of a stretch, found by looking at the clock in every one of them. */
export const holdings = <Mode>({ defaultMode, rules }: Timetable<Mode>, stretch: Stretch) => {
  const week = weekOfRules(rules)
  return readProgress(stretch).map((local) => {
    const rule = week[minuteOfWeek(local)]!
    return { rule, mode: rule === null ? defaultMode : rules[rule]!.mode }
  })
}

/** The minutes in which another mode begins than the one before, except for no mode. The first days only lead up to the clock. */
export const expectedTransitions = (timetable: Timetable<string>, stretch: Stretch, leadDays: number) => {
  const all = holdings(timetable, stretch)
  return all.flatMap(({ mode, rule }, minute) =>
    minute >= leadDays * DAY && mode !== null && mode !== all[minute - 1]!.mode
      ? [{ from: stretch.from + minute * MINUTE, mode, rule }]
      : []
  )
}
