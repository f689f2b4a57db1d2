import type { CommandSlug } from "../devices/DeviceType.ts"

/**
 * The response of a state to a command. `contrary`: another setting than the one that was asked for, which counts once the device has had
 * its time. `contradicted`: the command has failed, whatever the device may show later.
 */
export type Confirmation = "met" | "pending" | "contrary" | "contradicted"

type Values = Readonly<Record<string, unknown>>
type Shown = Exclude<Confirmation, "contradicted">

/** Devices round set-points to steps of up to half a degree Celsius. */
const DEGREES = 0.95
/** Devices round shares to whole percent. */
const PERCENT = 1
/** Errors of conversions between units. */
const EXACT = 0.05

/** Share of a power, and W, by which devices miss one that they are asked for. */
const POWER_SHARE = 0.05
const POWER = 100

/** The fields of a state by which commands are confirmed. */
export const confirmingFields = [
  "backupReserve",
  "chargeLimit",
  "chargeRate",
  "chargerWattage",
  "chargingState",
  "coolTarget",
  "fanMode",
  "heatTarget",
  "operatingMode",
  "strategy"
] as const

/**
 * Whether a power keeps to the one that was asked for: it may stay below it. A little above it, it must have moved there: `before` is
 * the power before the command; null if the device did something else then, undefined if it is not known. A state that does
 * not tell the power contradicts nothing.
 */
export const comparePower = (targetPowerW: unknown, shown: unknown, before: number | null | undefined): Shown => {
  if (typeof targetPowerW !== "number" || typeof shown !== "number" || Math.abs(shown) <= targetPowerW) return "met"
  const tolerance = targetPowerW * POWER_SHARE + POWER
  if (Math.abs(shown) > targetPowerW + tolerance) return "contrary"
  if (before === undefined) return "pending"
  return before === null || Math.abs(Math.abs(before) - targetPowerW) > tolerance ? "met" : "pending"
}

/** A value within the device's resolution counts if it came nearer to the asked one: one that was so before proves nothing. */
const compareNumber = (asked: unknown, shown: unknown, before: unknown, tolerance: number): Shown => {
  if (typeof asked !== "number") return "met"
  if (typeof shown !== "number") return "pending"
  const distance = Math.abs(asked - shown)
  if (distance <= EXACT) return "met"
  if (distance > tolerance) return "contrary"
  return typeof before === "number" && Math.abs(asked - before) > distance + EXACT ? "met" : "pending"
}

const compareMode = (asked: unknown, shown: unknown): Shown =>
  typeof shown !== "string" || shown === "unknown" ? "pending" : shown === asked ? "met" : "contrary"

/** A set of values is met if each is, and contrary if one is. */
const all = (...shown: ReadonlyArray<Shown>): Shown =>
  shown.includes("contrary") ? "contrary" : shown.includes("pending") ? "pending" : "met"

const powerBefore = (before: Values | null, isSo: boolean, power: unknown) =>
  before === null ? undefined : !isSo ? null : typeof power === "number" ? power : undefined

const chargingStates: Values = { charge: "charging", discharge: "discharging", idle: "idle" }

const compareBatteryMode = (input: Values, state: Values, before: Values | null): Shown => {
  const asked = Object.hasOwn(chargingStates, String(input["operatingMode"]))
    ? chargingStates[String(input["operatingMode"])]
    : undefined
  const { chargeRate, chargingState } = state
  if (asked === undefined) return "pending"
  // A battery that is full or empty, or may not use the grid, may have nothing to do.
  if (asked !== "idle" && chargingState === "idle") return "pending"
  const earlier = powerBefore(before, before?.["chargingState"] === asked, before?.["chargeRate"])
  const mode = compareMode(asked, chargingState)
  return mode === "met" ? comparePower(input["targetPowerW"], chargeRate, earlier) : mode
}

const compareCharging = (input: Values, state: Values, before: Values | null): Shown => {
  const { chargerWattage, chargingState } = state
  if (input["operatingMode"] === "stop-charging") {
    return chargingState === "charging" ? "contrary" : chargingState === "idle" ? "met" : "pending"
  }
  if (chargingState !== "charging") return chargingState === "idle" ? "contrary" : "pending"
  const earlier = powerBefore(before, before?.["chargingState"] === "charging", before?.["chargerWattage"])
  return comparePower(input["targetPowerW"], chargerWattage, earlier)
}

/**
 * Compares a command with a state in the contract's fields, which shows the asked values exactly, or within the device's resolution where they moved
 * there from others. Pending where the state has no such field.
 *
 * @param before The state before the command was sent; null if it is not known.
 */
export const confirmByState = (
  type: CommandSlug,
  input: Values,
  state: object | null,
  before: object | null
): Exclude<Confirmation, "contradicted"> => {
  if (state === null) return "pending"
  const [shown, earlier] = [state as Values, before as Values | null]
  const number = (asked: string, field: string, tolerance: number) =>
    compareNumber(input[asked], shown[field], earlier?.[field], tolerance)
  switch (type) {
    case "battery:set-reserve":
      return number("chargePercentage", "backupReserve", PERCENT)
    case "battery:set-operating-mode":
      return compareBatteryMode(input, shown, earlier)
    case "charger:set-operating-mode":
    case "vehicle:set-operating-mode":
      return compareCharging(input, shown, earlier)
    case "thermostat:set-operating-mode":
      return all(
        compareMode(input["operatingMode"], shown["operatingMode"]),
        number("heatTarget", "heatTarget", DEGREES),
        number("coolTarget", "coolTarget", DEGREES)
      )
    case "thermostat:set-fan-mode":
      return compareMode(input["fanMode"], shown["fanMode"])
    case "vehicle:set-charge-limit":
      return number("chargeLimit", "chargeLimit", PERCENT)
    default:
      return "pending"
  }
}

/**
 * Whether a state shows exactly what a command asks for, so that there is nothing to do. Never for a power: a device that draws little
 * now may draw more later, only the command limits it.
 */
export const isAlreadySo = (type: CommandSlug, input: Values, state: object | null): boolean =>
  input["targetPowerW"] === undefined && confirmByState(type, input, state, null) === "met"

const numbers: Partial<Record<CommandSlug, ReadonlyArray<readonly [asked: string, field: string]>>> = {
  "battery:set-reserve": [["chargePercentage", "backupReserve"]],
  "battery:set-operating-mode": [["targetPowerW", "chargeRate"]],
  "charger:set-operating-mode": [["targetPowerW", "chargerWattage"]],
  "vehicle:set-operating-mode": [["targetPowerW", "chargerWattage"]],
  "thermostat:set-operating-mode": [
    ["heatTarget", "heatTarget"],
    ["coolTarget", "coolTarget"]
  ],
  "vehicle:set-charge-limit": [["chargeLimit", "chargeLimit"]]
}

/** Whether a value is on its way to the one that a command asked for: nearer to it than in an earlier state. */
export const isMoving = (type: CommandSlug, input: Values, state: object | null, earlier: object | null): boolean =>
  (numbers[type] ?? []).some(([asked, field]) => {
    const [target, shown, last] = [input[asked], (state as Values | null)?.[field], (earlier as Values | null)?.[field]]
    if (typeof target !== "number" || typeof shown !== "number" || typeof last !== "number") return false
    const distance = (value: number) => Math.abs(target - (field === "chargeRate" ? Math.abs(value) : value))
    return distance(shown) < distance(last) - EXACT
  })
