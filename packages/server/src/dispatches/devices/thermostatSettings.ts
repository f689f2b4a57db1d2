import { decodeCommandInput } from "@edp/domain/commands/commandInputs"
import { Effect, Result } from "effect"
import type { CommandInput } from "../../commands/commandRow.ts"

/** The input that gives a thermostat the settings that its state shows; undefined if it shows too little. */
export const settingsInput = (
  state: Readonly<Record<string, unknown>> | null | undefined
): CommandInput | undefined => {
  const { coolTarget, heatTarget, operatingMode } = state ?? {}
  const input = {
    operatingMode,
    ...(heatTarget !== undefined && { heatTarget }),
    ...(coolTarget !== undefined && { coolTarget })
  }
  const decoded = Effect.runSync(Effect.result(decodeCommandInput("thermostat:set-operating-mode", input)))
  return Result.isSuccess(decoded) ? input : undefined
}
