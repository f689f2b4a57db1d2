import { Schema } from "effect"
import { FreeForm } from "../shared/Text.ts"
import type { DeviceType } from "./DeviceType.ts"
import { flag, oneOf, quantity } from "../shared/quantities.ts"

const optional = Schema.optionalKey
const setpoint = (description: string) => optional(quantity(`${description}, degrees Fahrenheit`, { integer: true }))

const takesTargetPower = optional(flag("Whether its set-operating-mode command takes `targetPowerW`; false by default"))

const few = <S extends Schema.Top>(mode: S) =>
  Schema.Array(mode).check(Schema.isMaxLength(20, { message: "Must be at most 20 modes" }))

export const BatteryStatic = Schema.Struct({
  capacity: quantity("Usable capacity of the battery, Wh", { above: 0 }),
  maxChargeRate: optional(quantity("Maximum charging power, W", { above: 0 })),
  maxDischargeRate: optional(quantity("Maximum discharging power, W", { above: 0 })),
  numberOfBatteries: optional(quantity("Number of batteries", { above: 0, integer: true })),
  takesTargetPower
}).annotate({ identifier: "BatteryStatic", description: "Static properties of a battery" })

export const InverterStatic = Schema.Struct({
  power: quantity("Rated power, W", { minimum: 0, maximum: 10_000_000 })
}).annotate({ identifier: "InverterStatic", description: "Static properties of an inverter" })

export const ThermostatStatic = Schema.Struct({
  allowedModes: few(oneOf(["heat", "cool", "auto", "eco", "off", "unknown"])).annotate({
    description: "Operating modes that the thermostat supports"
  }),
  allowedFanModes: few(oneOf(["auto", "on", "off", "circulate", "unknown"])).annotate({
    description: "Fan modes that the thermostat supports"
  }),
  minHeatSetpoint: setpoint("Lowest heating setpoint"),
  maxHeatSetpoint: setpoint("Highest heating setpoint"),
  minCoolSetpoint: setpoint("Lowest cooling setpoint"),
  maxCoolSetpoint: setpoint("Highest cooling setpoint"),
  extendedCapabilities: optional(FreeForm)
}).annotate({ identifier: "ThermostatStatic", description: "Static properties of a thermostat" })

export const VehicleStatic = Schema.Struct({
  capacity: optional(quantity("Usable capacity of the battery, Wh")),
  keyPaired: optional(
    Schema.NullOr(Schema.Boolean).annotate({ description: "Whether a key is paired; null if pairing does not apply" })
  ),
  minChargeRate: optional(quantity("Least charging power, W", { above: 0 })),
  maxChargeRate: optional(quantity("Maximum charging power, W", { above: 0 })),
  takesTargetPower,
  extendedCapabilities: optional(FreeForm)
}).annotate({ identifier: "VehicleStatic", description: "Static properties of a vehicle" })

/** Static properties of a device of each type; free-form where the specification names no variant. */
export const staticStateSchemas = {
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
