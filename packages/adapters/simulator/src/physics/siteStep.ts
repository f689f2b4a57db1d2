import { stepBattery } from "./battery.ts"
import { expireBattery } from "./batteryCommands.ts"
import { expireSession } from "./charging.ts"
import { isWithin, type LocalTime, localTime, STEP_MS } from "./clock.ts"
import { isStorm, pruneFaults } from "./faults.ts"
import { householdPower, mainsVoltage } from "./household.ts"
import { solarPower } from "./inverter.ts"
import type { SiteProfile } from "./SiteProfile.ts"
import type { EnergyCounters, Flows, SiteState } from "./SiteState.ts"
import { stepThermostat } from "./thermostat.ts"
import { expireThermostat } from "./thermostatCommands.ts"
import { stepVehicle } from "./vehicle.ts"
import { stepWaterHeater } from "./waterHeater.ts"
import { skyAt } from "./weather.ts"

/** Ends the forced modes and faults whose time is over at the beginning of the step. */
export const expire = (profile: SiteProfile, state: SiteState): SiteState => {
  const { time } = state
  const { thermostat } = profile
  return {
    ...state,
    faults: pruneFaults(state.faults, time),
    battery: state.battery && expireBattery(state.battery, time),
    vehicle: state.vehicle && { ...state.vehicle, session: expireSession(state.vehicle.session, time) },
    thermostat: state.thermostat && thermostat ? expireThermostat(thermostat, state.thermostat, time) : state.thermostat
  }
}

const priceAt = ({ tariff }: SiteProfile, { minute }: LocalTime) =>
  isWithin(tariff.peak, minute) ? "peak" : isWithin(tariff.offPeak, minute) ? "offPeak" : "middle"

const count = (energy: EnergyCounters, flows: Flows): EnergyCounters => ({
  solar: energy.solar + flows.solar,
  load: energy.load + flows.load,
  imported: energy.imported + Math.max(0, flows.grid),
  exported: energy.exported + Math.max(0, -flows.grid),
  charged: energy.charged + Math.max(0, -flows.battery),
  discharged: energy.discharged + Math.max(0, flows.battery),
  vehicle: energy.vehicle + flows.vehicle
})

/**
 * One step of 60 s from `state.time`, with everything that acts on the bus: the sun, the household, the house, hot water
 * and the vehicle first, then the battery on what they leave, and the grid takes the rest.
 */
export const stepSite = (profile: SiteProfile, state: SiteState): SiteState => {
  const { time, faults } = state
  const { seed } = profile
  const local = localTime(profile.utcOffsetMinutes, time)
  const sky = skyAt(profile.climate, profile.location, time + STEP_MS / 2)
  const voltage = mainsVoltage(seed, local)
  const solar = profile.inverter === undefined ? 0 : solarPower(profile.inverter, sky)
  const household = householdPower(profile.household, seed, local)
  const thermostat =
    profile.thermostat && state.thermostat
      ? stepThermostat(profile.thermostat, state.thermostat, {
          local,
          outdoors: sky.temperature,
          irradiance: sky.global,
          householdPower: household
        })
      : null
  const waterHeater =
    profile.waterHeater && state.waterHeater
      ? stepWaterHeater(profile.waterHeater, state.waterHeater, seed, local)
      : null
  const vehicle =
    profile.vehicle && state.vehicle
      ? stepVehicle(profile.vehicle, state.vehicle, { seed, local, time, voltage, charger: profile.charger ?? null })
      : null
  const vehiclePower = vehicle?.plug === "home" ? vehicle.power : 0
  const load = household + (thermostat?.power ?? 0) + (waterHeater?.power ?? 0) + vehiclePower
  const battery =
    profile.battery && state.battery
      ? stepBattery(profile.battery, state.battery, {
          net: load - solar,
          isStorm: profile.battery.stormModeEnabled && isStorm(faults, profile.battery.device.id),
          price: priceAt(profile, local)
        })
      : null
  const batteryPower = battery?.power ?? 0
  const flows: Flows = {
    solar,
    battery: batteryPower,
    grid: load - solar - batteryPower,
    load,
    household,
    thermostat: thermostat?.power ?? 0,
    waterHeater: waterHeater?.power ?? 0,
    vehicle: vehiclePower,
    voltage,
    outdoors: sky.temperature
  }
  return {
    time: time + STEP_MS,
    asOf: time + STEP_MS,
    applied: state.applied,
    flows,
    energy: count(state.energy, flows),
    resetAt: state.resetAt,
    faults,
    battery,
    thermostat,
    waterHeater,
    vehicle
  }
}
