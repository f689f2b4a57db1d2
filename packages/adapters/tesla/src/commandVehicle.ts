import { isForcedMode } from "@edp/domain/commands/commandInputs"
import { Effect, Schema } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { CommandRequest, CommandResult } from "@edp/adapter-kit/ManufacturerAdapter"
import { orNull, readFleetStatus, readVehicleData } from "./responses.ts"
import { onlineStatus } from "./devices.ts"
import { notSupported } from "./commandSite.ts"
import { type FleetApi, type TeslaAccount, vehiclePath } from "./FleetApi.ts"
import { readMemory } from "./memory.ts"
import { pairingFromFleetStatus } from "./pairing.ts"
import type { Plan, PlannedCall } from "./plans.ts"
import {
  chargingBefore,
  type ChargingMode,
  fleetStatusCall,
  planCharging,
  planChargeLimit,
  type VehicleContext,
  wakesVehicle
} from "./vehicleCommands.ts"

const ChargingSnapshot = Schema.Struct({ operatingMode: Schema.Literals(["start-charging", "stop-charging"]) })
type ChargingSnapshot = typeof ChargingSnapshot.Type

const alreadySo: CommandResult = { status: "completed", reason: "already_so", output: null, upstream: null }

const rejection = ({ message, reason }: Extract<Plan, { readonly _tag: "Rejected" }>) =>
  AdapterError.of(reason === "pairing_required" ? "pairing_required" : "refused", message, {
    commandReason: reason,
    intervention: reason === "pairing_required" ? "key_not_paired" : null
  })

/** A vehicle takes some ten to thirty seconds to wake. */
const WAKE_PAUSE = "3 seconds"
const WAKE_LOOKS = 12

export const makeCommandVehicle = (api: FleetApi, { signsCommands }: { readonly signsCommands: boolean }) => {
  const readOnline = (account: TeslaAccount, vin: string) =>
    Effect.map(api.read(account, vehiclePath(vin), readVehicleData), ({ state }) => onlineStatus(state))

  const readPairing = (account: TeslaAccount, vin: string, carType: string | null) =>
    Effect.map(api.ask(account, fleetStatusCall([vin]), readFleetStatus), (status) =>
      pairingFromFleetStatus(status, vin, carType)
    )

  const checkPairing = Effect.fn("Tesla.checkPairing")(function* (account: TeslaAccount, vin: string) {
    const carType = orNull(readMemory(account.memory).vehicles[vin]?.data?.vehicle_config?.car_type)
    const pairing = yield* readPairing(account, vin, carType)
    if (pairing === null)
      return yield* AdapterError.of("refused", "Tesla does not name the vehicle among those of the account")
    return { status: "completed", reason: null, output: { ...pairing }, upstream: null } as const
  })

  /** The knowledge that a plan needs. A pairing that was missing is asked for again: the owner may have just made it. */
  const readContext = Effect.fnUntraced(function* (account: TeslaAccount, vin: string) {
    const known = readMemory(account.memory).vehicles[vin]
    const online = yield* readOnline(account, vin)
    if (online === "offline")
      return yield* AdapterError.of("unreachable", "The vehicle is offline", { commandReason: "unreachable" })
    const data =
      online === "online"
        ? yield* api.read(account, `${vehiclePath(vin)}/vehicle_data`, readVehicleData, {
            endpoints: "charge_state;vehicle_config"
          })
        : (known?.data ?? null)
    const isKnown = known?.pairing != null && (known.pairing.paired || !known.pairing.required)
    const pairing = isKnown ? known.pairing : yield* readPairing(account, vin, orNull(data?.vehicle_config?.car_type))
    if (pairing?.required === true && !signsCommands)
      return yield* AdapterError.of("misconfigured", "Commands of this vehicle need a signing proxy", {
        commandReason: "pairing_required"
      })
    return { vin, online, data, pairing } satisfies VehicleContext
  })

  const awaitWake = Effect.fn("Tesla.awaitWake")(function* (account: TeslaAccount, vin: string) {
    for (let look = 0; look < WAKE_LOOKS; look += 1) {
      if ((yield* readOnline(account, vin)) === "online") return
      yield* Effect.sleep(WAKE_PAUSE)
    }
    return yield* AdapterError.of("asleep", "The vehicle did not wake", { commandReason: "asleep" })
  })

  const makeCalls = Effect.fnUntraced(function* (
    account: TeslaAccount,
    vin: string,
    calls: ReadonlyArray<PlannedCall>
  ) {
    const results: Array<CommandResult> = []
    for (const call of calls) {
      results.push(yield* api.command(account, call))
      if (wakesVehicle(call)) yield* awaitWake(account, vin)
    }
    return results.at(-1)!
  })

  const send = Effect.fn("Tesla.commandVehicle")(function* (account: TeslaAccount, request: CommandRequest) {
    const vin = request.device.manufacturerDeviceId
    if (request.type === "vehicle:check-pairing-status") return yield* checkPairing(account, vin)
    if (request.type !== "vehicle:set-charge-limit" && request.type !== "vehicle:set-operating-mode")
      return yield* notSupported(request.type)
    const vehicle = yield* readContext(account, vin)
    const plan =
      request.type === "vehicle:set-charge-limit"
        ? planChargeLimit(vehicle, request.input as { readonly chargeLimit: number })
        : planCharging(vehicle, request.input["operatingMode"] as ChargingMode)
    if (plan._tag === "AlreadySo") return alreadySo
    if (plan._tag === "Rejected") return yield* rejection(plan)
    const { input, revertAfter, snapshot, type } = request
    if (isForcedMode(type, input, revertAfter) && snapshot === null) {
      const before = chargingBefore(vehicle)
      if (before === null)
        return yield* AdapterError.of("refused", "The vehicle does not indicate whether it charges", {
          commandReason: "precondition_unmet"
        })
      yield* request.saveSnapshot({ operatingMode: before } satisfies ChargingSnapshot)
    }
    return yield* makeCalls(account, vin, plan.calls)
  })

  /** Back to what was before a forced mode. Where that is not possible any more, such as without a cable, nothing is left to restore. */
  const restore = Effect.fn("Tesla.restoreVehicle")(function* (
    account: TeslaAccount,
    { device: { manufacturerDeviceId: vin }, snapshot }: Pick<CommandRequest, "device" | "snapshot">
  ) {
    const { operatingMode } = yield* Effect.mapError(Schema.decodeUnknownEffect(ChargingSnapshot)(snapshot), () =>
      AdapterError.of("contract", "The stored settings are not those of a vehicle", { commandReason: "refused" })
    )
    const vehicle = yield* readContext(account, vin)
    // A vehicle that sleeps does not charge. It is not woken for nothing.
    if (operatingMode === "stop-charging" && vehicle.online === "asleep") return alreadySo
    const plan = planCharging(vehicle, operatingMode)
    if (plan._tag === "Calls") return yield* makeCalls(account, vin, plan.calls)
    return plan._tag === "Rejected" && plan.reason === "pairing_required" ? yield* rejection(plan) : alreadySo
  })

  return { send, restore }
}
