import type { Confirmation } from "@edp/domain/commands/confirmByState"
import { Effect } from "effect"
import type { Account, DeviceObservation, LinkedDevice } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { decodeSwitchSnapshot, switchSnapshot } from "@edp/adapter-kit/broker/switchSnapshot"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import { switchId } from "./components.ts"
import type { DeviceConnection } from "./DeviceConnection.ts"
import type { DeviceServer } from "./DeviceServer.ts"
import type { Fields } from "./frames.ts"

const done: CommandResult = { status: "completed", reason: null, output: null, upstream: null }
const accepted: CommandResult = { ...done, status: "accepted" }
const alreadySo: CommandResult = { ...done, reason: "already_so" }

/** A switch as its device shows it now. */
interface SwitchShown {
  readonly isOn: boolean | undefined
  /** A timer of the device will turn it again. */
  readonly hasTimer: boolean
}

const readSwitch = (connection: DeviceConnection, id: number): Effect.Effect<SwitchShown, AdapterError> =>
  Effect.map(connection.readComponent(`switch:${id}`, "Switch.GetStatus", id), (status: Fields) => ({
    isOn: typeof status["output"] === "boolean" ? status["output"] : undefined,
    hasTimer: typeof status["timer_started_at"] === "number"
  }))

/** Its relay shows the wanted setting, and no timer will turn it. */
const isSettled = ({ hasTimer, isOn }: SwitchShown, wanted: boolean) => isOn === wanted && !hasTimer

const requireSwitch = ({ manufacturerDeviceId }: LinkedDevice, type: string) => {
  const id = switchId(manufacturerDeviceId)
  return id === undefined
    ? AdapterError.of("refused", `The device does not support ${type}`, { commandReason: "unsupported_value" })
    : Effect.succeed(id)
}

/**
 * Turns a switch, and looks until its status shows it. A status that was so before proves nothing: then the command is only accepted.
 * `flipBack`: seconds after which the device itself turns it back; null leaves it as it is.
 */
const turn = Effect.fnUntraced(function* (
  { times }: DeviceServer,
  connection: DeviceConnection,
  id: number,
  wanted: boolean,
  before: SwitchShown,
  flipBack: number | null
) {
  yield* connection.call("Switch.Set", { id, on: wanted, ...(flipBack !== null && { toggle_after: flipBack }) })
  const isProof = ({ hasTimer, isOn }: SwitchShown) =>
    isOn === wanted && (before.isOn !== wanted || hasTimer !== before.hasTimer)
  const looks = Math.max(1, Math.ceil(times.settle / times.settleStep))
  for (let look = 0; look < looks; look++) {
    if (look > 0) yield* Effect.sleep(times.settleStep)
    // The command was taken; whoever reads the device next finds out about it.
    const shown = yield* Effect.option(readSwitch(connection, id))
    if (shown._tag === "None") return accepted
    if (isProof(shown.value)) return done
  }
  return accepted
})

export const sendCommand = Effect.fn("shelly.sendCommand")(function* (
  server: DeviceServer,
  { externalId }: Account<unknown>,
  { device, input, revertAfter, saveSnapshot, snapshot, type }: CommandRequest
) {
  const mode = input["operatingMode"]
  if (type !== "charger:set-operating-mode" || (mode !== "start-charging" && mode !== "stop-charging"))
    return yield* AdapterError.of("refused", `A Shelly does not support ${type}`, {
      commandReason: "unsupported_value"
    })
  if (input["targetPowerW"] !== undefined)
    return yield* AdapterError.of("refused", "targetPowerW can't be set on this device", {
      commandReason: "unsupported_value"
    })
  const id = yield* requireSwitch(device, type)
  const connection = yield* server.locate(externalId)
  const wanted = mode === "start-charging"
  const before = yield* readSwitch(connection, id)
  if (isSettled(before, wanted)) return alreadySo
  if (revertAfter === null) return yield* turn(server, connection, id, wanted, before, null)
  const saved = snapshot === null ? yield* switchSnapshot(before.isOn) : yield* decodeSwitchSnapshot(snapshot)
  if (snapshot === null) yield* saveSnapshot(saved)
  // The device's timer turns to the opposite, which is what was before only for the first mode.
  const isOpposite = (saved.operatingMode === "start-charging") !== wanted
  return yield* turn(server, connection, id, wanted, before, isOpposite ? revertAfter : null)
})

/** Turns the switch back to what it was before a forced mode. */
export const restore = Effect.fn("shelly.restore")(function* (
  server: DeviceServer,
  { externalId }: Account<unknown>,
  { device, snapshot }: Pick<CommandRequest, "device" | "snapshot">
) {
  const { operatingMode } = yield* decodeSwitchSnapshot(snapshot)
  const id = yield* requireSwitch(device, "charger:set-operating-mode")
  const connection = yield* server.locate(externalId)
  const wanted = operatingMode === "start-charging"
  const before = yield* readSwitch(connection, id)
  return isSettled(before, wanted) ? alreadySo : yield* turn(server, connection, id, wanted, before, null)
})

/** Compares a command with a charger's state. A vehicle may begin to charge when it likes. */
export const confirms = (
  { input }: Pick<CommandRequest, "type" | "input">,
  { state }: DeviceObservation
): Confirmation => {
  const { chargingState } = (state ?? {}) as { readonly chargingState?: string }
  if (input["operatingMode"] === "stop-charging")
    return chargingState === "idle" ? "met" : chargingState === "charging" ? "contrary" : "pending"
  return chargingState === "charging" ? "met" : "pending"
}
