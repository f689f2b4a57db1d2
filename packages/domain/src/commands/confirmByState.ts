import type { CommandSlug } from "../devices/DeviceType.ts"

/** Whether a state shows what a command asked for. */
export type Confirmation = "met" | "pending" | "contradicted"

/** Devices round set-points to steps of up to half a degree Celsius. */
const DEGREES = 0.95
/** Devices round shares to whole percent. */
const PERCENT = 1

/** Share of a power, and W, by which devices miss one that they are asked for. */
const POWER_SHARE = 0.05
const POWER = 100

/**
 * Whether a state shows that a device keeps to a power: it may stay below it. A state that does not tell the power contradicts
 * nothing.
 */
export const keepsToPower = (targetPowerW: unknown, shown: unknown): boolean =>
  typeof targetPowerW !== "number" ||
  typeof shown !== "number" ||
  Math.abs(shown) <= targetPowerW * (1 + POWER_SHARE) + POWER

/** Errors of conversions between units. */
const EXACT = 0.05

/** `rounded`: the device may have rounded the value. `exact`: another value that it would round to this one does not count. */
export type Precision = "rounded" | "exact"

/** Whether a state in the contract's fields shows what a command asked for. Pending where the state has no such field. */
export const confirmByState = (
  type: CommandSlug,
  input: Readonly<Record<string, unknown>>,
  given: object | null,
  precision: Precision = "rounded"
): Confirmation => {
  const isNear = (asked: unknown, shown: unknown, tolerance: number) =>
    typeof asked !== "number" ||
    (typeof shown === "number" && Math.abs(asked - shown) <= (precision === "exact" ? EXACT : tolerance))
  if (given === null) return "pending"
  // A device that draws little now may draw more later: only the command limits it.
  if (precision === "exact" && input["targetPowerW"] !== undefined) return "pending"
  const state = given as Readonly<Record<string, unknown>>
  const isMet = () => {
    switch (type) {
      case "battery:set-reserve":
        return (
          typeof state["backupReserve"] === "number" &&
          isNear(input["chargePercentage"], state["backupReserve"], PERCENT)
        )
      case "battery:set-operating-mode":
        return (
          input["operatingMode"] ===
            ({ charging: "charge", discharging: "discharge", idle: "idle" } as Record<string, unknown>)[
              String(state["chargingState"])
            ] && keepsToPower(input["targetPowerW"], state["chargeRate"])
        )
      case "charger:set-operating-mode":
      case "vehicle:set-operating-mode":
        return (
          state["chargingState"] === (input["operatingMode"] === "start-charging" ? "charging" : "idle") &&
          keepsToPower(input["targetPowerW"], state["chargerWattage"])
        )
      case "thermostat:set-operating-mode":
        return (
          state["operatingMode"] === input["operatingMode"] &&
          isNear(input["heatTarget"], state["heatTarget"], DEGREES) &&
          isNear(input["coolTarget"], state["coolTarget"], DEGREES)
        )
      case "thermostat:set-fan-mode":
        return state["fanMode"] === input["fanMode"]
      case "vehicle:set-charge-limit":
        return typeof state["chargeLimit"] === "number" && isNear(input["chargeLimit"], state["chargeLimit"], PERCENT)
      default:
        return false
    }
  }
  return isMet() ? "met" : "pending"
}
