import { type LimitedDevice, decodeCommandInput, restrictions } from "@edp/domain/commands/commandInputs"
import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { type ScheduleMode, type ScheduleRule, type ScheduledType, modeCommand } from "@edp/domain/schedules/Schedule"
import { DAY_MINUTES, dayNames, findOverlaps, formatTime } from "@edp/domain/schedules/week"
import { Effect, Result } from "effect"

export interface Modes {
  readonly defaultMode: ScheduleMode | null
  readonly rules: ReadonlyArray<ScheduleRule>
}

type Details = Record<string, string>

/** The messages of a command's input, by the path of the mode. */
const underPath = (path: string, details: Readonly<Details>): Details =>
  Object.fromEntries(Object.entries(details).map(([name, message]) => [name.replace(/^input/, path), message]))

const overlaps = (rules: ReadonlyArray<ScheduleRule>): Details =>
  Object.fromEntries(
    findOverlaps(rules).map(({ at, other, rule }) => [
      `rules.${rule}`,
      `Overlaps rules.${other}: both hold on ${dayNames[Math.floor(at / DAY_MINUTES)]} at ${formatTime(at)}`
    ])
  )

/** Days in order, each once. */
const normalized = (rule: ScheduleRule): ScheduleRule => ({
  ...rule,
  daysOfWeek: [...new Set(rule.daysOfWeek)].toSorted((one, other) => one - other)
})

/**
 * Checks modes as inputs of the type's command and, if the device is known, against its limits, and that no two rules overlap.
 * Fails with all messages at once, such as `rules.0.mode.heatTarget`.
 */
export const checkedModes = (
  type: ScheduledType,
  { defaultMode, rules }: Modes,
  device?: LimitedDevice
): Effect.Effect<Modes, ValidationError> => {
  const command = modeCommand(type)
  // Field names come from the caller, so the record has no prototype.
  const details: Details = Object.assign(Object.create(null), overlaps(rules))
  const check = (path: string, mode: ScheduleMode): ScheduleMode => {
    const decoded = Effect.runSync(Effect.result(decodeCommandInput(command, mode)))
    if (Result.isFailure(decoded)) Object.assign(details, underPath(path, decoded.failure))
    else if (device !== undefined)
      Object.assign(details, underPath(path, restrictions(command, decoded.success, device)))
    return Result.isSuccess(decoded) ? decoded.success : mode
  }
  const checked: Modes = {
    defaultMode: defaultMode === null ? null : check("defaultMode", defaultMode),
    rules: rules.map((rule, index) => ({ ...normalized(rule), mode: check(`rules.${index}.mode`, rule.mode) }))
  }
  return Object.keys(details).length === 0 ? Effect.succeed(checked) : Effect.fail(invalid(details))
}
