import {
  type Baseline,
  type CreateDispatch,
  type DispatchInterval,
  dispatchedTypes,
  type DispatchAction,
  type DispatchActions,
  type DispatchedType,
  TargetPower
} from "@edp/domain/dispatches/Dispatch"
import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { type Details, validator } from "@edp/domain/errors/validator"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Effect, Result, type Schema } from "effect"
import { decodeCommandInput } from "@edp/domain/commands/commandInputs"
import { modeCommand } from "@edp/domain/schedules/Schedule"
import type { CommandInput, CommandDevice } from "../commands/commandRow.ts"
import { ratedPower, takesTargetPower } from "@edp/domain/commands/targetPower"
import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"

const DAY = 86_400_000
/** A request takes a moment, and clocks differ. */
const GRACE = 60_000
const LONGEST = 7 * DAY
const HORIZON = 366 * DAY

export const intervalStart = ({ startsAt }: DispatchInterval) => Date.parse(startsAt)

export const intervalEnd = (interval: DispatchInterval) => intervalStart(interval) + interval.durationSeconds * 1000

/** The dispatch begins with its first interval and ends with its last. */
export const intervalTimes = (intervals: ReadonlyArray<DispatchInterval>) => ({
  startsAt: new Date(intervalStart(intervals[0]!)),
  endsAt: new Date(intervalEnd(intervals.at(-1)!))
})

const timeProblems = (intervals: ReadonlyArray<DispatchInterval>): Details => {
  const details: Details = {}
  const start = intervalStart(intervals[0]!)
  for (const [index, interval] of intervals.entries()) {
    const before = intervals[index - 1]
    if (before !== undefined && intervalStart(interval) < intervalEnd(before)) {
      details[`intervals.${index}.startsAt`] = `Must not be before the end of intervals.${index - 1}`
    } else if (intervalEnd(interval) > start + LONGEST) {
      details[`intervals.${index}.durationSeconds`] = "Must end within 7 days of the first interval's start"
    }
  }
  return details
}

/** Why a dispatch can't be announced at a time. */
const startProblems = (start: number, now: number): Details => {
  if (start < now - GRACE) return { "intervals.0.startsAt": "Must not be in the past" }
  return start > now + HORIZON ? { "intervals.0.startsAt": "Must be at most 366 days ahead" } : {}
}

/** Checks that a dispatch can still begin. */
export const requireAhead = (startsAt: Date, now: number): Effect.Effect<void, ValidationError> => {
  const details = startProblems(startsAt.getTime(), now)
  return Object.keys(details).length === 0 ? Effect.void : Effect.fail(invalid(details))
}

/** Checks the intervals of a request and their actions, all at once. Their times become ISO 8601 in UTC. */
export const checkedIntervals = (
  given: CreateDispatch["intervals"],
  now: number
): Effect.Effect<ReadonlyArray<DispatchInterval>, ValidationError> => {
  const intervals = given.map((interval) => ({
    ...interval,
    startsAt: new Date(parseTimestamp(interval.startsAt)!).toISOString()
  }))
  // Field names come from the caller, so the record has no prototype.
  const details: Details = Object.assign(Object.create(null), timeProblems(intervals))
  Object.assign(details, startProblems(intervalStart(intervals[0]!), now))
  for (const [index, { actions }] of intervals.entries()) {
    Object.assign(details, actionsProblems(actions, `intervals.${index}.actions`))
  }
  return Object.keys(details).length === 0 ? Effect.succeed(intervals) : Effect.fail(invalid(details))
}

/** Readings of batteries tell what they did; other devices are seen at the meter alone. */
const defaultMethod = (intervals: ReadonlyArray<DispatchInterval>) =>
  intervals.every(({ actions }) => Object.keys(actions).every((type) => type === "battery"))
    ? "device-metered"
    : "x-of-y"

/** A message for each wrong field of actions, by its path under the given one. */
export const actionsProblems = (actions: DispatchActions, path: string): Details => {
  const details: Details = Object.create(null)
  for (const type of dispatchedTypes) {
    const action = actions[type]
    if (action !== undefined) Object.assign(details, actionProblems(type, action, `${path}.${type}`))
  }
  return details
}

/** The baseline of a dispatch: the given one, or the default for its devices. */
export const checkedBaseline = (
  given: CreateDispatch["baseline"],
  intervals: ReadonlyArray<DispatchInterval>
): Effect.Effect<Baseline, ValidationError> => {
  const { method = defaultMethod(intervals), parameters = {} } = given ?? {}
  const { x, y } = parameters
  return x !== undefined && y !== undefined && x > y
    ? Effect.fail(invalid({ "baseline.parameters.x": "Must be at most y" }))
    : Effect.succeed({ method, parameters })
}

/** Whether an action asks for a power, and leaves the mode to the platform. */
export const isTargetPower = (action: CommandInput): action is { readonly targetPowerW: number } =>
  Object.hasOwn(action, "targetPowerW") && !Object.hasOwn(action, "operatingMode")

const decodeTargetPower = validator(TargetPower as Schema.Codec<unknown, unknown>, "action", {
  onExcessProperty: "error"
})

/** The messages of a command's input under the path of its action. */
const underPath = (path: string, details: Readonly<Details>): Details =>
  Object.fromEntries(Object.entries(details).map(([name, message]) => [name.replace(/^input/, path), message]))

const powerProblem = (type: DispatchedType, power: number) => {
  if (type === "thermostat") return "A thermostat has no power: give an operatingMode"
  return type !== "battery" && power < 0 ? "Must be at least 0: only a battery discharges" : undefined
}

/** A message for each wrong field of an action, by its path such as `intervals.0.actions.battery.operatingMode`. */
const actionProblems = (type: DispatchedType, action: DispatchAction, path: string): Details => {
  if (isTargetPower(action)) {
    const decoded = decodeTargetPower(action, path.split("."))
    if (Result.isFailure(decoded)) return decoded.failure
    const problem = powerProblem(type, action.targetPowerW)
    return problem === undefined ? {} : { [`${path}.targetPowerW`]: problem }
  }
  const decoded = Effect.runSync(Effect.result(decodeCommandInput(modeCommand(type), action)))
  if (Result.isFailure(decoded)) return underPath(path, decoded.failure)
  return (action as CommandInput)["operatingMode"] === "reset"
    ? { [`${path}.operatingMode`]: "Must be charge, discharge or idle: a dispatch restores the settings by itself" }
    : {}
}

/** A device as far as a target power needs it. */
type PoweredDevice = Parameters<typeof powerCommand>[2]

interface ModeInput {
  readonly input: CommandInput
  /** A device that takes no power gets the mode alone. */
  readonly note: "power_not_supported" | null
}

/** The input of the type's command to set the operating mode that an action stands for; undefined if the device takes none. */
export const modeInput = (
  type: DispatchedType,
  action: DispatchAction,
  device: PoweredDevice | undefined
): ModeInput | undefined => {
  if (!isTargetPower(action)) return { input: action as CommandInput, note: null }
  return type === "thermostat" || device === undefined ? undefined : powerCommand(type, action.targetPowerW, device)
}

/** The types of devices for which a power can be asked. */
type PoweredType = Extract<DeviceType, "battery" | "charger" | "vehicle">

interface PowerCommand {
  readonly type: CommandSlug
  readonly input: CommandInput
  /** The device takes no power, or not this one: the mode alone is asked for. */
  readonly note: "power_not_supported" | null
}

const batteryMode = (power: number) => (power > 0 ? "discharge" : power < 0 ? "charge" : "idle")
const chargingMode = (power: number) => (power > 0 ? "start-charging" : "stop-charging")

/**
 * The command with which a device holds a power (W). Battery: positive discharges, negative charges, 0 holds it idle; charger and
 * vehicle: the power drawn, 0 stops charging. A device without powers gets the mode alone, and a greater power than the rated one is the
 * rated one. Less than the least that a charger can draw stops it. Undefined if the device takes no such command.
 */
export const powerCommand = (
  deviceType: PoweredType,
  targetPowerW: number,
  { commands, staticState }: Pick<CommandDevice, "commands" | "staticState">
): PowerCommand | undefined => {
  const type: CommandSlug = `${deviceType}:set-operating-mode`
  if (!commands.includes(type)) return undefined
  const isBattery = deviceType === "battery"
  const operatingMode = isBattery ? batteryMode(targetPowerW) : chargingMode(targetPowerW)
  if (operatingMode === "idle" || operatingMode === "stop-charging")
    return { type, input: { operatingMode }, note: null }
  // A battery that may not use the grid holds no power: it follows the home.
  const mode = isBattery ? { operatingMode, enableGridInteraction: true } : { operatingMode }
  const asked = Math.abs(targetPowerW)
  if (!takesTargetPower(type, staticState)) return { type, input: mode, note: "power_not_supported" }
  const { maximum = asked, minimum = 0 } = ratedPower(type, operatingMode, staticState)
  if (asked < minimum) return { type, input: { operatingMode: "stop-charging" }, note: "power_not_supported" }
  return { type, input: { ...mode, targetPowerW: Math.min(asked, maximum) }, note: null }
}
