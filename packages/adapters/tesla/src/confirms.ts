import type { Confirmation } from "@edp/domain/commands/confirmByState"
import type { BatteryReading, VehicleReading } from "@edp/domain/devices/DeviceState"
import type { DeviceObservation } from "@edp/adapter-kit/Account"
import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"

type Battery = typeof BatteryReading.Type
type Vehicle = typeof VehicleReading.Type
type Input = CommandRequest["input"]

/** Percent by which the charge moves while an idle battery settles: its reserve was set to the charge at that time. */
const SETTLING = 3

const isNearCharge = ({ backupReserve, chargePercentage, strategy }: Battery): boolean =>
  strategy === "self_consumption" &&
  backupReserve !== undefined &&
  Math.abs(backupReserve - chargePercentage) <= SETTLING

/** An idle battery keeps its charge: a reserve that was near it before proves nothing, unless a setting has changed. */
const keepsCharge = (state: Battery, before: Partial<Battery> | null): boolean => {
  const { backupReserve, chargePercentage, strategy } = state
  const hasMoved = before !== null && (before.backupReserve !== backupReserve || before.strategy !== strategy)
  return isNearCharge(state) && (hasMoved || backupReserve === Math.round(chargePercentage))
}

const numberOr = (value: unknown, otherwise: number) => (typeof value === "number" ? value : otherwise)

/** Tesla has no mode for charging and discharging: the reserve and the strategy are what a forced mode sets. */
const showsMode = (
  { enableGridInteraction, maximumBatteryReserve, minimumBatteryReserve, operatingMode }: Input,
  state: Battery,
  before: Partial<Battery> | null
): boolean => {
  const { backupReserve, strategy } = state
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
      return keepsCharge(state, before)
    default:
      // A reset is complete when it returns: the adapter has looked.
      return true
  }
}

const confirmsBattery = (type: string, input: Input, state: Battery, before: Partial<Battery> | null): Confirmation => {
  const isMet =
    type === "battery:set-reserve"
      ? state.backupReserve === Math.round(numberOr(input["chargePercentage"], Number.NaN))
      : showsMode(input, state, before)
  if (isMet) return "met"
  // Storm mode sets its own reserve.
  if (state.isStormModeActive === true) return "contradicted"
  const isKnown = type === "battery:set-reserve" || (state.strategy !== undefined && state.strategy !== "unknown")
  if (!isKnown || state.backupReserve === undefined) return "pending"
  return input["operatingMode"] === "idle" && isNearCharge(state) ? "pending" : "contrary"
}

const confirmsVehicle = (type: string, input: Input, state: Vehicle): Confirmation => {
  if (type === "vehicle:set-charge-limit")
    return state.chargeLimit === undefined
      ? "pending"
      : state.chargeLimit === Math.round(numberOr(input["chargeLimit"], Number.NaN))
        ? "met"
        : "contrary"
  const isCharging = state.chargingState === "charging"
  if (state.chargingState === "unknown") return "pending"
  if (input["operatingMode"] === "stop-charging") return isCharging ? "contrary" : "met"
  if (isCharging) return "met"
  return state.isPluggedIn === false ? "contradicted" : "contrary"
}

/** Whether a reading shows what a command asked for. */
export const confirms = (
  { input, type }: Pick<CommandRequest, "type" | "input">,
  { state }: DeviceObservation,
  before: object | null
): Confirmation => {
  if (state === null) return "pending"
  return type.startsWith("battery:")
    ? confirmsBattery(type, input, state as Battery, before)
    : confirmsVehicle(type, input, state as Vehicle)
}
