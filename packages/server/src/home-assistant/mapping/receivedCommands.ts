import type { Device } from "@edp/domain/devices/Device"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { AUTOMATIC, type Fields, stateFields } from "./statePayload.ts"

/** The newest message of each control of a device, of those that arrived together. */
export type Messages = Readonly<Record<string, string>>

export interface PlannedCommand {
  readonly type: CommandSlug
  readonly input: Fields
}

/** Commands of the platform, and a sentence about each message that becomes none. */
export interface Plan {
  readonly commands: ReadonlyArray<PlannedCommand>
  readonly refused: ReadonlyArray<string>
}

type Step = PlannedCommand | string

const number = (text: string | undefined): number | undefined => {
  const value = text === undefined || text.trim() === "" ? NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

const share = (key: string, text: string, type: CommandSlug, field: string): Step => {
  const value = number(text)
  return value === undefined ? `${key} must be a number` : { type, input: { [field]: value } }
}

const onOrOff = (text: string, type: CommandSlug): Step => {
  if (text !== "ON" && text !== "OFF") return "charging must be ON or OFF"
  return { type, input: { operatingMode: text === "ON" ? "start-charging" : "stop-charging" } }
}

const batteryModes: Readonly<Record<string, string>> = {
  [AUTOMATIC]: "reset",
  charge: "charge",
  discharge: "discharge",
  idle: "idle"
}

const batteryMode = (text: string): Step => {
  const operatingMode = Object.hasOwn(batteryModes, text) ? batteryModes[text] : undefined
  return operatingMode === undefined
    ? `operatingMode must be one of ${Object.keys(batteryModes).join(", ")}`
    : { type: "battery:set-operating-mode", input: { operatingMode } }
}

/** The contract's modes by Home Assistant's. */
const thermostatModes: Readonly<Record<string, string>> = {
  heat: "heat",
  cool: "cool",
  heat_cool: "auto",
  auto: "auto",
  off: "off"
}

const climateKeys = ["mode", "preset", "temperature", "heatTarget", "coolTarget"] as const

/** The mode that messages ask for: one of their own, or the present one, which a new set-point keeps. */
const askedMode = ({ mode, preset }: Messages, state: Fields): string | { readonly refused: string } => {
  if (mode !== undefined) {
    const known = Object.hasOwn(thermostatModes, mode) ? thermostatModes[mode] : undefined
    return known ?? { refused: `mode must be one of ${Object.keys(thermostatModes).join(", ")}` }
  }
  if (preset === "eco") return "eco"
  if (preset !== undefined) return { refused: "preset must be eco: choose a mode to leave it" }
  const present = state["operatingMode"]
  return present === "heat" || present === "cool" || present === "auto"
    ? present
    : { refused: `A temperature needs a mode that has one: the thermostat is in the mode ${String(present)}` }
}

/**
 * Home Assistant sends a mode and each set-point by itself, and the contract takes them together: what the messages leave out is as the
 * thermostat shows it.
 */
const climateStep = (messages: Messages, state: Fields): Step => {
  const wrong = ["temperature", "heatTarget", "coolTarget"].find(
    (key) => messages[key] !== undefined && number(messages[key]) === undefined
  )
  if (wrong !== undefined) return `${wrong} must be a number`
  const mode = askedMode(messages, state)
  if (typeof mode !== "string") return mode.refused
  const single = mode === "auto" ? undefined : number(messages["temperature"])
  const targets = {
    heatTarget: number(messages["heatTarget"]) ?? single ?? state["heatTarget"],
    coolTarget: number(messages["coolTarget"]) ?? single ?? state["coolTarget"]
  }
  const needed =
    mode === "auto"
      ? (["heatTarget", "coolTarget"] as const)
      : mode === "heat"
        ? (["heatTarget"] as const)
        : mode === "cool"
          ? (["coolTarget"] as const)
          : []
  const missing = needed.find((name) => typeof targets[name] !== "number")
  if (missing !== undefined) return `The mode ${mode} needs a temperature, and the thermostat shows none`
  return {
    type: "thermostat:set-operating-mode",
    input: { operatingMode: mode, ...Object.fromEntries(needed.map((name) => [name, targets[name]])) }
  }
}

/** A control of a device and the command that its message becomes. */
const controls: Readonly<Record<string, Readonly<Record<string, (text: string) => Step>>>> = {
  battery: {
    backupReserve: (text) => share("backupReserve", text, "battery:set-reserve", "chargePercentage"),
    operatingMode: batteryMode
  },
  charger: { charging: (text) => onOrOff(text, "charger:set-operating-mode") },
  vehicle: {
    charging: (text) => onOrOff(text, "vehicle:set-operating-mode"),
    chargeLimit: (text) => share("chargeLimit", text, "vehicle:set-charge-limit", "chargeLimit")
  },
  thermostat: {
    fanMode: (text) => ({ type: "thermostat:set-fan-mode", input: { fanMode: text } }),
    pauseSchedule: () => ({ type: "thermostat:pause-schedule", input: {} }),
    resumeSchedule: () => ({ type: "thermostat:resume-schedule", input: {} })
  }
}

/** The commands that messages of Home Assistant for a device become. */
export const planCommands = (device: Device, messages: Messages): Plan => {
  const own = controls[device.type] ?? {}
  const isThermostat = device.type === "thermostat"
  const isClimate = (key: string) => (climateKeys as ReadonlyArray<string>).includes(key)
  const single = Object.entries(messages)
    .filter(([key]) => !(isThermostat && isClimate(key)))
    .map(([key, text]): Step => (Object.hasOwn(own, key) ? own[key]!(text) : `The device has no control ${key}`))
  const climate =
    isThermostat && Object.keys(messages).some(isClimate) ? [climateStep(messages, stateFields(device))] : []
  const steps = [...climate, ...single]
  return {
    commands: steps.filter((one) => typeof one !== "string"),
    refused: steps.filter((one) => typeof one === "string")
  }
}
