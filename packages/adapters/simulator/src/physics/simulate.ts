import { applyCommand, type DeviceCommand } from "./commands.ts"
import { type SessionChoice, expireSession } from "./charging.ts"
import { floorToStep, STEP_MS, isWithin, type LocalTime, localTime } from "./clock.ts"
import { endFaults, type Fault, type FaultKind, isStorm, pruneFaults } from "./faults.ts"
import type { SiteProfile } from "./SiteProfile.ts"
import { initialSite, type SiteState, type EnergyCounters, type Flows } from "./SiteState.ts"
import { stepBattery } from "./battery.ts"
import { expireBattery } from "./batteryCommands.ts"
import { householdPower, mainsVoltage } from "./household.ts"
import { solarPower } from "./inverter.ts"
import { stepThermostat } from "./thermostat.ts"
import { expireThermostat } from "./thermostatCommands.ts"
import { stepVehicle } from "./vehicle.ts"
import { stepWaterHeater } from "./waterHeater.ts"
import { skyAt } from "./weather.ts"

/** Ends the forced modes and faults whose time is over at the beginning of the step. */
const expire = (profile: SiteProfile, state: SiteState): SiteState => {
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
const stepSite = (profile: SiteProfile, state: SiteState): SiteState => {
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

/** An occurrence at a site that its seed does not determine. A null device stands for every device of the site. */
export type SiteEvent =
  | { readonly type: "command"; readonly deviceId: string; readonly command: DeviceCommand }
  | { readonly type: "fault"; readonly deviceId: string | null; readonly fault: Fault; readonly until: number | null }
  | { readonly type: "fault_ended"; readonly deviceId: string | null; readonly kind: FaultKind }
  /** The lifetime counters of the device begin at 0 again. */
  | { readonly type: "counter_reset"; readonly deviceId: string | null }
  /** The owner pairs a key with the vehicle. */
  | { readonly type: "key_paired"; readonly deviceId: string | null }
  /** The choice from before a forced charging mode returns; without a cable there is none to restore. */
  | { readonly type: "session_restored"; readonly choice: SessionChoice; readonly power?: number }

export interface TimelineEntry {
  /** Milliseconds since 1970. It takes effect with the step that contains it. */
  readonly at: number
  readonly event: SiteEvent
}

/** Commands and scripted events in the order of their times. */
export type Timeline = ReadonlyArray<TimelineEntry>

const resetCounters = (profile: SiteProfile, { energy, resetAt }: SiteState, deviceId: string | null) => {
  const concerns = (id: string | undefined) => id !== undefined && (deviceId === null || deviceId === id)
  return {
    solar: concerns(profile.inverter?.device.id) ? energy.solar : resetAt.solar,
    imported: concerns(profile.meter?.device.id) ? energy.imported : resetAt.imported,
    exported: concerns(profile.meter?.device.id) ? energy.exported : resetAt.exported
  }
}

const applyEvent = (profile: SiteProfile, state: SiteState, { at, event }: TimelineEntry): SiteState => {
  switch (event.type) {
    case "command":
      return applyCommand(profile, state, event.deviceId, event.command, at).state
    case "fault": {
      const { fault, deviceId, until } = event
      return { ...state, faults: [...state.faults, { fault, deviceId, from: at, until }] }
    }
    case "fault_ended":
      return { ...state, faults: endFaults(state.faults, event.kind, event.deviceId) }
    case "counter_reset":
      return { ...state, resetAt: resetCounters(profile, state, event.deviceId) }
    case "session_restored": {
      const { vehicle } = state
      if (vehicle?.plug !== "home") return state
      const { type: _, ...choice } = event
      return { ...state, vehicle: { ...vehicle, session: { ...choice, revert: null } } }
    }
    case "key_paired": {
      const isNamed = event.deviceId === null || event.deviceId === profile.vehicle?.device?.id
      const faults = endFaults(state.faults, "key_not_paired", event.deviceId)
      return isNamed && state.vehicle ? { ...state, faults, vehicle: { ...state.vehicle, keyPaired: true } } : state
    }
  }
}

/** The first state, at the profile's start. One step before it has given every device its power. */
export const beginSite = (profile: SiteProfile): SiteState =>
  stepSite(profile, initialSite(profile, floorToStep(profile.startsAt) - STEP_MS))

/** Applies the entries that are not later than `last`. */
const applyUntil = (profile: SiteProfile, state: SiteState, timeline: Timeline, last: number): SiteState => {
  let next = state
  while (next.applied < timeline.length && timeline[next.applied]!.at <= last) {
    next = { ...applyEvent(profile, next, timeline[next.applied]!), applied: next.applied + 1 }
  }
  return next
}

/**
 * Advances a site. The result depends on the profile, the timeline and `to` alone: advancing in several calls, or from a
 * stored state, gives the same bits. Time never goes back: a `to` before the state's returns the state.
 */
export const advance = (profile: SiteProfile, from: SiteState, timeline: Timeline, to: number): SiteState => {
  if (to < from.asOf) return from
  let state = from
  const end = floorToStep(to)
  while (state.time < end) {
    state = applyUntil(profile, expire(profile, state), timeline, state.time + STEP_MS - 1)
    state = stepSite(profile, state)
  }
  return { ...applyUntil(profile, expire(profile, state), timeline, to), asOf: to }
}
