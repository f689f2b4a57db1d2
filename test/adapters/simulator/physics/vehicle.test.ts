import type { DeviceCommand } from "@edp/adapter-simulator/physics/commands"
import { tripOnDay } from "@edp/adapter-simulator/physics/vehicle"
import { describe, expect, it } from "@effect/vitest"
import {
  type SimulatedSite,
  advanceBy,
  advanceTo,
  begin,
  give,
  happen,
  home,
  HOUR,
  midnight,
  MINUTE,
  order,
  read
} from "./sites.ts"

const start: DeviceCommand = { type: "vehicle:set-operating-mode", input: { operatingMode: "start-charging" } }
const stop: DeviceCommand = { type: "vehicle:set-operating-mode", input: { operatingMode: "stop-charging" } }
const stopCharger: DeviceCommand = { type: "charger:set-operating-mode", input: { operatingMode: "stop-charging" } }
const startCharger: DeviceCommand = { type: "charger:set-operating-mode", input: { operatingMode: "start-charging" } }
const limit = (chargeLimit: number): DeviceCommand => ({ type: "vehicle:set-charge-limit", input: { chargeLimit } })

const vehicle = (site: SimulatedSite) => read(site, "vehicle")
const charger = (site: SimulatedSite) => read(site, "charger").state

/** A time at which the vehicle of the site is where the test needs it. */
const findTime = (site: SimulatedSite, is: (site: SimulatedSite) => boolean): SimulatedSite => {
  let found = site
  for (let minute = 0; minute < 7 * 1440 && !is(found); minute++) found = advanceBy(found, MINUTE)
  expect(is(found)).toBe(true)
  return found
}

const away = (site: SimulatedSite) => findTime(site, ({ state }) => state.vehicle!.position === "away")

describe("charging at home", () => {
  it("draws the lower of both currents at the mains voltage, and charger and vehicle agree", () => {
    const site = advanceBy(begin(), 10 * MINUTE)
    const { chargerCurrent, chargerVoltage, chargerWattage } = charger(site)
    expect(chargerCurrent).toBe(40)
    expect(chargerWattage).toBe(Math.round(chargerVoltage! * 40))
    expect(chargerVoltage).toBe(read(site, "meter").state.voltage)
    expect(vehicle(site).state).toMatchObject(charger(site))
    expect(charger(site)).toMatchObject({ chargingState: "charging", isPluggedIn: true })
    expect(site.state.flows.vehicle).toBe(chargerWattage)
  })

  it("slows down above 80 %, ends at the limit and reports when", () => {
    const site = begin({ vehicle: { ...home.vehicle, initialPercentage: 70, chargeLimit: 95 } })
    const slow = findTime(site, (one) => vehicle(one).state.chargePercentage > 92)
    expect(charger(slow).chargerCurrent).toBeLessThan(30)
    expect(vehicle(slow).state).not.toHaveProperty("chargeCompletedAt")
    const full = findTime(slow, (one) => vehicle(one).state.chargingState === "idle")
    expect(vehicle(full).state.chargePercentage).toBeCloseTo(95, 1)
    expect(Date.parse(vehicle(full).state.chargeCompletedAt!)).toBeLessThanOrEqual(full.state.asOf)
    expect(charger(full)).toMatchObject({ isPluggedIn: true, chargingState: "idle", chargerWattage: 0 })
    expect(charger(full)).not.toHaveProperty("chargerVoltage")
  })

  it("waits for the window of the charger, and a start goes before it", () => {
    const site = begin({ charger: { ...home.charger, window: { from: 120, to: 180 } } })
    expect(charger(advanceBy(site, HOUR)).chargingState).toBe("idle")
    expect(charger(advanceBy(site, 2.5 * HOUR)).chargingState).toBe("charging")
    expect(charger(advanceBy(order(site, "charger", startCharger), MINUTE)).chargingState).toBe("charging")
  })

  it("uses a wall outlet where there is no charger, at half the voltage and 12 A", () => {
    const { charger: _, ...rest } = begin().profile
    const site = advanceBy({ ...begin(), profile: rest }, 5 * MINUTE)
    expect(vehicle(site).state.chargerCurrent).toBe(12)
    expect(vehicle(site).state.chargerWattage).toBeLessThan(1500)
  })

  it("leaves voltage, current and power out without a cable", () => {
    const state = vehicle(away(begin())).state
    expect(state.isPluggedIn).toBe(false)
    for (const name of ["chargerVoltage", "chargerCurrent", "chargerWattage"]) expect(state).not.toHaveProperty(name)
  })
})

describe("start and stop", () => {
  it("work on the one session from the charger and from the vehicle", () => {
    const stopped = advanceBy(order(advanceBy(begin(), MINUTE), "charger", stopCharger), MINUTE)
    expect([charger(stopped).chargingState, vehicle(stopped).state.chargingState]).toEqual(["idle", "idle"])
    expect(give(stopped, "vehicle", stop).result.reason).toBe("already_so")
    const started = advanceBy(order(stopped, "vehicle", start), MINUTE)
    expect([charger(started).chargingState, vehicle(started).state.chargingState]).toEqual(["charging", "charging"])
  })

  it("with an end return to the choice from before the first of them", () => {
    const stopped = order(begin(), "charger", { ...stopCharger, revertAfter: 1800 } as DeviceCommand)
    expect(read(stopped, "charger").forcedMode).toEqual({ mode: "stop-charging", until: midnight + 30 * MINUTE })
    const again = order(advanceBy(stopped, 20 * MINUTE), "vehicle", { ...stop, revertAfter: 3600 } as DeviceCommand)
    expect(charger(advanceBy(again, 59 * MINUTE)).chargingState).toBe("idle")
    const ended = advanceBy(again, HOUR + MINUTE)
    expect(charger(ended).chargingState).toBe("charging")
    expect(vehicle(ended).forcedMode).toBeNull()
  })

  it("with a power draw no more than that, until the choice from before returns with its own power", () => {
    const limited = (targetPowerW: number): DeviceCommand => ({
      type: "charger:set-operating-mode",
      input: { operatingMode: "start-charging", targetPowerW }
    })
    const slow = advanceBy(order(begin(), "charger", limited(3000)), MINUTE)
    expect(charger(slow)).toMatchObject({ chargingState: "charging", chargerWattage: 3000 })
    expect(charger(slow).chargerCurrent).toBeCloseTo(3000 / charger(slow).chargerVoltage!, 1)
    expect(give(slow, "charger", limited(3000)).result.reason).toBe("already_so")
    const slower = advanceBy(order(slow, "charger", { ...limited(2000), revertAfter: 1800 } as DeviceCommand), MINUTE)
    expect(charger(slower).chargerWattage).toBe(2000)
    expect(charger(advanceBy(slower, 30 * MINUTE)).chargerWattage).toBe(3000)
    expect(charger(advanceBy(order(slower, "vehicle", start), MINUTE)).chargerWattage).toBeGreaterThan(7000)
  })

  it("end with the session when the vehicle leaves", () => {
    const site = order(begin({ vehicle: { ...home.vehicle, commuteMiles: 120 } }), "charger", stopCharger)
    const back = findTime(away(site), ({ state }) => state.vehicle!.plug === "home")
    expect(charger(advanceBy(back, MINUTE)).chargingState).toBe("charging")
  })

  it("are already so for a stop without a cable", () => {
    const gone = away(begin())
    const forced = { ...stop, revertAfter: 1800 } as DeviceCommand
    for (const [device, command] of [
      ["charger", stopCharger],
      ["vehicle", stop],
      ["vehicle", forced]
    ] as const)
      expect(give(gone, device, command).result).toMatchObject({ status: "accepted", reason: "already_so" })
  })

  it("are refused without a cable for a start, and a start at the limit", () => {
    const gone = away(begin())
    expect(give(gone, "charger", startCharger).result.reason).toBe("precondition_not_plugged_in")
    expect(give(gone, "vehicle", start).result.reason).toBe("precondition_not_plugged_in")
    const full = begin({ vehicle: { ...home.vehicle, initialPercentage: 80 } })
    expect(give(full, "vehicle", start).result.reason).toBe("precondition_unmet")
  })

  it("are refused to the owner at a public charger", () => {
    const vehicleProfile = { ...home.vehicle, initialPercentage: 19, chargeLimit: 50 }
    const site = begin({ vehicle: vehicleProfile, charger: { ...home.charger, window: { from: 0, to: 0 } } })
    const fast = findTime(site, ({ state }) => state.vehicle!.plug === "public")
    expect(vehicle(fast).state).toMatchObject({ chargingState: "charging", isPluggedIn: true, chargerVoltage: 400 })
    expect(charger(fast).isPluggedIn).toBe(false)
    expect(fast.state.flows.vehicle).toBe(0)
    expect(give(fast, "vehicle", stop).result.reason).toBe("precondition_unmet")
  })
})

describe("vehicle:set-charge-limit", () => {
  it("moves the end of charging, and a limit below the charge ends it", () => {
    const site = advanceBy(order(begin(), "vehicle", limit(60)), 4 * HOUR)
    expect(vehicle(site).state.chargePercentage).toBeCloseTo(60, 1)
    expect(vehicle(site).state.chargeLimit).toBe(60)
    const low = begin({ vehicle: { ...home.vehicle, initialPercentage: 70 } })
    expect(charger(advanceBy(order(low, "vehicle", limit(50)), MINUTE)).chargingState).toBe("idle")
  })

  it("is already so with the same limit, and unsupported below 50 %", () => {
    expect(give(begin(), "vehicle", limit(80)).result.reason).toBe("already_so")
    expect(give(begin(), "vehicle", limit(49)).result.reason).toBe("unsupported_value")
  })
})

describe("pairing", () => {
  const check: DeviceCommand = { type: "vehicle:check-pairing-status", input: {} }
  const unpaired = () => begin({ vehicle: { ...home.vehicle, keyPaired: false } })

  it("is required for commands where the model needs a key, until the owner pairs one", () => {
    expect(give(unpaired(), "vehicle", check).result).toMatchObject({ output: { paired: false, required: true } })
    for (const command of [start, stop, limit(90)])
      expect(give(unpaired(), "vehicle", command).result.reason).toBe("pairing_required")
    expect(vehicle(unpaired()).staticState.keyPaired).toBe(false)
    const paired = happen(unpaired(), { type: "key_paired", deviceId: "vehicle" })
    expect(give(paired, "vehicle", check).result).toMatchObject({ output: { paired: true, required: true } })
    expect(give(paired, "vehicle", limit(90)).result.status).toBe("accepted")
    expect(vehicle(paired).staticState.keyPaired).toBe(true)
  })

  it("is not required of other models", () => {
    const site = begin({ vehicle: { ...home.vehicle, keyRequired: false, keyPaired: false } })
    expect(give(site, "vehicle", check).result).toMatchObject({ output: { paired: false, required: false } })
    expect(give(site, "vehicle", limit(90)).result.status).toBe("accepted")
    expect(vehicle(site).staticState.keyPaired).toBeNull()
  })

  it("can be lost by a scripted fault", () => {
    const fault = { kind: "key_not_paired" } as const
    const lost = happen(begin(), { type: "fault", deviceId: "vehicle", fault, until: midnight + HOUR })
    expect(give(lost, "vehicle", start).result.reason).toBe("pairing_required")
    expect(vehicle(lost).staticState.keyPaired).toBe(false)
    expect(give(advanceBy(lost, HOUR), "vehicle", start).result.status).toBe("accepted")
  })
})

describe("driving and sleeping", () => {
  it("takes the energy of the miles driven, and the range follows the charge", () => {
    const site = begin({ vehicle: { ...home.vehicle, initialPercentage: 80 } })
    const trip = tripOnDay(home.vehicle, home.seed, Math.floor((midnight - 8 * HOUR) / (24 * HOUR)), 3)!
    const before = vehicle(advanceTo(site, midnight + trip.leave * MINUTE)).state
    const gone = vehicle(advanceTo(site, midnight + trip.back * MINUTE - trip.minutes * MINUTE)).state
    expect(before.charge! - gone.charge!).toBeCloseTo(trip.miles * 280, 0)
    expect(before.range).toBeCloseTo(before.charge! / 280, 0)
  })

  it("is away from home in the meantime", () => {
    const site = away(begin())
    expect(vehicle(site).coordinates).not.toEqual(home.location)
    expect(vehicle(begin()).coordinates).toEqual(home.location)
  })

  it("sleeps after 20 idle minutes, with the state of that time, and a command wakes it in 30 s", () => {
    const site = begin({ vehicle: { ...home.vehicle, initialPercentage: 80 } })
    expect(vehicle(advanceBy(site, 18 * MINUTE)).onlineStatus).toBe("online")
    const asleep = advanceBy(site, 3 * HOUR)
    expect(vehicle(asleep).onlineStatus).toBe("asleep")
    expect(vehicle(asleep).observedAt).toBeLessThan(midnight + 21 * MINUTE)
    expect(vehicle(asleep).state).toEqual(vehicle(advanceBy(asleep, HOUR)).state)
    expect(give(asleep, "vehicle", { type: "vehicle:check-pairing-status", input: {} }).result.latencySeconds).toBe(0)
    const woken = give(asleep, "vehicle", limit(90))
    expect(woken.result).toMatchObject({ status: "accepted", latencySeconds: 30 })
    expect(vehicle(woken.site).onlineStatus).toBe("online")
    expect(vehicle(advanceBy(woken.site, MINUTE)).state.chargingState).toBe("charging")
  })

  it("never shows a vehicle that is not part of the account, which charges all the same", () => {
    const site = advanceBy(begin({ vehicle: { ...home.vehicle, device: null } }), MINUTE)
    expect(read(site, "vehicle")).toBeUndefined()
    expect(charger(site).chargingState).toBe("charging")
  })
})
