import type { BatteryReading, VehicleReading } from "@edp/domain/devices/DeviceState"
import type { DeviceObservation } from "../Account.ts"
import type { CommandRequest } from "../ManufacturerAdapter.ts"

type Confirmation = "met" | "pending" | "contradicted"
type Battery = typeof BatteryReading.Type
type Vehicle = typeof VehicleReading.Type
type Input = CommandRequest["input"]

/** Percent by which the charge moves while an idle battery settles: its reserve was set to the charge at that time. */
const SETTLING = 3

const numberOr = (value: unknown, otherwise: number) => (typeof value === "number" ? value : otherwise)

/** Tesla has no mode for charging and discharging: the reserve and the strategy are what a forced mode sets. */
const showsMode = (
  { enableGridInteraction, maximumBatteryReserve, minimumBatteryReserve, operatingMode }: Input,
  { backupReserve, chargePercentage, strategy }: Battery
): boolean => {
  if (backupReserve === undefined) return false
  switch (operatingMode) {
    case "charge":
      return backupReserve === Math.round(numberOr(maximumBatteryReserve, 100)) && strategy === "self_consumption"
    case "discharge":
      return (
        backupReserve === Math.round(numberOr(minimumBatteryReserve, 0)) &&
        strategy === (enableGridInteraction === true ? "time_of_use" : "self_consumption")
      )
    case "idle":
      return Math.abs(backupReserve - chargePercentage) <= SETTLING && strategy === "self_consumption"
    default:
      // A reset is complete when it returns: the adapter has looked.
      return true
  }
}

const confirmsBattery = (type: string, input: Input, state: Battery): Confirmation => {
  const isMet =
    type === "battery:set-reserve"
      ? state.backupReserve === Math.round(numberOr(input["chargePercentage"], Number.NaN))
      : showsMode(input, state)
  if (isMet) return "met"
  // Storm mode sets its own reserve.
  return state.isStormModeActive === true ? "contradicted" : "pending"
}

const confirmsVehicle = (type: string, input: Input, state: Vehicle): Confirmation => {
  if (type === "vehicle:set-charge-limit")
    return state.chargeLimit === Math.round(numberOr(input["chargeLimit"], Number.NaN)) ? "met" : "pending"
  const isCharging = state.chargingState === "charging"
  if (input["operatingMode"] === "stop-charging")
    return isCharging || state.chargingState === "unknown" ? "pending" : "met"
  if (isCharging) return "met"
  return state.isPluggedIn === false ? "contradicted" : "pending"
}

/** Whether a reading shows what a command asked for. */
export const confirms = (
  { input, type }: Pick<CommandRequest, "type" | "input">,
  { state }: DeviceObservation
): Confirmation => {
  if (state === null) return "pending"
  return type.startsWith("battery:")
    ? confirmsBattery(type, input, state as Battery)
    : confirmsVehicle(type, input, state as Vehicle)
}
