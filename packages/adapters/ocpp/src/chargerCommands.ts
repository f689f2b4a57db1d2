import { comparePower, type Confirmation } from "@edp/domain/commands/confirmByState"
import { randomUUID } from "node:crypto"
import { Effect, Schema } from "effect"
import type { Account, DeviceObservation, LinkedDevice } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import type { CentralSystem, StationCommand } from "./CentralSystem.ts"
import { planCharging } from "./commands.ts"
import { findConnector } from "./connectors.ts"
import type { CommandOutcome, Connector } from "./Session.ts"

/** The mode that a forced mode goes back to. */
const ChargingSnapshot = Schema.Struct({
  operatingMode: Schema.Literals(["start-charging", "stop-charging"]),
  targetPowerW: Schema.optionalKey(Schema.Finite)
})
type ChargingSnapshot = typeof ChargingSnapshot.Type

const readConnector = ({ manufacturerDeviceId }: LinkedDevice): number =>
  Number(manufacturerDeviceId.slice(manufacturerDeviceId.lastIndexOf("/") + 1))

const failed = ({ reason, upstream }: CommandOutcome): AdapterError =>
  reason === "unreachable" || reason === null
    ? AdapterError.of("unreachable", "The station did not respond to the command", { upstream })
    : AdapterError.of("refused", `The station does not take the command: ${reason}`, {
        upstream,
        commandReason: reason
      })

const toResult = (outcome: CommandOutcome): Effect.Effect<CommandResult, AdapterError> => {
  const { reason, status, upstream } = outcome
  if (status === "failed") return Effect.fail(failed(outcome))
  return Effect.succeed({
    status: status === "delivered" ? "accepted" : "completed",
    reason: reason === "already_so" ? reason : null,
    output: null,
    upstream
  })
}

/** Whether the connector was meant to charge, which a vehicle or a full battery may have kept it from. */
const makeSnapshot = ({ limit = null, paused, status, transactionId }: Connector): ChargingSnapshot =>
  !paused && (transactionId !== null || status === "Charging")
    ? { operatingMode: "start-charging", ...(limit !== null && { targetPowerW: limit }) }
    : { operatingMode: "stop-charging" }

const targetPower = ({ targetPowerW }: Readonly<Record<string, unknown>>) =>
  typeof targetPowerW === "number" ? { targetPowerW } : {}

export const sendCommand = Effect.fn("ocpp.sendCommand")(function* (
  system: CentralSystem,
  { externalId: stationId }: Account<unknown>,
  { device, id, input, revertAfter, saveSnapshot, snapshot, type }: CommandRequest
) {
  const mode = input["operatingMode"]
  if (type !== "charger:set-operating-mode" || (mode !== "start-charging" && mode !== "stop-charging"))
    return yield* AdapterError.of("refused", `Chargers do not take ${type}`, { commandReason: "unsupported_value" })
  const connector = readConnector(device)
  let unsaved = false
  if (revertAfter !== null && snapshot === null) {
    const session = yield* system.session(stationId)
    if (session === undefined) return yield* AdapterError.of("unreachable", "The station is just connecting")
    const known = findConnector(session, connector)
    // A mode for which nothing is sent leaves nothing to restore.
    const now = yield* system.now
    unsaved = known === undefined || planCharging(session, known, { mode, ...targetPower(input) }, now)._tag !== "Send"
    if (!unsaved) yield* saveSnapshot(makeSnapshot(known!))
  }
  const command: StationCommand = {
    id,
    stationId,
    connector,
    mode,
    unsaved,
    ...targetPower(input),
    ...(revertAfter === null ? {} : { revertAfter })
  }
  return yield* Effect.flatMap(system.command(command), toResult)
})

/** Back to what was before a forced mode. A vehicle that has left meanwhile leaves nothing to restore. */
export const restore = Effect.fn("ocpp.restore")(function* (
  system: CentralSystem,
  { externalId: stationId }: Account<unknown>,
  { device, snapshot }: Pick<CommandRequest, "device" | "snapshot">
) {
  const { operatingMode: mode, ...power } = yield* Effect.mapError(
    Schema.decodeUnknownEffect(ChargingSnapshot)(snapshot),
    () => AdapterError.of("contract", "The saved settings are not those of a charger", { commandReason: "refused" })
  )
  const id = `restore-${randomUUID()}`
  const outcome = yield* system.command({ id, stationId, connector: readConnector(device), mode, ...power })
  const isGone = outcome.reason === "precondition_not_plugged_in" || outcome.reason === "precondition_unmet"
  return yield* toResult(isGone ? { ...outcome, status: "completed", reason: "already_so" } : outcome)
})

interface ChargerShown {
  readonly chargerWattage?: number
  readonly chargingState?: string
  readonly isPluggedIn?: boolean
}

/** Compares a command with a charger's state. A vehicle may begin to charge when it likes. */
export const confirms = (
  { input }: Pick<CommandRequest, "type" | "input">,
  { state }: DeviceObservation,
  before: object | null
): Confirmation => {
  const { chargerWattage, chargingState, isPluggedIn } = (state ?? {}) as ChargerShown
  if (input["operatingMode"] === "stop-charging") {
    return chargingState === "idle" ? "met" : chargingState === "charging" ? "contrary" : "pending"
  }
  if (chargingState === "charging") {
    const earlier = before as ChargerShown | null
    const hasCharged = earlier?.chargingState === "charging"
    return comparePower(input["targetPowerW"], chargerWattage, hasCharged ? earlier.chargerWattage : earlier && null)
  }
  return isPluggedIn === false ? "contradicted" : "pending"
}
