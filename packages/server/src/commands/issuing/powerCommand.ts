import { ratedPower, takesTargetPower } from "@edp/domain/commands/targetPower"
import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { CommandDevice } from "./commandDevice.ts"
import type { CommandInput } from "../commandRow.ts"

/** The types of devices for which a power can be asked. */
export type PoweredType = Extract<DeviceType, "battery" | "charger" | "vehicle">

export interface PowerCommand {
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
