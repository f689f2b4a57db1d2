import { type ScheduleMode, type ScheduleRule, type ScheduledType, modeCommand } from "@edp/domain/schedules/Schedule"
import { Effect } from "effect"
import { usage } from "../../kernel/CliFailure.ts"
import { parseInput } from "../commands/inputFields.ts"

export const dayWords = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const

const groups: Readonly<Record<string, ReadonlyArray<number>>> = {
  daily: [0, 1, 2, 3, 4, 5, 6],
  weekdays: [1, 2, 3, 4, 5],
  weekends: [0, 6]
}

/** The days from one to another, which may pass the end of the week. */
const range = (from: number, to: number) => Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, n) => (from + n) % 7)

/** The days of `mon-fri,sun`, `daily`, `weekdays` or `weekends`; undefined if a word is none of these. */
const parseDays = (text: string): ReadonlyArray<number> | undefined => {
  const days = text
    .toLowerCase()
    .split(",")
    .flatMap((part) => {
      if (groups[part] !== undefined) return groups[part]
      const [first, last = first, ...rest] = part.split("-").map((day) => dayWords.indexOf(day as never))
      return rest.length > 0 || first === undefined || first < 0 || last! < 0 ? [-1] : range(first, last!)
    })
  return days.includes(-1) ? undefined : [...new Set(days)]
}

const FORM = "DAYS START-END MODE, such as 'mon-fri 22:00-06:00 charge maximumBatteryReserve=90'"

const timeRange = /^(\d\d:\d\d)-(\d\d:\d\d)$/

const splitWords = (text: string) => text.split(/\s+/).filter((word) => word !== "")

/** Parses `charge maximumBatteryReserve=90`: the operating mode and the other fields of the type's set-operating-mode command. */
export const parseMode = (type: ScheduledType, text: string) => {
  const [mode = "", ...fields] = splitWords(text)
  const words = mode === "" || mode.includes("=") ? [mode, ...fields] : [`operatingMode=${mode}`, ...fields]
  const input = parseInput(
    modeCommand(type),
    words.filter((word) => word !== "")
  )
  return Effect.map(input, (mode) => mode as ScheduleMode)
}

/** Parses `mon-fri 22:00-06:00 charge maximumBatteryReserve=90`. The service checks the times. */
export const parseRule = Effect.fnUntraced(function* (type: ScheduledType, text: string) {
  const [days = "", times = "", ...mode] = splitWords(text)
  const daysOfWeek = parseDays(days)
  const match = timeRange.exec(times)
  if (daysOfWeek === undefined || match === null || mode.length === 0) {
    return yield* usage(
      `--rule must be ${FORM}, not ${JSON.stringify(text)}`,
      `Days: ${dayWords.join(", ")}, ranges and lists of them, daily, weekdays, weekends`
    )
  }
  const rule: ScheduleRule = {
    daysOfWeek,
    startTime: match[1]!,
    endTime: match[2]!,
    mode: yield* parseMode(type, mode.join(" "))
  }
  return rule
})

/** A mode as `parseMode` reads it. */
export const formatMode = (mode: ScheduleMode): string => {
  const { operatingMode, ...fields } = mode
  return [operatingMode, ...Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`)].join(" ")
}

const isRun = (days: ReadonlyArray<number>) => days.every((day, n) => n === 0 || day === days[n - 1]! + 1)

/** Monday first, and ranges for three days or more in a row. */
const formatDays = (days: ReadonlyArray<number>): string => {
  const sorted = days.map((day) => (day + 6) % 7).toSorted((one, other) => one - other)
  const word = (day: number) => dayWords[(day + 1) % 7]
  if (sorted.length === 7) return "daily"
  return sorted.length > 2 && isRun(sorted) ? `${word(sorted[0]!)}-${word(sorted.at(-1)!)}` : sorted.map(word).join(",")
}

/** A rule as `parseRule` reads it. */
export const formatRule = ({ daysOfWeek, endTime, mode, startTime }: ScheduleRule): string =>
  `${formatDays(daysOfWeek)} ${startTime}-${endTime} ${formatMode(mode)}`
