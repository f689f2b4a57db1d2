import type { CommandType } from "@edp/domain/devices/DeviceType"
import {
  modeCommand,
  type Schedule,
  type ScheduledType,
  scheduledTypes,
  type ScheduleMode,
  type ScheduleRule
} from "@edp/domain/schedules/Schedule"
import { findOverlaps } from "@edp/domain/schedules/week"
import { commandOfSlug } from "../../kit/commands/inputSchemas.ts"
import { formInput, type FormValues } from "../../kit/commands/commandForm.ts"
import { hasMode, modeForm } from "../../kit/commands/modeForm.ts"

export interface RuleForm {
  /** Identifies the rule while rules are added and removed. */
  readonly key: number
  readonly days: ReadonlySet<number>
  readonly start: string
  readonly end: string
  readonly mode: FormValues
}

/** The rules of a form and the mode beside them. */
export interface PlanForm {
  readonly rules: ReadonlyArray<RuleForm>
  readonly defaultMode: FormValues
}

/** Monday first. */
export const weekOrder = [1, 2, 3, 4, 5, 6, 0] as const

export const newRule = (key: number): RuleForm => ({
  key,
  days: new Set(weekOrder),
  start: "22:00",
  end: "06:00",
  mode: {}
})

export const newPlan: PlanForm = { rules: [newRule(0)], defaultMode: {} }

export const withoutModes = ({ rules }: PlanForm): PlanForm => ({
  rules: rules.map((rule) => ({ ...rule, mode: {} })),
  defaultMode: {}
})

export const planFromSchedule = ({ defaultMode, rules }: Pick<Schedule, "defaultMode" | "rules">): PlanForm => ({
  rules: rules.map(({ daysOfWeek, startTime, endTime, mode }, key) => ({
    key,
    days: new Set(daysOfWeek),
    start: startTime,
    end: endTime,
    mode: modeForm(mode)
  })),
  defaultMode: defaultMode === null ? {} : modeForm(defaultMode)
})

export const isScheduled = (type: string): type is ScheduledType => scheduledTypes.some((each) => each === type)

/** The command whose input the modes of devices of a type are, without the limits of one device. */
export const commandOfType = (type: ScheduledType): CommandType => commandOfSlug(modeCommand(type))

/** The rules as the service takes them. */
export const rulesInput = (command: CommandType, rules: ReadonlyArray<RuleForm>): ReadonlyArray<ScheduleRule> =>
  rules.map(({ days, start, end, mode }) => ({
    daysOfWeek: [...days].toSorted((one, other) => one - other),
    startTime: start,
    endTime: end,
    mode: formInput(command, mode).input as ScheduleMode
  }))

export const defaultInput = (command: CommandType, defaultMode: FormValues): ScheduleMode | null =>
  hasMode(defaultMode) ? (formInput(command, defaultMode).input as ScheduleMode) : null

/** The default mode as a merge patch, which keeps what it does not name. */
export const defaultPatch = (before: ScheduleMode | null, after: ScheduleMode | null) =>
  after === null ? null : { ...Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null])), ...after }

/** For each rule that holds at the same time as an earlier one, the index of that one. */
export const overlapping = (rules: ReadonlyArray<RuleForm>): ReadonlyMap<number, number> => {
  const whole = rules.every(({ start, end }) => start !== "" && end !== "")
  if (!whole) return new Map()
  const times = rules.map(({ days, start, end }) => ({ daysOfWeek: [...days], startTime: start, endTime: end }))
  return new Map(findOverlaps(times).map(({ rule, other }) => [rule, other]))
}
