import { type Confirmation, confirmByState } from "@edp/domain/commands/confirmByState"
import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { AdapterInstance } from "../adapters/ManufacturerAdapter.ts"
import { issuedAt } from "../platform/Ids.ts"
import type { CommandInput } from "./commandRow.ts"

/** A command that a state may confirm, with the newest state of its device. */
export interface ConfirmableCommand {
  readonly id: string
  readonly type: CommandSlug
  readonly input: CommandInput
  /** The beginning of the last call; null where the manufacturer took the command itself. */
  readonly handedAt: Date | null
  readonly deliveredAt: Date | null
  readonly seenReadingId: string | null
  readonly manufacturer: string
  readonly manufacturerDeviceId: string
  readonly deviceType: DeviceType
  readonly direct: boolean
  readonly staticState: object | null
  /** Null for a device that never reported. */
  readonly readingId: string | null
  /** The manufacturer's time of the reading. */
  readonly at: Date | null
  readonly state: object | null
  readonly asleep: boolean
}

/**
 * Whether the newest reading can tell anything about the command: it was not compared yet, and it both arrived and was taken at the
 * handing over or later. It is taken by the manufacturer's clock. One that is behind only delays the confirmation; one that is ahead cannot
 * turn a reading that had arrived before into a later one.
 */
export const isTelling = ({ at, deliveredAt, handedAt, readingId, seenReadingId }: ConfirmableCommand): boolean => {
  const begun = (handedAt ?? deliveredAt)?.getTime()
  if (begun === undefined || readingId === null || at === null || readingId === seenReadingId) return false
  return at.getTime() >= begun && issuedAt(readingId) >= begun
}

/**
 * Compares a command with its device's newest state. A state from between the call and its acceptance may meet the command, but does not
 * contradict it.
 */
export const compare = (
  command: ConfirmableCommand,
  confirms: AdapterInstance<unknown>["confirms"] | undefined
): Confirmation => {
  const { asleep, at, deliveredAt, input, manufacturerDeviceId, state, staticState, type } = command
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
  const shown = confirms === undefined ? confirmByState(type, input, state) : confirms({ type, input }, observation)
  if (shown === "met") return "met"
  const isAccepted = deliveredAt !== null && at!.getTime() >= deliveredAt.getTime()
  return shown === "contradicted" && isAccepted ? "contradicted" : "pending"
}

/** The pause until the next look at a delivered command, in milliseconds: 1 s at first, 10 s after a minute. */
export const lookPause = (age: number): number => Math.min(10_000, Math.max(1000, age / 6))
