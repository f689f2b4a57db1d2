/** The times of a rule: they repeat every week, on each of its days. */
export interface WeeklyTimes {
  /** 0 is Sunday. */
  readonly daysOfWeek: ReadonlyArray<number>
  /** HH:MM, local. */
  readonly startTime: string
  /** HH:MM, local; not after `startTime`: on the next day. */
  readonly endTime: string
}

export const DAY_MINUTES = 1440
export const WEEK_MINUTES = 7 * DAY_MINUTES

export const dayNames = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const

/** The minutes of HH:MM since midnight. */
export const parseTime = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** HH:MM of the minutes since midnight, of any day. */
export const formatTime = (minutes: number): string => {
  const ofDay = minutes % DAY_MINUTES
  return `${String(Math.floor(ofDay / 60)).padStart(2, "0")}:${String(ofDay % 60).padStart(2, "0")}`
}

/** An end that is not after the start belongs to the next day, so equal times are 24 hours apart. */
export const ruleMinutes = ({ endTime, startTime }: WeeklyTimes): number => {
  const difference = parseTime(endTime) - parseTime(startTime)
  return difference > 0 ? difference : difference + DAY_MINUTES
}

/** One occurrence of a rule in a week. */
export interface WeekInterval {
  /** The rule's index. */
  readonly rule: number
  /** Minutes since the beginning of Sunday, below `WEEK_MINUTES`. */
  readonly start: number
  /** Exclusive. Beyond `WEEK_MINUTES` it is early on the next Sunday. */
  readonly end: number
}

/** All occurrences of the rules in a week, by their start. */
export const weekIntervals = (rules: ReadonlyArray<WeeklyTimes>): ReadonlyArray<WeekInterval> =>
  rules
    .flatMap((times, rule) =>
      [...new Set(times.daysOfWeek)].map((day) => {
        const start = day * DAY_MINUTES + parseTime(times.startTime)
        return { rule, start, end: start + ruleMinutes(times) }
      })
    )
    .toSorted((one, other) => one.start - other.start)

/** The index of the rule that holds in each minute of a week from Monday on; undefined beside the rules. */
export const ruleByMinute = (rules: ReadonlyArray<WeeklyTimes>): ReadonlyArray<number | undefined> => {
  const minutes = Array.from({ length: WEEK_MINUTES }, (): number | undefined => undefined)
  for (const { end, rule, start } of weekIntervals(rules)) {
    // A week of the rules begins on Sunday.
    for (let at = start; at < end; at++) minutes[(at - DAY_MINUTES + WEEK_MINUTES) % WEEK_MINUTES] = rule
  }
  return minutes
}

/** A part of a day in which one rule holds, or none. */
export interface DayPart {
  /** Minutes since midnight. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** The rule's index; undefined beside the rules. */
  readonly rule: number | undefined
}

/** The parts of each day of a week from Monday on. */
export const weekDays = (rules: ReadonlyArray<WeeklyTimes>): ReadonlyArray<ReadonlyArray<DayPart>> => {
  const minutes = ruleByMinute(rules)
  return dayNames.map((_, day) => {
    const parts: Array<{ from: number; to: number; rule: number | undefined }> = []
    for (let at = 0; at < DAY_MINUTES; at++) {
      const rule = minutes[day * DAY_MINUTES + at]
      const last = parts.at(-1)
      if (last !== undefined && last.rule === rule) last.to = at + 1
      else parts.push({ from: at, to: at + 1, rule })
    }
    return parts
  })
}

/** Two rules that hold at the same time. */
export interface Overlap {
  readonly rule: number
  /** An earlier rule: occurrences of one rule never overlap, because each is at most a day long. */
  readonly other: number
  /** The first common minute, since the beginning of Sunday. */
  readonly at: number
}

/** For each rule that overlaps an earlier one, the first such overlap of the week. */
export const findOverlaps = (rules: ReadonlyArray<WeeklyTimes>): ReadonlyArray<Overlap> => {
  const intervals = weekIntervals(rules)
  const found = new Map<number, Overlap>()
  const note = (one: number, other: number, at: number) => {
    const overlap = { rule: Math.max(one, other), other: Math.min(one, other), at: at % WEEK_MINUTES }
    if (!found.has(overlap.rule)) found.set(overlap.rule, overlap)
  }
  for (const [index, one] of intervals.entries()) {
    // An occurrence is at most a day long, so it ends before the same day of the next week.
    for (const later of intervals.slice(index + 1)) {
      if (later.start >= one.end) break
      note(one.rule, later.rule, later.start)
    }
    if (one.end <= WEEK_MINUTES) continue
    for (const next of intervals) {
      if (next.start + WEEK_MINUTES >= one.end) break
      note(one.rule, next.rule, next.start)
    }
  }
  return [...found.values()].toSorted((one, other) => one.rule - other.rule)
}
