import { keepsToPower } from "@edp/domain/commands/confirmByState"
import type { DeviceObservation } from "../Account.ts"
import type { CommandRequest } from "../ManufacturerAdapter.ts"

type Confirmation = "met" | "pending" | "contradicted"
type Values = Readonly<Record<string, unknown>>

const met = (isMet: boolean): Confirmation => (isMet ? "met" : "pending")

/** Charging stops this close to its limit, in percent. */
const CLOSE = 0.5

const isAtLeast = (state: Values, field: string, limit: unknown) =>
  typeof state[field] === "number" && typeof limit === "number" && state[field] >= limit - CLOSE

/**
 * A forced mode shows in the power. Without the grid a battery only takes what the sun leaves and gives what the home uses,
 * which may be nothing; a full or an empty one does nothing at all.
 */
const confirmsBatteryMode = (input: Values, state: Values): Confirmation => {
  if (!keepsToPower(input["targetPowerW"], state["chargeRate"])) return "pending"
  const withGrid = input["enableGridInteraction"] === true
  const { chargePercentage, chargingState } = state
  switch (input["operatingMode"]) {
    case "idle":
      return met(chargingState === "idle")
    case "charge": {
      const isFull = isAtLeast(state, "chargePercentage", input["maximumBatteryReserve"] ?? 100)
      return met(withGrid && !isFull ? chargingState === "charging" : chargingState !== "discharging")
    }
    case "discharge": {
      const reserve = input["minimumBatteryReserve"] ?? state["backupReserve"] ?? 0
      const isEmpty =
        typeof chargePercentage === "number" && typeof reserve === "number" && chargePercentage <= reserve + CLOSE
      return met(withGrid && !isEmpty ? chargingState === "discharging" : chargingState !== "charging")
    }
    default:
      return "met"
  }
}

const confirmsCharging = (input: Values, state: Values): Confirmation => {
  if (state["isPluggedIn"] === false) return input["operatingMode"] === "stop-charging" ? "met" : "contradicted"
  if (input["operatingMode"] === "stop-charging") return met(state["chargingState"] !== "charging")
  if (!keepsToPower(input["targetPowerW"], state["chargerWattage"])) return "pending"
  const isFull = isAtLeast(state, "chargePercentage", state["chargeLimit"])
  return met(state["chargingState"] === "charging" || isFull)
}

const isEqual = (input: Values, state: Values, field: string) =>
  input[field] === undefined || input[field] === state[field]

/** Whether a device's state shows what a command asked for. */
export const confirms = (
  { input, type }: Pick<CommandRequest, "type" | "input">,
  { state: observed }: DeviceObservation
): Confirmation => {
  if (observed === null) return "pending"
  const state = observed as Values
  switch (type) {
    case "battery:set-reserve":
      return met(state["backupReserve"] === input["chargePercentage"])
    case "battery:set-operating-mode":
      return confirmsBatteryMode(input, state)
    case "charger:set-operating-mode":
    case "vehicle:set-operating-mode":
      return confirmsCharging(input, state)
    case "vehicle:set-charge-limit":
      return met(isEqual(input, state, "chargeLimit"))
    case "thermostat:set-operating-mode":
      // Targets that the mode does not use are not reported.
      return met(
        isEqual(input, state, "operatingMode") &&
          ["heatTarget", "coolTarget"].every((field) => state[field] === undefined || isEqual(input, state, field))
      )
    case "thermostat:set-fan-mode":
      return met(isEqual(input, state, "fanMode"))
    // Nothing in the state shows them; they are completed when they are accepted.
    case "thermostat:pause-schedule":
    case "thermostat:resume-schedule":
    case "vehicle:check-pairing-status":
      return "met"
  }
}
