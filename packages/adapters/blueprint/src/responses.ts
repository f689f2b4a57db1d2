import { Schema } from "effect"
import type { DeviceObservation, DiscoveredDevice } from "@edp/adapter-kit/Account"
import { observe } from "@edp/adapter-kit/decoding/observation"
import { convertUnit } from "@edp/adapter-kit/decoding/units"

/** Only what is read here, in the manufacturer's units: kWh, kW positive for charging, percent. */
export const Systems = Schema.Struct({
  systems: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      model: Schema.String,
      serial: Schema.optionalKey(Schema.String),
      capacityKwh: Schema.Finite
    })
  )
})

export const Live = Schema.Struct({
  /** ISO 8601, of the measurement. */
  at: Schema.String,
  stateOfCharge: Schema.NullOr(Schema.Finite),
  batteryKw: Schema.NullOr(Schema.Finite),
  reserve: Schema.NullOr(Schema.Finite),
  /** Other words than these mean nothing here. */
  mode: Schema.String
})

type System = (typeof Systems.Type)["systems"][number]

const watts = (kilowatts: number | null) =>
  kilowatts === null ? undefined : (convertUnit(kilowatts, "kW", "W") ?? 0) * -1 + 0

const strategies: Readonly<Record<string, string>> = { self: "self_consumption", tariff: "time_of_use", keep: "backup" }

const staticState = ({ capacityKwh }: System) => ({ capacity: convertUnit(capacityKwh, "kWh", "Wh") })

export const discovered = (system: System): DiscoveredDevice => ({
  manufacturerDeviceId: system.id,
  type: "battery",
  name: system.name,
  model: system.model,
  serialNumber: system.serial ?? null,
  rawType: "system",
  rawModel: system.model,
  modelYear: null,
  staticState: staticState(system),
  commands: ["battery:set-reserve"],
  incompatible: null
})

/** A reading in the contract's units and signs. A value that is null is absent, never 0. */
export const observed = (system: System, live: typeof Live.Type): DeviceObservation => {
  const power = watts(live.batteryKw)
  const strategy = Object.hasOwn(strategies, live.mode) ? strategies[live.mode] : undefined
  const { missing, problems, state, ...seen } = observe(
    "battery",
    {
      chargePercentage: live.stateOfCharge ?? undefined,
      chargeRate: power,
      chargingState: power === undefined ? undefined : power < 0 ? "charging" : power > 0 ? "discharging" : "idle",
      backupReserve: live.reserve ?? undefined,
      strategy
    },
    staticState(system),
    strategy === undefined ? [`The mode ${JSON.stringify(live.mode)} is not known`] : []
  )
  return {
    manufacturerDeviceId: system.id,
    observedAt: Date.parse(live.at),
    state: missing.length === 0 ? state : null,
    asleep: false,
    coordinates: null,
    staticState: seen.staticState,
    commands: null,
    interventions: [],
    problems
  }
}
