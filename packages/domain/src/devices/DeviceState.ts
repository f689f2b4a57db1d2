import { Schema, Struct } from "effect"
import { Cuid } from "../shared/Cuid.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import type { DeviceType } from "./DeviceType.ts"
import { flag, oneOf, quantity } from "../shared/quantities.ts"

const optional = Schema.optionalKey
const MAX_WATTS = 10_000_000

const chargingState = oneOf(["charging", "discharging", "idle", "unknown"], "What the battery does")
const percentage = (description: string) => quantity(`${description}, percent`, { minimum: 0, maximum: 100 })
const lifetime = (description: string) =>
  quantity(`${description}, Wh: a counter over the device's life that only grows`, { minimum: 0 })

const grid = {
  gridStatus: optional(oneOf(["exporting", "importing", "idle", "unknown"], "What flows at the grid connection")),
  gridPower: optional(
    quantity("Power at the grid connection, W: positive imports, negative exports; 1200 draws 1.2 kW from the grid", {
      integer: true
    })
  ),
  gridEnergy: optional(
    quantity("Energy at the grid connection since the previous reading, Wh: positive imports, negative exports", {
      integer: true
    })
  ),
  loadPower: optional(quantity("Power that the home uses, W", { minimum: 0 })),
  loadEnergy: optional(quantity("Energy that the home used since the previous reading, Wh", { minimum: 0 }))
}

const plug = {
  isPluggedIn: optional(flag("Whether a cable is plugged in")),
  chargerVoltage: optional(quantity("Voltage at the charger, V", { minimum: 0, maximum: 1000 })),
  chargerCurrent: optional(quantity("Current at the charger, A", { minimum: 0, maximum: 1000 })),
  chargerWattage: optional(quantity("Power drawn by charging, W", { minimum: 0, maximum: 1_000_000 }))
}

/** The fields of each state variant, as a manufacturer sends them. */
export const BatteryReading = Schema.Struct({
  chargingState,
  charge: quantity("Energy stored now, Wh"),
  chargePercentage: percentage("Charge"),
  whConsumed: Schema.NullOr(quantity("Energy charged since the previous reading, Wh")),
  chargeRate: optional(
    quantity("Power of the battery, W: positive discharges, negative charges; -3000 charges with 3 kW")
  ),
  backupReserve: optional(percentage("Charge kept for backup")),
  isStormModeActive: optional(flag("Whether the battery holds its charge for a storm now")),
  isStormModeEnabled: optional(flag("Whether the battery may hold its charge for a storm")),
  strategy: optional(
    oneOf(["unknown", "self_consumption", "time_of_use", "backup"], "How the battery decides; unknown by default")
  ),
  ...grid
})

export const ChargerReading = Schema.Struct({ chargingState, ...plug })

export const ThermostatReading = Schema.Struct({
  ambientTemperature: quantity("Temperature of the room, degrees Fahrenheit"),
  operatingMode: oneOf(["heat", "cool", "auto", "eco", "off", "unknown"], "Operating mode"),
  fanMode: oneOf(["auto", "on", "off", "circulate", "unknown"], "Fan mode"),
  coolTarget: optional(quantity("Temperature that cooling aims at, degrees Fahrenheit")),
  heatTarget: optional(quantity("Temperature that heating aims at, degrees Fahrenheit"))
})

export const InverterReading = Schema.Struct({
  power: quantity("Power generated, W", { minimum: 0, maximum: MAX_WATTS }),
  generatedEnergy: optional(quantity("Energy generated since the previous reading, Wh", { minimum: 0 })),
  lifetimeEnergyGenerated: optional(lifetime("Energy generated")),
  ...grid
})

export const VehicleReading = Schema.Struct({
  chargingState,
  chargePercentage: percentage("Charge"),
  range: quantity("Distance that the charge suffices for, miles", { minimum: 0, maximum: 10_000 }),
  chargeCompletedAt: optional(TimestampInput.annotate({ description: "When charging was completed" })),
  chargeLimit: optional(percentage("Charge at which charging ends")),
  charge: optional(quantity("Energy stored now, Wh", { minimum: 0 })),
  ...plug
})

export const MeterReading = Schema.Struct({
  power: quantity("Power at the meter, W: positive imports, negative exports; -800 feeds 0.8 kW into the grid", {
    integer: true
  }),
  importedEnergy: optional(lifetime("Energy imported")),
  exportedEnergy: optional(lifetime("Energy exported")),
  voltage: optional(quantity("Voltage, V")),
  current: optional(quantity("Current, A"))
})

export const WaterHeaterReading = Schema.Struct({
  waterTemperature: quantity("Temperature of the water, degrees Fahrenheit"),
  operatingMode: oneOf(["heat_pump", "electric", "high_demand", "vacation", "off", "unknown"], "Operating mode"),
  targetTemperature: optional(quantity("Temperature that heating aims at, degrees Fahrenheit")),
  power: optional(quantity("Power drawn, W")),
  availableHotWater: optional(percentage("Hot water available"))
})

const OTHER = "Must be an object of at most 64 numbers, strings or booleans"

export const OtherReading = Schema.Record(
  Text(1, 100),
  Schema.Union([Schema.Finite, Text(0, 1000), Schema.Boolean]).annotate({
    message: "Must be a number, a string of at most 1000 characters, true or false"
  })
).check(
  Schema.isMaxProperties(64, { message: OTHER }),
  Schema.makeFilter((fields) => !("id" in fields) && !("createdAt" in fields), {
    message: "Must not hold id or createdAt, which the service sets"
  })
)

/** The variant that a device of each type reports. */
export const readingOf = {
  battery: BatteryReading,
  charger: ChargerReading,
  inverter: InverterReading,
  meter: MeterReading,
  thermostat: ThermostatReading,
  vehicle: VehicleReading,
  water_heater: WaterHeaterReading,
  other: OtherReading,
  unknown: OtherReading
} as const satisfies Record<DeviceType, Schema.Top>

const recorded = {
  id: Cuid.annotate({ description: "Identifier of the reading" }),
  createdAt: Timestamp.annotate({ description: "When the reading was taken, or arrived where it told no time" })
}

const stored = <F extends Schema.Struct.Fields>(name: string, of: string, reading: Schema.Struct<F>) =>
  reading.mapFields(Struct.assign(recorded)).annotate({ identifier: name, description: `A reading of ${of}` })

export const BatteryState = stored("BatteryState", "a battery", BatteryReading)
export const ChargerState = stored("ChargerState", "a charger", ChargerReading)
export const ThermostatState = stored("ThermostatState", "a thermostat", ThermostatReading)
export const InverterState = stored("InverterState", "an inverter", InverterReading)
export const VehicleState = stored("VehicleState", "a vehicle", VehicleReading)
export const MeterState = stored("MeterState", "a meter", MeterReading)
export const WaterHeaterState = stored("WaterHeaterState", "a water heater", WaterHeaterReading)
export const OtherState = Schema.StructWithRest(Schema.Struct(recorded), [
  Schema.Record(Schema.String, Schema.Union([Schema.Finite, StoredText(1000), Schema.Boolean]))
]).annotate({
  identifier: "OtherState",
  description:
    "A reading of a device of another or unknown type: numbers, strings and booleans under the source's own names"
})

/** The answered variant of each type. */
export const stateOf = {
  battery: BatteryState,
  charger: ChargerState,
  inverter: InverterState,
  meter: MeterState,
  thermostat: ThermostatState,
  vehicle: VehicleState,
  water_heater: WaterHeaterState,
  other: OtherState,
  unknown: OtherState
} as const satisfies Record<DeviceType, Schema.Top>

/**
 * A reading where the answer does not name the device's type: every field of its variant, whichever it is.
 * `stateOf` tells the variant once the type is known; the OpenAPI document lists them all.
 */
export const RecordedState = Schema.StructWithRest(Schema.Struct(recorded), [
  Schema.Record(Schema.String, Schema.Unknown)
]).annotate({ identifier: "RecordedState", description: "The state variant of the device's type" })
export type RecordedState = typeof RecordedState.Type

/** The state of a device that never reported: it holds no invented readings. */
export const NoState = Schema.Record(Schema.String, Schema.Never).annotate({
  identifier: "NoState",
  description: "The device never reported"
})
