import type { SimulatedType } from "@edp/domain/accounts/Simulator"
import type {
  readingSchemas,
  BatteryReading,
  ChargerReading,
  InverterReading,
  MeterReading,
  ThermostatReading,
  VehicleReading,
  WaterHeaterReading
} from "@edp/domain/devices/DeviceState"
import type { OnlineStatus } from "@edp/domain/devices/DeviceType"
import type { staticStateSchemas } from "@edp/domain/devices/StaticState"
import type { Coordinates } from "@edp/domain/shared/Address"
import type { BatteryProfile, BatteryState } from "./battery.ts"
import { MIN_CURRENT, NOMINAL_VOLTAGE } from "./charging.ts"
import { type Fault, faultsInForce, findFault } from "./faults.ts"
import type { DeviceIdentity, SiteProfile } from "./SiteProfile.ts"
import type { EnergyCounters, SiteState, Flows } from "./SiteState.ts"
import type { ThermostatProfile, ThermostatState } from "./thermostat.ts"
import { asleepSince, chargeRates, type VehicleProfile, type VehicleState } from "./vehicle.ts"
import type { InverterProfile } from "./inverter.ts"
import { reportedTargets } from "./thermostatCommands.ts"
import { availableHotWater, type WaterHeaterProfile, type WaterHeaterState } from "./waterHeater.ts"

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

const roundTo = (digits: number, value: number): number => {
  const scale = 10 ** digits
  return Math.round(value * scale) / scale
}

const toWh = (wattMinutes: number): number => roundTo(2, wattMinutes / 60)

/** Differences of rounded totals, so that the energies of many readings add up to the totals. */
const since = (total: number, before: number): number => roundTo(2, toWh(total) - toWh(before))

const netWh = (energy: EnergyCounters) => Math.round((energy.imported - energy.exported) / 60)

/** The fields of a device that meters the grid connection; energies only if there is a reading before. */
const gridFields = ({ grid, load }: Flows, energy: EnergyCounters, before: EnergyCounters | null) => ({
  gridStatus: grid > 0 ? ("importing" as const) : grid < 0 ? ("exporting" as const) : ("idle" as const),
  gridPower: grid,
  loadPower: load,
  ...(before === null ? {} : { gridEnergy: netWh(energy) - netWh(before), loadEnergy: since(energy.load, before.load) })
})

const readBattery = (
  profile: BatteryProfile,
  battery: BatteryState,
  { flows, energy }: SiteState,
  before: EnergyCounters | null,
  faults: ReadonlyArray<Fault>
): typeof BatteryReading.Type => {
  const isStorm = profile.stormModeEnabled && findFault(faults, "storm_mode") !== undefined
  return {
    chargingState: battery.power < 0 ? "charging" : battery.power > 0 ? "discharging" : "idle",
    charge: roundTo(1, battery.charge),
    chargePercentage: roundTo(2, (100 * battery.charge) / profile.capacity),
    whConsumed: before === null ? null : since(energy.charged, before.charged),
    chargeRate: battery.power,
    backupReserve: isStorm ? 100 : battery.settings.backupReserve,
    isStormModeActive: isStorm,
    isStormModeEnabled: profile.stormModeEnabled,
    strategy: battery.settings.strategy,
    ...gridFields(flows, energy, before)
  }
}

const readInverter = (
  profile: InverterProfile,
  { flows, energy, resetAt }: SiteState,
  before: EnergyCounters | null
): typeof InverterReading.Type => ({
  power: flows.solar,
  ...(before === null ? {} : { generatedEnergy: since(energy.solar, before.solar) }),
  lifetimeEnergyGenerated: toWh(energy.solar - resetAt.solar),
  ...(profile.metersGrid ? gridFields(flows, energy, before) : {})
})

const readMeter = ({ flows, energy, resetAt }: SiteState): typeof MeterReading.Type => ({
  power: flows.grid,
  importedEnergy: toWh(energy.imported - resetAt.imported),
  exportedEnergy: toWh(energy.exported - resetAt.exported),
  voltage: flows.voltage,
  current: roundTo(2, Math.abs(flows.grid) / flows.voltage)
})

/** Without a cable there is no voltage, current and power to report; while nothing flows the voltage is not measured. */
const plugFields = (isPluggedIn: boolean, { power, voltage, current }: VehicleState) => ({
  chargingState: isPluggedIn && power > 0 ? ("charging" as const) : ("idle" as const),
  isPluggedIn,
  ...(isPluggedIn ? { chargerCurrent: current, chargerWattage: power } : {}),
  ...(isPluggedIn && power > 0 ? { chargerVoltage: voltage } : {})
})

const readCharger = (vehicle: VehicleState | null): typeof ChargerReading.Type =>
  vehicle === null ? { chargingState: "idle", isPluggedIn: false } : plugFields(vehicle.plug === "home", vehicle)

const readVehicle = (profile: VehicleProfile, vehicle: VehicleState): typeof VehicleReading.Type => ({
  chargePercentage: roundTo(2, (100 * vehicle.charge) / profile.capacity),
  range: roundTo(1, vehicle.charge / profile.whPerMile),
  chargeLimit: vehicle.chargeLimit,
  charge: roundTo(1, vehicle.charge),
  ...(vehicle.completedAt === null ? {} : { chargeCompletedAt: new Date(vehicle.completedAt).toISOString() }),
  ...plugFields(vehicle.plug !== "none", vehicle)
})

const readThermostat = ({ temperature, settings, fanMode }: ThermostatState): typeof ThermostatReading.Type => ({
  ambientTemperature: roundTo(1, temperature),
  operatingMode: settings.mode,
  fanMode,
  ...reportedTargets(settings)
})

const readWaterHeater = (profile: WaterHeaterProfile, state: WaterHeaterState): typeof WaterHeaterReading.Type => ({
  waterTemperature: roundTo(1, state.temperature),
  operatingMode: profile.mode,
  targetTemperature: profile.targetTemperature,
  power: state.power,
  availableHotWater: availableHotWater(profile, state)
})
