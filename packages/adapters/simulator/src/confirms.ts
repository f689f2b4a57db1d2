import { comparePower, type Confirmation } from "@edp/domain/commands/confirmByState"
import type { DeviceObservation } from "@edp/adapter-kit/Account"
import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"

type Values = Readonly<Record<string, unknown>>

const met = (isMet: boolean, otherwise: "pending" | "contrary" = "contrary"): Confirmation =>
  isMet ? "met" : otherwise

/** Charging stops this close to its limit, in percent. */
const CLOSE = 0.5

const isAtLeast = (state: Values, field: string, limit: unknown) =>
  typeof state[field] === "number" && typeof limit === "number" && state[field] >= limit - CLOSE

/**
 * A forced mode shows in the power. Without the grid a battery only takes what the sun leaves and gives what the home uses,
 * which may be nothing; a full or an empty one does nothing at all.
 */
const confirmsBatteryMode = (input: Values, state: Values): Confirmation => {
  // The physics keeps to a power exactly.
  const power = comparePower(input["targetPowerW"], state["chargeRate"], undefined)
  if (power !== "met") return power
  const withGrid = input["enableGridInteraction"] === true
  const { chargePercentage, chargingState } = state
  switch (input["operatingMode"]) {
    case "idle":
      return met(chargingState === "idle")
    case "charge": {
      const isFull = isAtLeast(state, "chargePercentage", input["maximumBatteryReserve"] ?? 100)
      return withGrid && !isFull && chargingState === "idle" ? "pending" : met(chargingState !== "discharging")
    }
    case "discharge": {
      const reserve = input["minimumBatteryReserve"] ?? state["backupReserve"] ?? 0
      const isEmpty =
        typeof chargePercentage === "number" && typeof reserve === "number" && chargePercentage <= reserve + CLOSE
      return withGrid && !isEmpty && chargingState === "idle" ? "pending" : met(chargingState !== "charging")
    }
    default:
      return "met"
  }
}

const confirmsCharging = (input: Values, state: Values): Confirmation => {
  if (state["isPluggedIn"] === false) return input["operatingMode"] === "stop-charging" ? "met" : "contradicted"
  if (input["operatingMode"] === "stop-charging") return met(state["chargingState"] !== "charging")
  const power = comparePower(input["targetPowerW"], state["chargerWattage"], undefined)
  if (power !== "met") return power
  const isFull = isAtLeast(state, "chargePercentage", state["chargeLimit"])
  return met(state["chargingState"] === "charging" || isFull, "pending")
}

/** A field that the reading lacks tells nothing; one that the command does not set counts as shown. */
const compareField = (asked: unknown, shown: unknown): Confirmation =>
  asked === undefined ? "met" : shown === undefined ? "pending" : met(asked === shown)

/** Compares a command with a device's state. */
export const confirms = (
  { input, type }: Pick<CommandRequest, "type" | "input">,
  { state: observed }: DeviceObservation
): Confirmation => {
  if (observed === null) return "pending"
  const state = observed as Values
  switch (type) {
    case "battery:set-reserve":
      return compareField(input["chargePercentage"], state["backupReserve"])
    case "battery:set-operating-mode":
      return confirmsBatteryMode(input, state)
    case "charger:set-operating-mode":
    case "vehicle:set-operating-mode":
      return confirmsCharging(input, state)
    case "vehicle:set-charge-limit":
      return compareField(input["chargeLimit"], state["chargeLimit"])
    case "thermostat:set-operating-mode": {
      const shown = [
        compareField(input["operatingMode"], state["operatingMode"]),
        // Targets that the mode does not use are not reported.
        ...["heatTarget", "coolTarget"].map((field) =>
          state[field] === undefined ? "met" : compareField(input[field], state[field])
        )
      ]
      return shown.includes("contrary") ? "contrary" : shown.includes("pending") ? "pending" : "met"
    }
    case "thermostat:set-fan-mode":
      return compareField(input["fanMode"], state["fanMode"])
    // Nothing in the state shows them; they are completed when they are accepted.
    case "thermostat:pause-schedule":
    case "thermostat:resume-schedule":
    case "vehicle:check-pairing-status":
      return "met"
  }
}
