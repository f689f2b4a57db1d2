import { type Confirmation, confirmByState, confirmingFields, isMoving } from "@edp/domain/commands/confirmByState"
import { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { AdapterInstance } from "@edp/adapter-kit/ManufacturerAdapter"
import { issuedAt } from "../../platform/Ids.ts"
import { type CommandInput, effectiveModes } from "../commandRow.ts"
import { JsonColumn } from "../../platform/sql/rows.ts"
import { Schema } from "effect"
import type { CommandNote, CommandNoteCode } from "@edp/domain/commands/CommandNote"

/** A command that a state may confirm, with the newest state of its device. */
export const ConfirmableCommand = Schema.Struct({
  id: Schema.String,
  type: CommandSlug,
  input: JsonColumn<CommandInput>(),
  /** The beginning of the last call; null where the manufacturer took the command itself. */
  handedAt: Schema.NullOr(Schema.Date),
  deliveredAt: Schema.NullOr(Schema.Date),
  seenReadingId: Schema.NullOr(Schema.String),
  /** The input as the device got it, where its own steps round it; null where it got the command's. */
  sentInput: Schema.NullOr(JsonColumn<CommandInput>()),
  /** The state before the command was sent, and that of the newest reading that was compared with it: null if not known. */
  stateBefore: Schema.NullOr(JsonColumn<object>()),
  stateSeen: Schema.NullOr(JsonColumn<object>()),
  /** Seconds after the delivery in which a device may still show something else. */
  confirmWithin: Schema.Finite,
  /** A later command, or the end of a forced mode, may have changed the device's settings since. */
  isReplaced: Schema.Boolean,
  manufacturer: Schema.String,
  manufacturerDeviceId: Schema.String,
  deviceType: DeviceType,
  direct: Schema.Boolean,
  staticState: Schema.NullOr(JsonColumn<object>()),
  /** Null for a device that never reported. */
  readingId: Schema.NullOr(Schema.String),
  /** The manufacturer's time of the reading. */
  at: Schema.NullOr(Schema.Date),
  state: Schema.NullOr(JsonColumn<object>()),
  asleep: Schema.Boolean
})
export type ConfirmableCommand = typeof ConfirmableCommand.Type

/**
 * Whether the newest reading can tell anything about the command: it was not compared yet, and it both arrived and was taken at the
 * sending or later. It is taken by the manufacturer's clock. One that is behind only delays the confirmation; one that is ahead cannot
 * turn a reading that had arrived before into a later one.
 */
export const isTelling = ({ at, deliveredAt, handedAt, readingId, seenReadingId }: ConfirmableCommand): boolean => {
  const begun = (handedAt ?? deliveredAt)?.getTime()
  if (begun === undefined || readingId === null || at === null || readingId === seenReadingId) return false
  return at.getTime() >= begun && issuedAt(readingId) >= begun
}

/**
 * Whether a state that shows another setting fails the command: it was taken and arrived when the device had had its time, nothing else
 * may have changed the setting, and no value is on its way to the asked one.
 */
const isContradicted = (command: ConfirmableCommand): boolean => {
  const { at, confirmWithin, deliveredAt, isReplaced, readingId, state, stateBefore, stateSeen, type } = command
  if (deliveredAt === null || isReplaced) return false
  const shownBy = deliveredAt.getTime() + confirmWithin * 1000
  if (at!.getTime() < shownBy || issuedAt(readingId!) < shownBy) return false
  return !isMoving(type, command.sentInput ?? command.input, state, stateSeen ?? stateBefore)
}

/**
 * Compares a command with its device's newest state. A state from between the call and its acceptance may meet the command, but does not
 * contradict it.
 */
export const compare = (
  command: ConfirmableCommand,
  confirms: AdapterInstance<unknown>["confirms"] | undefined
): Exclude<Confirmation, "contrary"> => {
  const { asleep, at, deliveredAt, manufacturerDeviceId, state, stateBefore, staticState, type } = command
  const input = command.sentInput ?? command.input
  if (!isTelling(command)) return "pending"
  const observation = {
    manufacturerDeviceId,
    observedAt: at!.getTime(),
    state,
    asleep,
    coordinates: null,
    staticState,
    commands: null,
    interventions: null,
    problems: []
  }
  const shown =
    confirms === undefined
      ? confirmByState(type, input, state, stateBefore)
      : confirms({ type, input }, observation, stateBefore)
  if (shown === "met") return "met"
  const isAccepted = deliveredAt !== null && at!.getTime() >= deliveredAt.getTime()
  if (shown === "contradicted") return isAccepted ? "contradicted" : "pending"
  return shown === "contrary" && isContradicted(command) ? "contradicted" : "pending"
}

/** The fields of a telling reading that confirm commands, to be kept with the command; null for any other. */
export const seenState = (command: ConfirmableCommand): object | null => {
  if (!isTelling(command) || command.state === null) return null
  const state = command.state as Readonly<Record<string, unknown>>
  return Object.fromEntries(confirmingFields.flatMap((field) => (field in state ? [[field, state[field]]] : [])))
}

/** The pause until the next look at a delivered command, in milliseconds: 1 s at first, 10 s after a minute. */
export const pollInterval = (age: number): number => Math.min(10_000, Math.max(1000, age / 6))

/**
 * The pause until the next look at a completed command whose effect no state has shown, in milliseconds: 10 s at first, then a minute. Where no
 * state has come since, it is longer, five minutes at most.
 */
export const effectPause = (age: number, hasState: boolean): number =>
  Math.max(10_000, hasState ? Math.min(60_000, age / 2) : Math.min(300_000, age))

/** The effect of a completed command in a state: the device does something for it, or does nothing for a reason or for none that shows. */
type CommandEffect =
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
