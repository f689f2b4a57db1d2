import { Schema } from "effect"
import { FreeForm } from "../shared/Text.ts"
import type { DeviceType } from "./DeviceType.ts"
import { oneOf, quantity } from "../shared/quantities.ts"

const optional = Schema.optionalKey
const setpoint = (description: string) => optional(quantity(`${description}, degrees Fahrenheit`, { integer: true }))

const few = <S extends Schema.Top>(mode: S) =>
  Schema.Array(mode).check(Schema.isMaxLength(20, { message: "Must be at most 20 modes" }))

export const BatteryStatic = Schema.Struct({
  capacity: quantity("Energy that the battery holds, Wh", { above: 0 }),
  maxChargeRate: optional(quantity("Greatest power of charging, W", { above: 0 })),
  maxDischargeRate: optional(quantity("Greatest power of discharging, W", { above: 0 })),
  numberOfBatteries: optional(quantity("Number of batteries", { above: 0, integer: true }))
}).annotate({ identifier: "BatteryStatic", description: "What does not change by itself about a battery" })

export const InverterStatic = Schema.Struct({
  power: quantity("Rated power, W", { minimum: 0, maximum: 10_000_000 })
}).annotate({ identifier: "InverterStatic", description: "What does not change by itself about an inverter" })

export const ThermostatStatic = Schema.Struct({
  allowedModes: few(oneOf(["heat", "cool", "auto", "eco", "off", "unknown"])).annotate({
    description: "Operating modes that the thermostat takes"
  }),
  allowedFanModes: few(oneOf(["auto", "on", "off", "circulate", "unknown"])).annotate({
    description: "Fan modes that the thermostat takes"
  }),
  minHeatSetpoint: setpoint("Lowest target of heating"),
  maxHeatSetpoint: setpoint("Highest target of heating"),
  minCoolSetpoint: setpoint("Lowest target of cooling"),
  maxCoolSetpoint: setpoint("Highest target of cooling"),
  extendedCapabilities: optional(FreeForm)
}).annotate({ identifier: "ThermostatStatic", description: "What does not change by itself about a thermostat" })

export const VehicleStatic = Schema.Struct({
  capacity: optional(quantity("Energy that the battery holds, Wh")),
  keyPaired: optional(
    Schema.NullOr(Schema.Boolean).annotate({ description: "Whether a key is paired; null when pairing does not apply" })
  ),
  extendedCapabilities: optional(FreeForm)
}).annotate({ identifier: "VehicleStatic", description: "What does not change by itself about a vehicle" })

/** What does not change by itself about a device of each type; free-form where the specification names no variant. */
export const staticStateOf = {
  battery: BatteryStatic,
  charger: FreeForm,
  inverter: InverterStatic,
  meter: FreeForm,
  thermostat: ThermostatStatic,
  vehicle: VehicleStatic,
  water_heater: FreeForm,
  other: FreeForm,
  unknown: FreeForm
} as const satisfies Record<DeviceType, Schema.Top>
