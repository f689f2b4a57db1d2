import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import type { Account, DeviceObservation, LinkedDevice } from "../Account.ts"
import { AdapterError } from "../AdapterError.ts"
import type { CommandRequest, CommandResult } from "../ManufacturerAdapter.ts"
import type { CentralSystem } from "./CentralSystem.ts"
import type { ChargingMode, CommandOutcome, Session } from "./Session.ts"

/** The mode that a forced mode goes back to. */
interface ChargingSnapshot {
  readonly operatingMode: ChargingMode
}

const readConnector = ({ manufacturerDeviceId }: LinkedDevice): number =>
  Number(manufacturerDeviceId.slice(manufacturerDeviceId.lastIndexOf("/") + 1))

const failed = ({ reason, upstream }: CommandOutcome): AdapterError =>
  reason === "unreachable" || reason === null
    ? AdapterError.of("unreachable", "The station did not answer the command", { upstream })
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
const makeSnapshot = (session: Session | undefined, connector: number): ChargingSnapshot => {
  const known = session?.connectors.find(({ number }) => number === connector)
  const charges = known !== undefined && !known.paused && (known.transactionId !== null || known.status === "Charging")
  return { operatingMode: charges ? "start-charging" : "stop-charging" }
}

export const sendCommand = Effect.fn("ocpp.sendCommand")(function* (
  system: CentralSystem,
  { externalId: stationId }: Account<unknown>,
  { device, id, input, revertAfter, saveSnapshot, snapshot, type }: CommandRequest
) {
  const mode = input["operatingMode"]
  if (type !== "charger:set-operating-mode" || (mode !== "start-charging" && mode !== "stop-charging"))
    return yield* AdapterError.of("refused", `Chargers do not take ${type}`, { commandReason: "unsupported_value" })
  const connector = readConnector(device)
  const session = yield* system.session(stationId)
  if (revertAfter !== null && snapshot === null) yield* saveSnapshot(makeSnapshot(session, connector))
  return yield* Effect.flatMap(system.command({ id, stationId, connector, mode }), toResult)
})

/** Back to what was before a forced mode. A vehicle that has left meanwhile leaves nothing to restore. */
export const restore = Effect.fn("ocpp.restore")(function* (
  system: CentralSystem,
  { externalId: stationId }: Account<unknown>,
  device: LinkedDevice,
  snapshot: unknown
) {
  const mode = (snapshot as ChargingSnapshot).operatingMode
  const id = `restore-${randomUUID()}`
  const outcome = yield* system.command({ id, stationId, connector: readConnector(device), mode })
  const isGone = outcome.reason === "precondition_not_plugged_in" || outcome.reason === "precondition_unmet"
  return yield* toResult(isGone ? { ...outcome, status: "completed", reason: "already_so" } : outcome)
})

/** Whether a charger's state shows what a command asked for. */
export const confirms = (
  { input }: Pick<CommandRequest, "type" | "input">,
  { state }: DeviceObservation
): "met" | "pending" | "contradicted" => {
  const { chargingState, isPluggedIn } = (state ?? {}) as { chargingState?: string; isPluggedIn?: boolean }
  if (input["operatingMode"] === "stop-charging") return chargingState === "idle" ? "met" : "pending"
  if (chargingState === "charging") return "met"
  return isPluggedIn === false ? "contradicted" : "pending"
}
