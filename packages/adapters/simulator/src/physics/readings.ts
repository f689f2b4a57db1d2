import type {
  BatteryReading,
  ChargerReading,
  InverterReading,
  MeterReading,
  ThermostatReading,
  VehicleReading,
  WaterHeaterReading
} from "@edp/domain/devices/DeviceState"
import type { BatteryProfile, BatteryState } from "./battery.ts"
import type { Fault } from "./faults.ts"
import { findFault } from "./faults.ts"
import type { InverterProfile } from "./inverter.ts"
import type { EnergyCounters, Flows, SiteState } from "./SiteState.ts"
import type { ThermostatState } from "./thermostat.ts"
import { reportedTargets } from "./thermostatCommands.ts"
import type { VehicleProfile, VehicleState } from "./vehicle.ts"
import { availableHotWater, type WaterHeaterProfile, type WaterHeaterState } from "./waterHeater.ts"

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

export const readBattery = (
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

export const readInverter = (
  profile: InverterProfile,
  { flows, energy, resetAt }: SiteState,
  before: EnergyCounters | null
): typeof InverterReading.Type => ({
  power: flows.solar,
  ...(before === null ? {} : { generatedEnergy: since(energy.solar, before.solar) }),
  lifetimeEnergyGenerated: toWh(energy.solar - resetAt.solar),
  ...(profile.metersGrid ? gridFields(flows, energy, before) : {})
})

export const readMeter = ({ flows, energy, resetAt }: SiteState): typeof MeterReading.Type => ({
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

export const readCharger = (vehicle: VehicleState | null): typeof ChargerReading.Type =>
  vehicle === null ? { chargingState: "idle", isPluggedIn: false } : plugFields(vehicle.plug === "home", vehicle)

export const readVehicle = (profile: VehicleProfile, vehicle: VehicleState): typeof VehicleReading.Type => ({
  chargePercentage: roundTo(2, (100 * vehicle.charge) / profile.capacity),
  range: roundTo(1, vehicle.charge / profile.whPerMile),
  chargeLimit: vehicle.chargeLimit,
  charge: roundTo(1, vehicle.charge),
  ...(vehicle.completedAt === null ? {} : { chargeCompletedAt: new Date(vehicle.completedAt).toISOString() }),
  ...plugFields(vehicle.plug !== "none", vehicle)
})

export const readThermostat = ({ temperature, settings, fanMode }: ThermostatState): typeof ThermostatReading.Type => ({
  ambientTemperature: roundTo(1, temperature),
  operatingMode: settings.mode,
  fanMode,
  ...reportedTargets(settings)
})

export const readWaterHeater = (
  profile: WaterHeaterProfile,
  state: WaterHeaterState
): typeof WaterHeaterReading.Type => ({
  waterTemperature: roundTo(1, state.temperature),
  operatingMode: profile.mode,
  targetTemperature: profile.targetTemperature,
  power: state.power,
  availableHotWater: availableHotWater(profile, state)
})
