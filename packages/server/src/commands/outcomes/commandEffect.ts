import type { CommandNote, CommandNoteCode } from "@edp/domain/commands/CommandNote"
import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { type CommandInput, effectiveModes } from "../commandRow.ts"

/** The effect of a completed command in a state: the device does something for it, or does nothing for a reason or for none that shows. */
export type CommandEffect =
  | { readonly _tag: "Shown" }
  | { readonly _tag: "Explained"; readonly note: CommandNote }
  | { readonly _tag: "Idle"; readonly note: CommandNote }
  | { readonly _tag: "Unknown" }

type State = Readonly<Record<string, unknown>>

/** Percent by which a battery stays from where it stops. */
const CLOSE = 0.5
/** W at the grid connection that are no exchange: measured noise, and the control of inverters. */
const NOISE = 50

const shown: CommandEffect = { _tag: "Shown" }
const unknown: CommandEffect = { _tag: "Unknown" }
const explained = (code: CommandNoteCode, sentence: string): CommandEffect => ({
  _tag: "Explained",
  note: { code, sentence }
})
const idle = (sentence: string): CommandEffect => ({ _tag: "Idle", note: { code: "no_effect_shown", sentence } })

const numbers = (...values: ReadonlyArray<unknown>) => values.filter((value) => typeof value === "number")
const rounded = (value: number) => Math.round(value * 10) / 10

/** Whether the home imports or exports more than noise; undefined where the state does not show it. */
const exchanges = ({ gridPower, gridStatus }: State, direction: "importing" | "exporting"): boolean | undefined => {
  if (typeof gridPower === "number") return (direction === "importing" ? gridPower : -gridPower) > NOISE
  return gridStatus === undefined || gridStatus === "unknown" ? undefined : gridStatus === direction
}

const charging = (input: CommandInput, state: State): CommandEffect => {
  const { chargePercentage: charge } = state
  const [ceiling = 100] = numbers(input["maximumBatteryReserve"])
  if (typeof charge === "number" && charge >= ceiling - CLOSE) {
    return explained(
      "battery_full",
      `The battery was idle at ${rounded(charge)} %, and charging stops at ${rounded(ceiling)} %.`
    )
  }
  if (input["enableGridInteraction"] !== true && exchanges(state, "exporting") === false) {
    return explained(
      "import_not_allowed",
      "The battery was idle: the home fed no power into the grid, and the command does not allow import (enableGridInteraction)."
    )
  }
  return idle("The battery was idle, and its state does not tell why it did not charge.")
}

const discharging = (input: CommandInput, state: State): CommandEffect => {
  const { chargePercentage: charge } = state
  const floor = Math.max(0, ...numbers(input["minimumBatteryReserve"], state["backupReserve"]))
  if (typeof charge === "number" && charge <= floor + CLOSE) {
    return explained(
      "battery_at_reserve",
      `The battery was idle at ${rounded(charge)} %, and discharging stops at ${rounded(floor)} %.`
    )
  }
  if (input["enableGridInteraction"] !== true && exchanges(state, "importing") === false) {
    return explained(
      "export_not_allowed",
      "The battery was idle: the home took no power from the grid, and the command does not allow export (enableGridInteraction)."
    )
  }
  return idle("The battery was idle, and its state does not tell why it did not discharge.")
}

const batteryEffect = (input: CommandInput, state: State): CommandEffect => {
  const isCharge = input["operatingMode"] === "charge"
  switch (state["chargingState"]) {
    case "idle":
      return isCharge ? charging(input, state) : discharging(input, state)
    case "charging":
      return isCharge ? shown : idle("The battery was charging.")
    case "discharging":
      return isCharge ? idle("The battery was discharging.") : shown
    default:
      return unknown
  }
}

const chargingEffect = (state: State): CommandEffect => {
  const { chargeLimit: limit, chargePercentage: charge, chargingState, isPluggedIn } = state
  if (chargingState !== "idle") return chargingState === "charging" ? shown : unknown
  if (isPluggedIn === false) return explained("not_plugged_in", "No vehicle was plugged in.")
  if (typeof charge === "number" && typeof limit === "number" && charge >= limit - CLOSE) {
    return explained(
      "vehicle_full",
      `The vehicle was not charging at ${rounded(charge)} %, and its limit is ${rounded(limit)} %.`
    )
  }
  return idle("Nothing was charging, and the state does not tell why.")
}

const thermostatEffect = ({ coolTarget, heatTarget, operatingMode }: CommandInput, state: State): CommandEffect => {
  const { ambientTemperature: room } = state
  if (typeof room !== "number") return unknown
  const isWarm = typeof heatTarget === "number" && room >= heatTarget
  const isCool = typeof coolTarget === "number" && room <= coolTarget
  const reached = (what: string) =>
    explained("target_reached", `The room was at ${rounded(room)} °F, so ${what} was reached already.`)
  if (operatingMode === "heat" && isWarm) return reached(`the heating target of ${heatTarget} °F`)
  if (operatingMode === "cool" && isCool) return reached(`the cooling target of ${coolTarget} °F`)
  if (operatingMode === "auto" && isWarm && isCool) {
    return explained(
      "target_reached",
      `The room was at ${rounded(room)} °F, between the targets of ${heatTarget} and ${coolTarget} °F.`
    )
  }
  return shown
}

/** The effect of a command in a state from its completion or later. It claims what the state shows, and no more. */
export const commandEffect = (type: CommandSlug, input: CommandInput, given: object | null): CommandEffect => {
  if (given === null || effectiveModes[type]?.includes(String(input["operatingMode"])) !== true) return unknown
  const state = given as State
  if (type === "battery:set-operating-mode") return batteryEffect(input, state)
  return type === "thermostat:set-operating-mode" ? thermostatEffect(input, state) : chargingEffect(state)
}
