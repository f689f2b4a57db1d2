import type { ScheduleMode, ScheduleRule } from "@edp/domain/schedules/Schedule"
import { DAY_MINUTES, ruleByMinute } from "@edp/domain/schedules/week"
import { formatMode } from "./ruleText.ts"

/** The times of a schedule that a week is drawn from. */
export interface WeekPlan {
  readonly timezone: string
  readonly defaultMode: ScheduleMode | null
  readonly rules: ReadonlyArray<ScheduleRule>
}

const days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
const BESIDE_RULES = "."
const spare = [..."123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"]
const NO_SIGN = "#"

/** The width of a day in the drawing with half hours, and the days' names. */
const WIDE = 48
const MARGIN = 5

/**
 * A character for each mode, so that the drawing needs no colours: its first letter where that is free. The default mode is a
 * dot, and so is a time without a mode.
 */
const chooseSigns = ({ defaultMode, rules }: WeekPlan): ReadonlyMap<string, string> => {
  const signs = new Map<string, string>()
  if (defaultMode !== null) signs.set(formatMode(defaultMode), BESIDE_RULES)
  const used = new Set([BESIDE_RULES])
  for (const { mode } of rules) {
    const text = formatMode(mode)
    if (signs.has(text)) continue
    const letter = text[0]!
    const sign = [letter.toUpperCase(), letter.toLowerCase(), ...spare].find((one) => !used.has(one)) ?? NO_SIGN
    used.add(sign)
    signs.set(text, sign)
  }
  return signs
}

/** The rule that holds longest, however short it is, so that no rule is left out beside none. */
const longest = (minutes: ReadonlyArray<number | undefined>) => {
  const counts = new Map<number, number>()
  for (const rule of minutes) if (rule !== undefined) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}

const hours = (cells: number) =>
  Array.from({ length: 8 }, (_, index) =>
    String(index * 3)
      .padStart(2, "0")
      .padEnd(cells / 8)
  )
    .join("")
    .trimEnd()

/**
 * A schedule's week by local time: a row a day and a character every half hour, or every hour where the width is small, and a
 * legend of the modes.
 */
export const drawWeek = (plan: WeekPlan, width = Number.POSITIVE_INFINITY): string => {
  const { defaultMode, rules, timezone } = plan
  const cells = width >= MARGIN + WIDE ? WIDE : WIDE / 2
  const cellMinutes = DAY_MINUTES / cells
  const signs = chooseSigns(plan)
  const minutes = ruleByMinute(rules)
  const draw = (from: number) => {
    const rule = longest(minutes.slice(from, from + cellMinutes))
    return rule === undefined ? BESIDE_RULES : signs.get(formatMode(rules[rule]!.mode))!
  }
  const rows = days.map((name, day) => {
    const line = Array.from({ length: cells }, (_, cell) => draw(day * DAY_MINUTES + cell * cellMinutes))
    return `${name.padEnd(MARGIN)}${line.join("")}`
  })
  const legend = [...signs].filter(([, sign]) => sign !== BESIDE_RULES).map(([mode, sign]) => `  ${sign}  ${mode}`)
  const beside = defaultMode === null ? "no mode: the device stays as it is" : `${formatMode(defaultMode)} (default)`
  return [
    `${" ".repeat(MARGIN)}${hours(cells)}`,
    ...rows,
    "",
    ...legend,
    `  ${BESIDE_RULES}  ${beside}`,
    `Local time of ${timezone}; a character is ${cellMinutes === 60 ? "an hour" : "half an hour"}.`
  ].join("\n")
}
