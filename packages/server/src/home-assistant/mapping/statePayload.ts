import type { Device } from "@edp/domain/devices/Device"
import { entityKey, possibleFields } from "./entities.ts"

export type Fields = Readonly<Record<string, unknown>>

/** The state of a device; empty for one that never reported. */
export const stateFields = ({ state }: Device): Fields => state as Fields

/** The mode of a battery that no command forces. */
export const AUTOMATIC = "automatic"

/** Home Assistant's name of a thermostat's mode; null for one that it has not. */
export const hvacModes: Readonly<Record<string, string>> = { heat: "heat", cool: "cool", auto: "heat_cool", off: "off" }

/** Home Assistant reads the templates' result of null as "unknown", and flags as ON and OFF. */
const shown = (value: unknown): unknown => {
  if (value === undefined || value === null || value === "unknown") return null
  return typeof value === "boolean" ? (value ? "ON" : "OFF") : value
}

const thermostatFields = (state: Fields) => {
  const mode = state["operatingMode"]
  return {
    ambientTemperature: shown(state["ambientTemperature"]),
    mode: (typeof mode === "string" ? hvacModes[mode] : undefined) ?? null,
    preset: mode === "eco" ? "eco" : "none",
    setpoint: shown(mode === "heat" ? state["heatTarget"] : mode === "cool" ? state["coolTarget"] : undefined),
    heatTarget: shown(state["heatTarget"]),
    coolTarget: shown(state["coolTarget"]),
    fanMode: shown(state["fanMode"])
  }
}

/** Whether a charger or a vehicle charges; null if that is not known. */
const chargingSwitch = ({ chargingState }: Fields) =>
  chargingState === undefined || chargingState === "unknown" ? null : chargingState === "charging" ? "ON" : "OFF"

/** The values that the controls of a device show, by their names in the payload. */
const controlFields = (device: Device, state: Fields): Fields => {
  switch (device.type) {
    case "battery":
      return { operatingMode: device.forcedMode?.mode ?? AUTOMATIC }
    case "charger":
    case "vehicle":
      return { charging: chargingSwitch(state) }
    case "thermostat":
      return thermostatFields(state)
    case "water_heater":
      return {
        waterTemperature: shown(state["waterTemperature"]),
        targetTemperature: shown(state["targetTemperature"]),
        operatingMode: shown(state["operatingMode"])
      }
    default:
      return {}
  }
}

/** The payload of a device's state. A figure without a reading is null. */
export const statePayload = (device: Device): string => {
  const state = stateFields(device)
  return JSON.stringify({
    ...Object.fromEntries(
      possibleFields(device.type, state).map(({ field }) => [entityKey(field), shown(state[field])])
    ),
    ...controlFields(device, state)
  })
}

/** A device that sleeps still shows its last state and takes commands. */
export const availabilityPayload = ({ onlineStatus }: Device): "online" | "offline" =>
  onlineStatus === "online" || onlineStatus === "asleep" ? "online" : "offline"
