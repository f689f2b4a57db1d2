import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Unit } from "../../i18n/format.ts"

/** How a field of a state is shown. */
export type Field =
  | { readonly kind: "quantity"; readonly name: string; readonly unit: Unit }
  | { readonly kind: "word" | "flag" | "time"; readonly name: string }

const quantity = (name: string, unit: Unit): Field => ({ kind: "quantity", name, unit })
const word = (name: string): Field => ({ kind: "word", name })
const flag = (name: string): Field => ({ kind: "flag", name })

const grid = [
  word("gridStatus"),
  quantity("gridPower", "W"),
  quantity("gridEnergy", "Wh"),
  quantity("loadPower", "W"),
  quantity("loadEnergy", "Wh")
]

const plug = [
  flag("isPluggedIn"),
  quantity("chargerWattage", "W"),
  quantity("chargerVoltage", "V"),
  quantity("chargerCurrent", "A"),
  quantity("lifetimeEnergyCharged", "Wh")
]

const named: Readonly<Record<Exclude<DeviceType, "other" | "unknown">, ReadonlyArray<Field>>> = {
  battery: [
    quantity("chargePercentage", "%"),
    quantity("chargeRate", "W"),
    word("chargingState"),
    quantity("charge", "Wh"),
    quantity("backupReserve", "%"),
    word("strategy"),
    quantity("whConsumed", "Wh"),
    ...grid,
    flag("isStormModeActive"),
    flag("isStormModeEnabled")
  ],
  charger: [word("chargingState"), ...plug],
  inverter: [
    quantity("power", "W"),
    quantity("generatedEnergy", "Wh"),
    quantity("lifetimeEnergyGenerated", "Wh"),
    ...grid
  ],
  meter: [
    quantity("power", "W"),
    quantity("importedEnergy", "Wh"),
    quantity("exportedEnergy", "Wh"),
    quantity("voltage", "V"),
    quantity("current", "A")
  ],
  thermostat: [
    quantity("ambientTemperature", "°F"),
    word("operatingMode"),
    quantity("heatTarget", "°F"),
    quantity("coolTarget", "°F"),
    word("fanMode")
  ],
  vehicle: [
    quantity("chargePercentage", "%"),
    word("chargingState"),
    quantity("range", "mi"),
    quantity("chargeLimit", "%"),
    quantity("charge", "Wh"),
    ...plug,
    { kind: "time", name: "chargeCompletedAt" }
  ],
  water_heater: [
    quantity("waterTemperature", "°F"),
    quantity("targetTemperature", "°F"),
    word("operatingMode"),
    quantity("power", "W"),
    quantity("availableHotWater", "%")
  ]
}

const kindOfValue = (value: unknown): Exclude<Field["kind"], "time"> =>
  typeof value === "number" ? "quantity" : typeof value === "boolean" ? "flag" : "word"

/** Fields under names that the source of the device has chosen. */
const chosen = (state: Readonly<Record<string, unknown>>): ReadonlyArray<Field> =>
  Object.entries(state)
    .filter(([name]) => name !== "id" && name !== "createdAt")
    .map(([name, value]) => {
      const kind = kindOfValue(value)
      return kind === "quantity" ? quantity(name, "") : { kind, name }
    })

/** The fields of the state variant of a type, in the order in which they are shown. Those of a newer service come last. */
export const stateFields = (type: DeviceType, state: Readonly<Record<string, unknown>>): ReadonlyArray<Field> => {
  if (type === "other" || type === "unknown") return chosen(state)
  const known = new Set(named[type].map(({ name }) => name))
  return [...named[type], ...chosen(state).filter(({ name }) => !known.has(name))]
}

/** The direction of a power or an energy that has a sign. */
export type Direction = "charging" | "discharging" | "importing" | "exporting" | "idle"

/** The meaning of a value's sign; undefined for a field without one. */
export const direction = (type: DeviceType, name: string, value: number): Direction | undefined => {
  const [above, below] =
    type === "battery" && name === "chargeRate"
      ? (["discharging", "charging"] as const)
      : name === "gridPower" || name === "gridEnergy" || (type === "meter" && name === "power")
        ? (["importing", "exporting"] as const)
        : []
  if (above === undefined || below === undefined) return undefined
  return value > 0 ? above : value < 0 ? below : "idle"
}
