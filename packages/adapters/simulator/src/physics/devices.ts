import type { SimulatedType } from "@edp/domain/accounts/Simulator"
import type { readingSchemas } from "@edp/domain/devices/DeviceState"
import type { OnlineStatus } from "@edp/domain/devices/DeviceType"
import type { staticStateSchemas } from "@edp/domain/devices/StaticState"
import type { Coordinates } from "@edp/domain/shared/Address"
import type { BatteryProfile } from "./battery.ts"
import { MIN_CURRENT, NOMINAL_VOLTAGE } from "./charging.ts"
import { type Fault, faultsInForce, findFault } from "./faults.ts"
import {
  readBattery,
  readCharger,
  readInverter,
  readMeter,
  readThermostat,
  readVehicle,
  readWaterHeater
} from "./readings.ts"
import type { DeviceIdentity, SiteProfile } from "./SiteProfile.ts"
import type { EnergyCounters, SiteState } from "./SiteState.ts"
import type { ThermostatProfile } from "./thermostat.ts"
import { asleepSince, chargeRates } from "./vehicle.ts"

/** A device of a site at an instant, in the platform's units and signs. */
export type SimulatedDevice = {
  readonly [Type in SimulatedType]: {
    readonly type: Type
    readonly identity: DeviceIdentity
    /** The physics' truth, also while the device is offline; faults in force say how much of it arrives. */
    readonly state: (typeof readingSchemas)[Type]["Type"]
    readonly staticState: (typeof staticStateSchemas)[Type]["Type"]
    readonly onlineStatus: OnlineStatus
    /** Time of the state, milliseconds since 1970: of a sleeping vehicle, the time at which it fell asleep. */
    readonly observedAt: number
    /** A mode that was forced by a command and the step at which it ends; null if none holds. */
    readonly forcedMode: ForcedMode | null
    /** Position of a vehicle; null for the other devices, which are at the site. */
    readonly coordinates: Coordinates | null
    readonly faults: ReadonlyArray<Fault>
  }
}[SimulatedType]

export interface ForcedMode {
  readonly mode: string
  /** Null: until it is reset. */
  readonly until: number | null
}

const batteryStatic = (profile: BatteryProfile) => ({
  capacity: profile.capacity,
  maxChargeRate: profile.maxChargeRate,
  maxDischargeRate: profile.maxDischargeRate,
  numberOfBatteries: profile.numberOfBatteries,
  takesTargetPower: true
})

const thermostatStatic = (profile: ThermostatProfile) => ({
  allowedModes: profile.allowedModes,
  allowedFanModes: profile.allowedFanModes,
  minHeatSetpoint: profile.minHeatSetpoint,
  maxHeatSetpoint: profile.maxHeatSetpoint,
  minCoolSetpoint: profile.minCoolSetpoint,
  maxCoolSetpoint: profile.maxCoolSetpoint,
  extendedCapabilities: { hasSchedule: profile.schedule.length > 0 }
})

/** About 8 km north of home. */
const AWAY_DEGREES = 0.07
const LITRES_PER_GALLON = 3.785

const locateVehicle = ({ location }: SiteProfile, { vehicle }: SiteState): Coordinates => ({
  latitude: location.latitude + (vehicle?.position === "home" ? 0 : AWAY_DEGREES),
  longitude: location.longitude
})

const sessionMode = ({ vehicle }: SiteState): ForcedMode | null => {
  const revert = vehicle?.session.revert
  if (vehicle === null || revert === null || revert === undefined) return null
  return { mode: vehicle.session.choice === "started" ? "start-charging" : "stop-charging", until: revert.until }
}

const batteryMode = ({ battery }: SiteState): ForcedMode | null =>
  battery?.forced ? { mode: battery.forced.mode, until: battery.forced.until } : null

const thermostatMode = ({ thermostat }: SiteState): ForcedMode | null =>
  thermostat?.revert ? { mode: thermostat.settings.mode, until: thermostat.revert.until } : null

/**
 * The devices of a site, each with its state. Energies since the previous reading are the differences to the counters
 * `before`; without them they are null or absent.
 */
export const readDevices = (
  profile: SiteProfile,
  state: SiteState,
  before: EnergyCounters | null
): ReadonlyArray<SimulatedDevice> => {
  const devices: Array<SimulatedDevice> = []
  const common = (identity: DeviceIdentity) => {
    const faults = faultsInForce(state.faults, identity.id, state.asOf)
    const onlineStatus: OnlineStatus = findFault(faults, "offline") === undefined ? "online" : "offline"
    return { identity, faults, onlineStatus, observedAt: state.asOf, forcedMode: null, coordinates: null }
  }
  if (profile.inverter)
    devices.push({
      ...common(profile.inverter.device),
      type: "inverter",
      state: readInverter(profile.inverter, state, before),
      staticState: { power: profile.inverter.power }
    })
  if (profile.battery && state.battery) {
    const shared = common(profile.battery.device)
    devices.push({
      ...shared,
      type: "battery",
      state: readBattery(profile.battery, state.battery, state, before, shared.faults),
      staticState: batteryStatic(profile.battery),
      forcedMode: batteryMode(state)
    })
  }
  if (profile.meter)
    devices.push({
      ...common(profile.meter.device),
      type: "meter",
      state: readMeter(state),
      staticState: { phases: 1 }
    })
  if (profile.charger)
    devices.push({
      ...common(profile.charger.device),
      type: "charger",
      state: readCharger(state.vehicle),
      staticState: {
        maxCurrent: profile.charger.maxCurrent,
        minPower: MIN_CURRENT * NOMINAL_VOLTAGE,
        maxPower: profile.charger.maxCurrent * NOMINAL_VOLTAGE,
        takesTargetPower: true
      },
      forcedMode: sessionMode(state)
    })
  if (profile.vehicle?.device && state.vehicle) {
    const shared = common(profile.vehicle.device)
    const asleep = asleepSince(state.vehicle, state.asOf)
    const keyPaired = state.vehicle.keyPaired && findFault(shared.faults, "key_not_paired") === undefined
    devices.push({
      ...shared,
      type: "vehicle",
      state: readVehicle(profile.vehicle, state.vehicle),
      staticState: {
        capacity: profile.vehicle.capacity,
        keyPaired: profile.vehicle.keyRequired ? keyPaired : null,
        ...chargeRates(profile.vehicle, profile.charger ?? null),
        takesTargetPower: true
      },
      onlineStatus: shared.onlineStatus === "online" && asleep !== null ? "asleep" : shared.onlineStatus,
      observedAt: asleep ?? shared.observedAt,
      forcedMode: sessionMode(state),
      coordinates: locateVehicle(profile, state)
    })
  }
  if (profile.thermostat && state.thermostat)
    devices.push({
      ...common(profile.thermostat.device),
      type: "thermostat",
      state: readThermostat(state.thermostat),
      staticState: thermostatStatic(profile.thermostat),
      forcedMode: thermostatMode(state)
    })
  if (profile.waterHeater && state.waterHeater)
    devices.push({
      ...common(profile.waterHeater.device),
      type: "water_heater",
      state: readWaterHeater(profile.waterHeater, state.waterHeater),
      staticState: { tankGallons: Math.round(profile.waterHeater.volume / LITRES_PER_GALLON) }
    })
  return devices
}
