import type { DispatchInterval } from "@edp/domain/dispatches/Dispatch"
import type { Unit } from "../../i18n/format.ts"
import type { Messages } from "../../i18n/messages.ts"

const units: Readonly<Record<string, Unit>> = {
  minimumBatteryReserve: "%",
  maximumBatteryReserve: "%",
  targetPowerW: "W",
  heatTarget: "°F",
  coolTarget: "°F"
}

/** Writes a value of the API in the unit in which the workspace shows it. */
type Show = (value: number, unit: Unit) => string

const actionField = (name: string, value: unknown, show: Show, words: Messages["dispatch"]["action"]): string => {
  const { fields, modes, yes, no } = words
  if (name === "operatingMode") return modes[String(value)] ?? String(value)
  const unit = units[name]
  const text =
    typeof value === "boolean"
      ? value
        ? yes
        : no
      : typeof value === "number" && unit !== undefined
        ? show(value, unit)
        : String(value)
  return `${fields[name] ?? name}: ${text}`
}

/** Actions in words, one for each type of device: its mode and settings. */
export const actionMessages = (
  actions: DispatchInterval["actions"],
  { action: words }: Pick<Messages["dispatch"], "action">,
  types: Readonly<Record<string, string>>,
  show: Show
): ReadonlyArray<string> =>
  Object.entries(actions).map(([type, action]) => {
    const fields = Object.entries(action as Readonly<Record<string, unknown>>)
    return `${types[type] ?? type}: ${fields.map(([name, value]) => actionField(name, value, show, words)).join(", ")}`
  })
