import { decodeCommandInput } from "@edp/domain/commands/commandInputs"
import { type DispatchAction, type DispatchedType, TargetPower } from "@edp/domain/dispatches/Dispatch"
import { type Details, validator } from "@edp/domain/errors/validator"
import { modeCommand } from "@edp/domain/schedules/Schedule"
import { Effect, Result, type Schema } from "effect"
import type { CommandInput } from "../../commands/commandRow.ts"
import { powerCommand } from "../../commands/issuing/powerCommand.ts"

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
export const actionProblems = (type: DispatchedType, action: DispatchAction, path: string): Details => {
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
export type PoweredDevice = Parameters<typeof powerCommand>[2]

export interface ModeInput {
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
