import { Schema, Struct } from "effect"
import { Cuid } from "../shared/Cuid.ts"
import { notExpressible, typedAs } from "../shared/documents.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import type { DeviceType } from "./DeviceType.ts"
import { flag, oneOf, quantity } from "../shared/quantities.ts"

const optional = Schema.optionalKey
const MAX_WATTS = 10_000_000

const chargingState = oneOf(["charging", "discharging", "idle", "unknown"], "Current activity of the battery")
const percentage = (description: string) => quantity(`${description}, percent`, { minimum: 0, maximum: 100 })
const lifetime = (description: string) =>
  quantity(`${description}, Wh: a lifetime counter that only increases`, { minimum: 0 })

const grid = {
  gridStatus: optional(
    oneOf(["exporting", "importing", "idle", "unknown"], "Direction of flow at the grid connection")
  ),
  gridPower: optional(
    quantity("Power at the grid connection, W: positive is import, negative is export; 1200 imports 1.2 kW", {
      integer: true
    })
  ),
  gridEnergy: optional(
    quantity("Energy at the grid connection since the previous reading, Wh: positive is import, negative is export", {
      integer: true
    })
  ),
  loadPower: optional(quantity("Power used by the home, W", { minimum: 0 })),
  loadEnergy: optional(quantity("Energy used by the home since the previous reading, Wh", { minimum: 0 }))
}

const plug = {
  isPluggedIn: optional(flag("Whether a cable is plugged in")),
  chargerVoltage: optional(quantity("Voltage of the charger, V", { minimum: 0, maximum: 1000 })),
  chargerCurrent: optional(quantity("Current of the charger, A", { minimum: 0, maximum: 1000 })),
  chargerWattage: optional(quantity("Power drawn by charging, W", { minimum: 0, maximum: 1_000_000 })),
  lifetimeEnergyCharged: optional(
    lifetime("Energy drawn by charging, as the register of the meter shows it; 8000000 is 8,000 kWh")
  )
}

/** A state variant as a manufacturer sends it. */
const reported = <Fields extends Schema.Struct.Fields>(name: string, type: DeviceType, fields: Fields) =>
  Schema.Struct(fields).annotate({
    identifier: `${name}Reading`,
    description: `State reported by a device of type \`${type}\``
  })

export const BatteryReading = reported("Battery", "battery", {
  chargingState,
  charge: quantity("Energy stored now, Wh"),
  chargePercentage: percentage("State of charge"),
  whConsumed: Schema.NullOr(quantity("Energy charged since the previous reading, Wh")),
  chargeRate: optional(
    quantity("Power of the battery, W: positive is discharging, negative is charging; -3000 is charging with 3 kW")
  ),
  backupReserve: optional(percentage("State of charge that is reserved for backup")),
  isStormModeActive: optional(flag("Whether storm mode is holding the charge now")),
  isStormModeEnabled: optional(flag("Whether storm mode is enabled")),
  strategy: optional(
    oneOf(
      ["unknown", "self_consumption", "time_of_use", "backup"],
      "Operating strategy of the battery; unknown by default"
    )
  ),
  ...grid
})

export const ChargerReading = reported("Charger", "charger", { chargingState, ...plug })

export const ThermostatReading = reported("Thermostat", "thermostat", {
  ambientTemperature: quantity("Room temperature, degrees Fahrenheit"),
  operatingMode: oneOf(["heat", "cool", "auto", "eco", "off", "unknown"], "Operating mode"),
  fanMode: oneOf(["auto", "on", "off", "circulate", "unknown"], "Fan mode"),
  coolTarget: optional(quantity("Cooling setpoint, degrees Fahrenheit")),
  heatTarget: optional(quantity("Heating setpoint, degrees Fahrenheit"))
})

export const InverterReading = reported("Inverter", "inverter", {
  power: quantity("Power generated, W", { minimum: 0, maximum: MAX_WATTS }),
  generatedEnergy: optional(quantity("Energy generated since the previous reading, Wh", { minimum: 0 })),
  lifetimeEnergyGenerated: optional(lifetime("Energy generated")),
  ...grid
})

export const VehicleReading = reported("Vehicle", "vehicle", {
  chargingState,
  chargePercentage: percentage("State of charge"),
  range: quantity("Remaining range, miles", { minimum: 0, maximum: 10_000 }),
  chargeCompletedAt: optional(TimestampInput.annotate({ description: "Time when charging was completed" })),
  chargeLimit: optional(percentage("State of charge at which charging stops")),
  charge: optional(quantity("Energy stored now, Wh", { minimum: 0 })),
  ...plug
})

export const MeterReading = reported("Meter", "meter", {
  power: quantity("Power at the meter, W: positive is import, negative is export; -800 exports 0.8 kW", {
    integer: true
  }),
  importedEnergy: optional(lifetime("Energy imported")),
  exportedEnergy: optional(lifetime("Energy exported")),
  voltage: optional(quantity("Voltage, V")),
  current: optional(quantity("Current, A"))
})

export const WaterHeaterReading = reported("WaterHeater", "water_heater", {
  waterTemperature: quantity("Water temperature, degrees Fahrenheit"),
  operatingMode: oneOf(["heat_pump", "electric", "high_demand", "vacation", "off", "unknown"], "Operating mode"),
  targetTemperature: optional(quantity("Heating setpoint, degrees Fahrenheit")),
  power: optional(quantity("Power drawn, W")),
  availableHotWater: optional(percentage("Available hot water"))
})

const OTHER = "Must be an object of at most 64 numbers, strings or booleans"

export const OtherReading = Schema.Record(
  Text(1, 100),
  Schema.Union([Schema.Finite, Text(0, 1000), Schema.Boolean]).annotate({
    message: "Must be a number, a string of at most 1000 characters, true or false"
  })
)
  .check(
    Schema.isMaxProperties(64, { message: OTHER }),
    Schema.makeFilter((fields) => !("id" in fields) && !("createdAt" in fields), {
      message: "Must not hold id or createdAt, which the service sets",
      toJsonSchema: notExpressible
    })
  )
  .annotate({
    identifier: "OtherReading",
    description: "State reported by a device of type `other` or `unknown`, under names chosen by the source"
  })

/** More than any variant has. A state with more fields gets one message instead of one per field. */
export const STATE_FIELDS_LIMIT = 64

/**
 * The state of a push. The type of the device determines its variant, so it is validated once the device is known.
 */
export const ReadingState = typedAs(
  Schema.Union([
    BatteryReading,
    ChargerReading,
    InverterReading,
    MeterReading,
    ThermostatReading,
    VehicleReading,
    WaterHeaterReading,
    OtherReading
  ]),
  Schema.Record(Schema.String, Schema.Any)
    .annotate({ message: "Must be an object" })
    .check(Schema.isMaxProperties(STATE_FIELDS_LIMIT, { message: `Must have at most ${STATE_FIELDS_LIMIT} fields` }))
).annotate({
  identifier: "ReadingState",
  description:
    "The fields of the state variant of the device's type, without id and createdAt; an unknown field is VALIDATION_ERROR"
})
export type ReadingState = typeof ReadingState.Type

/** The schema of the reported state of each device type. */
export const readingSchemas = {
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
  createdAt: Timestamp.annotate({ description: "Time of the reading; the time of arrival if it had no timestamp" })
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
    "A reading of a device of type `other` or `unknown`: numbers, strings and booleans under names chosen by the source"
})

/** The schema of the stored state of each device type. */
export const stateSchemas = {
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
 * A stored reading. It does not contain the type of its device, so a client does not validate its variant, and fields of a
 * newer service are kept.
 */
export const RecordedState = typedAs(
  Schema.Union([
    BatteryState,
    ChargerState,
    InverterState,
    MeterState,
    ThermostatState,
    VehicleState,
    WaterHeaterState,
    OtherState
  ]),
  Schema.StructWithRest(Schema.Struct(recorded), [Schema.Record(Schema.String, Schema.Any)])
).annotate({ identifier: "RecordedState", description: "A stored reading: the state variant of the device's type" })
export type RecordedState = typeof RecordedState.Type

/** The fields of a stored reading by name, for code that treats all types of devices alike. */
export type RecordedFields = Readonly<Record<string, unknown>> & Pick<RecordedState, "id" | "createdAt">

/** The state of a device that has never reported. */
export const NoState = Schema.Record(Schema.String, Schema.Never).annotate({
  identifier: "NoState",
  description: "The device never reported"
})
