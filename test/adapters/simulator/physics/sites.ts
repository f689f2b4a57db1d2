import { applyCommand, type CommandResult, type DeviceCommand } from "@edp/adapter-simulator/physics/commands"
import type { SimulatedType } from "@edp/domain/accounts/Simulator"
import { readDevices, type SimulatedDevice } from "@edp/adapter-simulator/physics/devices"
import { advance, beginSite, type SiteEvent, type Timeline } from "@edp/adapter-simulator/physics/simulate"
import type { SiteState } from "@edp/adapter-simulator/physics/SiteState"
import type { DeviceIdentity, SiteProfile } from "@edp/adapter-simulator/physics/SiteProfile"
import type { Random } from "../../../support/Random.ts"

/** The state at any instant, computed from the start; before the start, the first state. */
export const stateAt = (profile: SiteProfile, timeline: Timeline, time: number): SiteState =>
  advance(profile, beginSite(profile), timeline, time)

/** A site in progress. */
export interface SimulatedSite {
  readonly profile: SiteProfile
  readonly timeline: Timeline
  readonly state: SiteState
}

/** Advances the site and adds an event at that time, before the events that the script has for later. */
export const addEvent = (site: SimulatedSite, event: SiteEvent, time: number): SimulatedSite => {
  const before = advance(site.profile, site.state, site.timeline, time)
  const entry = { at: before.asOf, event }
  const timeline = [...site.timeline.slice(0, before.applied), entry, ...site.timeline.slice(before.applied)]
  return { profile: site.profile, timeline, state: advance(site.profile, before, timeline, before.asOf) }
}

/** Advances the site to the time of a command and gives it to a device. The command is on the timeline even if refused. */
export const giveCommand = (
  site: SimulatedSite,
  deviceId: string,
  command: DeviceCommand,
  time: number
): { readonly site: SimulatedSite; readonly result: CommandResult } => {
  const before = advance(site.profile, site.state, site.timeline, time)
  const { result } = applyCommand(site.profile, before, deviceId, command, before.asOf)
  return { site: addEvent({ ...site, state: before }, { type: "command", deviceId, command }, time), result }
}

export const MINUTE = 60_000
export const HOUR = 3_600_000

/** Midnight of a Wednesday at the sites. */
export const midnight = Date.UTC(2026, 5, 17, 8)

const device = (id: string): { readonly device: DeviceIdentity } => ({
  device: { id, name: id, serialNumber: `SIM-${id}` }
})

/** A home with a device of each type. */
export const home = {
  id: "home",
  name: "Home",
  address: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" },
  seed: 5,
  location: { latitude: 38.58, longitude: -121.49 },
  utcOffsetMinutes: -480,
  startsAt: midnight,
  climate: { seed: 3, meanTemperature: 62, seasonalSwing: 14, dailySwing: 13, cloudiness: 0.2 },
  household: { basePower: 300, activity: 1 },
  tariff: { offPeak: { from: 0, to: 360 }, peak: { from: 960, to: 1260 } },
  inverter: { ...device("inverter"), power: 5000, panelPower: 6000, tilt: 20, azimuth: 10, metersGrid: true },
  battery: {
    ...device("battery"),
    capacity: 10_000,
    maxChargeRate: 5000,
    maxDischargeRate: 4000,
    numberOfBatteries: 1,
    roundTripEfficiency: 0.9,
    chargesFromGrid: false,
    stormModeEnabled: true,
    strategy: "self_consumption",
    backupReserve: 20,
    initialPercentage: 50
  },
  meter: device("meter"),
  thermostat: {
    ...device("thermostat"),
    allowedModes: ["heat", "cool", "auto", "eco", "off"],
    allowedFanModes: ["auto", "on", "circulate"],
    minHeatSetpoint: 45,
    maxHeatSetpoint: 85,
    minCoolSetpoint: 60,
    maxCoolSetpoint: 95,
    mode: "auto",
    fanMode: "auto",
    schedule: [
      { minute: 360, heatTarget: 68, coolTarget: 76 },
      { minute: 1320, heatTarget: 64, coolTarget: 79 }
    ],
    power: 2600,
    heatingPerformance: 3,
    coolingPerformance: 3.4,
    heatLoss: 140,
    heatCapacity: 2800,
    windowArea: 6
  },
  waterHeater: {
    ...device("water-heater"),
    volume: 189,
    mode: "heat_pump",
    targetTemperature: 125,
    elementPower: 4500,
    heatPumpPower: 450,
    performance: 3.2,
    heatLoss: 1.6
  },
  charger: { ...device("charger"), maxCurrent: 40, window: null },
  vehicle: {
    ...device("vehicle"),
    capacity: 75_000,
    whPerMile: 280,
    maxCurrent: 48,
    commuteMiles: 40,
    initialPercentage: 40,
    chargeLimit: 80,
    keyRequired: true,
    keyPaired: true
  }
} satisfies SiteProfile

/** A site at its start, with the given changes to the profile. */
export const begin = (changes: Partial<SiteProfile> = {}, timeline: Timeline = []): SimulatedSite => {
  const profile: SiteProfile = { ...home, ...changes }
  return { profile, timeline, state: beginSite(profile) }
}

export const advanceTo = (site: SimulatedSite, time: number): SimulatedSite => ({
  ...site,
  state: advance(site.profile, site.state, site.timeline, time)
})

export const advanceBy = (site: SimulatedSite, duration: number): SimulatedSite =>
  advanceTo(site, site.state.asOf + duration)

/** Gives a command at the time of the site. */
export const give = (site: SimulatedSite, deviceId: string, command: DeviceCommand) =>
  giveCommand(site, deviceId, command, site.state.asOf)

/** Gives a command that must be accepted. */
export const order = (site: SimulatedSite, deviceId: string, command: DeviceCommand): SimulatedSite => {
  const given = give(site, deviceId, command)
  if (given.result.status === "refused") throw new Error(`${command.type} was refused: ${given.result.reason}`)
  return given.site
}

export const happen = (site: SimulatedSite, event: SiteEvent): SimulatedSite => addEvent(site, event, site.state.asOf)

/** The device of a type; the site must have it. */
export const read = <T extends SimulatedType>(
  { profile, state }: SimulatedSite,
  type: T
): Extract<SimulatedDevice, { type: T }> =>
  readDevices(profile, state, null).find((one): one is Extract<SimulatedDevice, { type: T }> => one.type === type)!

/** A command with a random input, which the device may refuse, and its device. */
export const randomCommand = (random: Random): { readonly deviceId: string; readonly command: DeviceCommand } => {
  const percent = () => random.below(101)
  const end = random.chance(0.5) ? { revertAfter: 60 + random.below(7200) } : {}
  const charging = { operatingMode: random.pick(["start-charging", "stop-charging"] as const) }
  const commands: ReadonlyArray<DeviceCommand> = [
    { type: "battery:set-reserve", input: { chargePercentage: percent() } },
    {
      type: "battery:set-operating-mode",
      input: {
        operatingMode: random.pick(["charge", "discharge", "idle", "reset"] as const),
        enableGridInteraction: random.chance(0.5),
        ...(random.chance(0.5) ? { minimumBatteryReserve: percent() } : {}),
        ...(random.chance(0.5) ? { maximumBatteryReserve: percent() } : {})
      },
      ...end
    },
    { type: "charger:set-operating-mode", input: charging, ...end },
    { type: "vehicle:set-operating-mode", input: charging, ...end },
    { type: "vehicle:set-charge-limit", input: { chargeLimit: percent() } },
    { type: "vehicle:check-pairing-status", input: {} },
    {
      type: "thermostat:set-operating-mode",
      input: {
        operatingMode: random.pick(["heat", "cool", "auto", "eco", "off"] as const),
        heatTarget: 55 + random.below(20),
        coolTarget: 68 + random.below(20)
      },
      ...end
    },
    { type: "thermostat:set-fan-mode", input: { fanMode: random.pick(["auto", "on", "circulate", "off"] as const) } },
    { type: "thermostat:pause-schedule", input: {} },
    { type: "thermostat:resume-schedule", input: {} }
  ]
  const command = random.pick(commands)
  return { deviceId: command.type.split(":")[0]!, command }
}

/** An event that no command causes. */
export const randomEvent = (random: Random, time: number): SiteEvent => {
  const until = random.chance(0.7) ? time + random.below(4 * HOUR) : null
  return random.pick<SiteEvent>([
    { type: "fault", deviceId: null, fault: { kind: "storm_mode" }, until },
    { type: "fault_ended", deviceId: null, kind: "storm_mode" },
    { type: "fault", deviceId: "vehicle", fault: { kind: "key_not_paired" }, until },
    { type: "fault", deviceId: "battery", fault: { kind: "offline" }, until: time + 30 * MINUTE },
    { type: "counter_reset", deviceId: random.pick(["meter", "inverter"]) },
    { type: "key_paired", deviceId: "vehicle" }
  ])
}
