import { type BatteryState, initialBattery } from "./battery.ts"
import { floorToStep, localTime } from "./clock.ts"
import type { ScriptedFault } from "./faults.ts"
import type { SiteProfile } from "./SiteProfile.ts"
import { initialThermostat, type ThermostatState } from "./thermostat.ts"
import { initialVehicle, type VehicleState } from "./vehicle.ts"
import { initialWaterHeater, type WaterHeaterState } from "./waterHeater.ts"

/** Powers at the site's bus in the last step, whole W. solar + battery + grid = load holds exactly. */
export interface Flows {
  readonly solar: number
  /** Positive is discharging, negative is charging. */
  readonly battery: number
  /** Positive is import, negative is export. */
  readonly grid: number
  /** Everything that the home uses: the household, heating and cooling, hot water and the vehicle at home. */
  readonly load: number
  readonly household: number
  readonly thermostat: number
  readonly waterHeater: number
  readonly vehicle: number
  /** Mains voltage, V. */
  readonly voltage: number
  /** Outdoors, degrees Fahrenheit. */
  readonly outdoors: number
}

/** Energy since the start, watt-minutes: whole numbers that never decrease. */
export interface EnergyCounters {
  readonly solar: number
  readonly load: number
  readonly imported: number
  readonly exported: number
  /** At the bus, so before and after the losses of the battery. */
  readonly charged: number
  readonly discharged: number
  readonly vehicle: number
}

/** Values of the counters when a device last lost its own. */
export type ResetCounters = Pick<EnergyCounters, "solar" | "imported" | "exported">

/** The state of a site: JSON, so that it can be stored and the simulation goes on from it. */
export interface SiteState {
  /** End of the last step, milliseconds since 1970. */
  readonly time: number
  /** The commands and events up to here have taken effect; less than a step after `time`. */
  readonly asOf: number
  /** Number of entries of the timeline that have taken effect. */
  readonly applied: number
  readonly flows: Flows
  readonly energy: EnergyCounters
  readonly resetAt: ResetCounters
  readonly faults: ReadonlyArray<ScriptedFault>
  /** Null if the site has no such device. */
  readonly battery: BatteryState | null
  readonly thermostat: ThermostatState | null
  readonly waterHeater: WaterHeaterState | null
  readonly vehicle: VehicleState | null
}

const noFlows: Flows = {
  solar: 0,
  battery: 0,
  grid: 0,
  load: 0,
  household: 0,
  thermostat: 0,
  waterHeater: 0,
  vehicle: 0,
  voltage: 0,
  outdoors: 0
}

/** The state before the first step, which ends at the profile's start. */
export const initialSite = (profile: SiteProfile, time: number): SiteState => ({
  time: floorToStep(time),
  asOf: time,
  applied: 0,
  flows: noFlows,
  energy: { solar: 0, load: 0, imported: 0, exported: 0, charged: 0, discharged: 0, vehicle: 0 },
  resetAt: { solar: 0, imported: 0, exported: 0 },
  faults: [],
  battery: profile.battery === undefined ? null : initialBattery(profile.battery),
  thermostat:
    profile.thermostat === undefined
      ? null
      : initialThermostat(profile.thermostat, localTime(profile.utcOffsetMinutes, time)),
  waterHeater: profile.waterHeater === undefined ? null : initialWaterHeater(profile.waterHeater),
  vehicle: profile.vehicle === undefined ? null : initialVehicle(profile.vehicle, time)
})
