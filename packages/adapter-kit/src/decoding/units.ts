/** Conversion of the units that devices report into the units of the contract. */

/** A unit's quantity and its value in the quantity's first unit: `value * factor + offset`. */
interface UnitDefinition {
  readonly quantity: string
  readonly factor: number
  readonly offset?: number
}

const units = {
  W: { quantity: "power", factor: 1 },
  kW: { quantity: "power", factor: 1000 },
  MW: { quantity: "power", factor: 1_000_000 },
  mW: { quantity: "power", factor: 0.001 },
  Wh: { quantity: "energy", factor: 1 },
  kWh: { quantity: "energy", factor: 1000 },
  MWh: { quantity: "energy", factor: 1_000_000 },
  mWh: { quantity: "energy", factor: 0.001 },
  V: { quantity: "voltage", factor: 1 },
  mV: { quantity: "voltage", factor: 0.001 },
  kV: { quantity: "voltage", factor: 1000 },
  A: { quantity: "current", factor: 1 },
  mA: { quantity: "current", factor: 0.001 },
  "%": { quantity: "share", factor: 1 },
  "°F": { quantity: "temperature", factor: 1 },
  "°C": { quantity: "temperature", factor: 1.8, offset: 32 },
  K: { quantity: "temperature", factor: 1.8, offset: -459.67 },
  mi: { quantity: "distance", factor: 1 },
  km: { quantity: "distance", factor: 1 / 1.609344 },
  s: { quantity: "time", factor: 1 },
  min: { quantity: "time", factor: 60 }
} as const satisfies Record<string, UnitDefinition>

export type Unit = keyof typeof units
export const unitNames = Object.keys(units) as ReadonlyArray<Unit>

const spellings: Readonly<Record<string, Unit>> = { F: "°F", ºF: "°F", C: "°C", ºC: "°C", "℃": "°C", "℉": "°F" }

/** The unit of a name as devices write it; undefined if it is not known. */
export const parseUnit = (name: string): Unit | undefined => {
  const trimmed = name.trim()
  return Object.hasOwn(units, trimmed)
    ? (trimmed as Unit)
    : Object.hasOwn(spellings, trimmed)
      ? spellings[trimmed]
      : undefined
}

/** Removes what binary fractions add: 230.10000000000002 becomes 230.1. Twelve digits are more than any meter has. */
export const withoutNoise = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(12)))

/** The value in another unit; undefined if the units measure different quantities. */
export const convertUnit = (value: number, from: Unit, to: Unit): number | undefined => {
  const source: UnitDefinition = units[from]
  const target: UnitDefinition = units[to]
  if (source.quantity !== target.quantity) return undefined
  if (from === to) return value
  return withoutNoise((value * source.factor + (source.offset ?? 0) - (target.offset ?? 0)) / target.factor)
}

/** The units of the contract's fields that have one. Fields without one are flags, choices and times. */
export const fieldUnits: Readonly<Record<string, Unit>> = {
  ambientTemperature: "°F",
  availableHotWater: "%",
  backupReserve: "%",
  capacity: "Wh",
  charge: "Wh",
  chargeLimit: "%",
  chargePercentage: "%",
  chargeRate: "W",
  chargerCurrent: "A",
  chargerVoltage: "V",
  chargerWattage: "W",
  coolTarget: "°F",
  current: "A",
  exportedEnergy: "Wh",
  generatedEnergy: "Wh",
  gridEnergy: "Wh",
  gridPower: "W",
  heatTarget: "°F",
  importedEnergy: "Wh",
  lifetimeEnergyCharged: "Wh",
  lifetimeEnergyGenerated: "Wh",
  loadEnergy: "Wh",
  loadPower: "W",
  maxChargeRate: "W",
  maxCoolSetpoint: "°F",
  maxDischargeRate: "W",
  maxHeatSetpoint: "°F",
  minCoolSetpoint: "°F",
  minHeatSetpoint: "°F",
  power: "W",
  range: "mi",
  targetTemperature: "°F",
  voltage: "V",
  waterTemperature: "°F",
  whConsumed: "Wh"
}
