import { CommandReason } from "@edp/domain/commands/CommandReason"
import { CommandStatus } from "@edp/domain/commands/CommandStatus"
import {
  type DispatchAction,
  type DispatchInterval,
  DispatchStatus,
  ParticipantState,
  dispatchedTypes
} from "@edp/domain/dispatches/Dispatch"
import { intervalEnd, intervalStart } from "../dispatchInputs.ts"
import { JsonColumn } from "../../platform/sql/rows.ts"
import { Schema, Effect, Result } from "effect"
import { decodeCommandInput } from "@edp/domain/commands/commandInputs"
import type { CommandInput } from "../../commands/commandRow.ts"

/**
 * `waiting` for its turn, `commanded`, `outranked` by another dispatch, `skipped` because it can't take the command, `reverting` until
 * what was issued is taken back, `restoring` a thermostat's settings by a command, or `ended`.
 */
export type DevicePhase = "waiting" | "commanded" | "outranked" | "skipped" | "reverting" | "restoring" | "ended"

/** A device in a dispatch, with what decides about it. */
export const LiveDevice = Schema.Struct({
  dispatchId: Schema.String,
  deviceId: Schema.String,
  siteId: Schema.String,
  type: Schema.Literals(dispatchedTypes),
  phase: Schema.Literals(["waiting", "ended", "commanded", "outranked", "skipped", "reverting", "restoring"]),
  /** The interval whose command was issued last. */
  intervalIndex: Schema.NullOr(Schema.Finite),
  /** The interval whose command it can't take. */
  skippedIndex: Schema.NullOr(Schema.Finite),
  /** The command that is yet to be taken back, or that restores the settings. */
  commandId: Schema.NullOr(Schema.String),
  code: Schema.NullOr(Schema.String),
  outcome: Schema.NullOr(Schema.Literals(["completed", "failed"])),
  before: Schema.NullOr(JsonColumn<Readonly<Record<string, unknown>>>()),
  attempts: Schema.Finite,
  dueAt: Schema.NullOr(Schema.Date),
  workspaceId: Schema.String,
  status: DispatchStatus,
  priority: Schema.Finite,
  intervals: Schema.Array(JsonColumn<DispatchInterval>()),
  siteState: ParticipantState,
  /** The start at the site, with its random delay. */
  siteStartsAt: Schema.Date,
  commandStatus: Schema.NullOr(CommandStatus),
  commandReason: Schema.NullOr(CommandReason),
  /** Whether the command waits for a later time. */
  isAhead: Schema.Boolean
})
export type LiveDevice = typeof LiveDevice.Type

/** The action of an interval for a type of device. */
export interface Slot {
  readonly index: number
  readonly action: DispatchAction
  readonly from: number
  readonly to: number
  /** Whether the next interval follows at once with an action of the type. */
  readonly isFollowed: boolean
}

/** A device of which the dispatch has nothing left to reclaim. */
export interface Rest {
  readonly phase: "waiting" | "outranked" | "skipped" | "ended"
  readonly code: string | null
  readonly dueAt: number | null
}

export type Step =
  /** Nothing is sent. */
  | { readonly kind: "stay"; readonly phase: DevicePhase; readonly code: string | null; readonly dueAt: number | null }
  /** The command of the slot, at once or at a later time. */
  | { readonly kind: "issue"; readonly slot: Slot; readonly at: number; readonly dueAt: number }
  /** The command and its mode are reclaimed. `isReplaced`: another dispatch takes the device over, so its settings stay. */
  | { readonly kind: "reclaim"; readonly isReplaced: boolean; readonly rest: Rest }
  /** A command restores the settings. */
  | { readonly kind: "restoring"; readonly rest: Rest }

/** A command that comes late and would end sooner is not issued, in milliseconds. */
const SHORTEST = 60_000
/** The runner takes a moment: a command within this time of its beginning is not late, in milliseconds. */
const PROMPT = 10_000
/** The pause before a device is looked at again whose command another one replaces, in milliseconds. */
export const SOON = 2000

const slotAt = ({ intervals, type }: LiveDevice, at: number): Slot | undefined => {
  const index = intervals.findIndex((interval) => intervalStart(interval) <= at && at < intervalEnd(interval))
  const interval = intervals[index]
  const action = interval?.actions[type]
  if (interval === undefined || action === undefined) return undefined
  const to = intervalEnd(interval)
  const next = intervals[index + 1]
  const isFollowed = next !== undefined && intervalStart(next) === to && next.actions[type] !== undefined
  return { index, action, from: intervalStart(interval), to, isFollowed }
}

/** The next time at which something changes by itself; undefined after the end. */
const nextBoundary = ({ intervals, siteStartsAt }: LiveDevice, now: number) => {
  const times = [siteStartsAt.getTime(), ...intervals.flatMap((one) => [intervalStart(one), intervalEnd(one)])]
  const later = times.filter((time) => time > now)
  return later.length === 0 ? null : Math.min(...later)
}

const isOver = ({ intervals, siteState, status }: LiveDevice, now: number) =>
  status !== "running" || siteState === "opted_out" || siteState === "done" || now >= intervalEnd(intervals.at(-1)!)

/** Whether it is worth while to begin with a slot at a time. */
const isLongEnough = ({ from, to }: Slot, { siteStartsAt }: LiveDevice, at: number) => {
  const isPrompt = at - Math.max(from, siteStartsAt.getTime()) < PROMPT
  return to - at >= (isPrompt ? SHORTEST - PROMPT : SHORTEST)
}

/** The slot in which the dispatch claims the device now; a device that holds it keeps it until its end. */
const claimed = (device: LiveDevice, now: number): Slot | undefined => {
  if (isOver(device, now) || device.siteStartsAt.getTime() > now) return undefined
  const slot = slotAt(device, now)
  if (slot === undefined || slot.index === device.skippedIndex) return undefined
  const isHeld = device.phase === "commanded" && device.intervalIndex === slot.index
  return isHeld || isLongEnough(slot, device, now) ? slot : undefined
}

/** Whether a dispatch goes before another one: by its priority, else by its creation. */
const goesBefore = (one: LiveDevice, other: LiveDevice) =>
  one.priority !== other.priority ? one.priority < other.priority : one.dispatchId < other.dispatchId

const isUndelivered = ({ commandStatus }: LiveDevice) => commandStatus === "pending" || commandStatus === "scheduled"

/** The dispatch that holds a device now. */
interface Winner {
  readonly device: LiveDevice
  readonly slot: Slot
  /** Its command is issued now. */
  readonly isNew: boolean
}

const findWinner = (devices: ReadonlyArray<LiveDevice>, now: number): Winner | undefined => {
  let winner: Winner | undefined
  for (const device of devices) {
    const slot = claimed(device, now)
    if (slot === undefined || (winner !== undefined && goesBefore(winner.device, device))) continue
    winner = { device, slot, isNew: device.phase !== "commanded" || device.intervalIndex !== slot.index }
  }
  return winner
}

const reclaim = (device: LiveDevice, winner: Winner | undefined, rest: Rest, now: number): Step => {
  const { code, commandId, isAhead, phase, type } = device
  if (commandId === null) return { kind: "stay", ...rest }
  // The settings from before stay stored for the dispatch that takes over, whose command has to reach the device first.
  const isAwaited = winner !== undefined && (winner.isNew || isUndelivered(winner.device))
  if (isAwaited && type !== "thermostat" && !isAhead && !isUndelivered(device)) {
    // Its present command may have failed: then the mode of this dispatch still holds.
    return { kind: "stay", phase: "reverting", code, dueAt: now + SOON }
  }
  return phase === "restoring" && winner === undefined
    ? { kind: "restoring", rest }
    : { kind: "reclaim", isReplaced: winner !== undefined, rest }
}

/** A device before the start at its site: its first command waits for it, unless a dispatch that goes before holds the device. */
const planAhead = (device: LiveDevice, winner: Winner | undefined, now: number): Step => {
  const { code, commandId, phase } = device
  const at = device.siteStartsAt.getTime()
  const isFree = winner === undefined || goesBefore(device, winner.device)
  if (isFree && phase === "commanded") return { kind: "stay", phase, code: device.code, dueAt: at }
  const slot = isFree && commandId === null ? slotAt(device, at) : undefined
  return slot !== undefined && slot.index !== device.skippedIndex && isLongEnough(slot, device, at)
    ? { kind: "issue", slot, at, dueAt: at }
    : reclaim(
        device,
        winner,
        phase === "skipped" ? { phase, code, dueAt: at } : { phase: "waiting", code: null, dueAt: at },
        now
      )
}

const planOne = (device: LiveDevice, winner: Winner | undefined, now: number): Step => {
  const { code, phase } = device
  const dueAt = nextBoundary(device, now)
  if (winner?.device === device) {
    return winner.isNew
      ? { kind: "issue", slot: winner.slot, at: now, dueAt: dueAt! }
      : { kind: "stay", phase, code, dueAt }
  }
  if (isOver(device, now)) {
    return reclaim(device, winner, { phase: phase === "skipped" ? "skipped" : "ended", code, dueAt: null }, now)
  }
  if (claimed(device, now) !== undefined) {
    const rest: Rest = { phase: "outranked", code: "outranked", dueAt }
    // A new command of the other dispatch overrides this one's; an earlier one does not.
    return isUndelivered(device) && !winner!.isNew ? reclaim(device, winner, rest, now) : { kind: "stay", ...rest }
  }
  if (device.siteStartsAt.getTime() > now) return planAhead(device, winner, now)
  return reclaim(
    device,
    winner,
    {
      phase: phase === "skipped" ? "skipped" : "waiting",
      code: code === "outranked" ? null : code,
      dueAt
    },
    now
  )
}

/** Decides what happens to a device: `devices` are its places in all dispatches that are not done with it. */
export const planDevice = (devices: ReadonlyArray<LiveDevice>, now: number): ReadonlyArray<Step> => {
  const winner = findWinner(devices, now)
  return devices.map((device) => planOne(device, winner, now))
}

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
