import type { OnlineStatus } from "@edp/domain/devices/DeviceType"
import { orNull, type VehicleData } from "./responses.ts"
import type { Pairing } from "./pairing.ts"
import { type Plan, type PlannedCall, post, rejected } from "./plans.ts"

/** The knowledge of a vehicle when a command is planned. */
export interface VehicleContext {
  readonly vin: string
  readonly online: OnlineStatus
  /** The newest response; null if there is none. It may be old while the vehicle sleeps. */
  readonly data: VehicleData | null
  readonly pairing: Pairing | null
}

/** A sleeping vehicle is woken first. Only commands of a person or a plan wake one; reading never does. */
const commandCalls = ({ online, vin }: VehicleContext, name: string, body: PlannedCall["body"]) => {
  const path = `/api/1/vehicles/${encodeURIComponent(vin)}`
  const command = post("command", `${path}/command/${name}`, body)
  return online === "asleep" ? [post("read", `${path}/wake_up`, {}), command] : [command]
}

/** Whether a call wakes its vehicle, which then takes a while. */
export const wakesVehicle = ({ path }: PlannedCall): boolean => path.endsWith("/wake_up")

const planned = (calls: ReadonlyArray<PlannedCall>): Plan => ({ _tag: "Calls", calls, snapshot: null })

const unpaired = ({ pairing }: VehicleContext): Plan | null =>
  pairing?.required === true && !pairing.paired
    ? rejected("pairing_required", "The vehicle takes signed commands only and is not paired with our key")
    : null

export type ChargingMode = "start-charging" | "stop-charging"

const isChargingState = (state: string) => state === "Charging" || state === "Starting"

/** The mode to which a forced mode goes back; null if it is not known. A vehicle that sleeps does not charge. */
export const chargingBefore = ({ data, online }: VehicleContext): ChargingMode | null => {
  if (online === "asleep") return "stop-charging"
  const state = orNull(data?.charge_state?.charging_state)
  return state === null ? null : isChargingState(state) ? "start-charging" : "stop-charging"
}

/** The plan of vehicle:set-operating-mode. What a sleeping vehicle last reported decides nothing but that no cable is in. */
export const planCharging = (vehicle: VehicleContext, mode: ChargingMode): Plan => {
  const state = orNull(vehicle.data?.charge_state?.charging_state)
  const start = mode === "start-charging"
  const blocked = unpaired(vehicle)
  if (blocked !== null) return blocked
  const live = vehicle.online === "online"
  if (start && live && state === "Disconnected")
    return rejected("precondition_not_plugged_in", "The vehicle is not plugged in")
  if (start && live && state === "Complete")
    return rejected("precondition_unmet", "The vehicle is charged to its limit")
  if (live && state !== null && isChargingState(state) === start) return { _tag: "AlreadySo" }
  return planned(commandCalls(vehicle, start ? "charge_start" : "charge_stop", {}))
}

/** The plan of vehicle:set-charge-limit: a whole percentage within the limits that the vehicle reports. */
export const planChargeLimit = (vehicle: VehicleContext, input: { readonly chargeLimit: number }): Plan => {
  const charge = vehicle.data?.charge_state
  const percent = Math.round(input.chargeLimit)
  const minimum = orNull(charge?.charge_limit_soc_min)
  const maximum = orNull(charge?.charge_limit_soc_max)
  const blocked = unpaired(vehicle)
  if (blocked !== null) return blocked
  if ((minimum !== null && percent < minimum) || (maximum !== null && percent > maximum))
    return rejected("unsupported_value", `The charge limit must be from ${minimum ?? 0} to ${maximum ?? 100}`)
  // The limit of a sleeping vehicle may be another than the one that it last reported.
  if (vehicle.online === "online" && orNull(charge?.charge_limit_soc) === percent) return { _tag: "AlreadySo" }
  return planned(commandCalls(vehicle, "set_charge_limit", { percent }))
}

/** The question of vehicle:check-pairing-status, which reaches no vehicle and wakes none. */
export const fleetStatusCall = (vins: ReadonlyArray<string>): PlannedCall =>
  post("read", "/api/1/vehicles/fleet_status", { vins })
