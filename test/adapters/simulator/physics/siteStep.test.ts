import { readingSchemas } from "@edp/domain/devices/DeviceState"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import { readDevices, type SimulatedDevice } from "@edp/adapter-simulator/physics/devices"
import type { SiteState } from "@edp/adapter-simulator/physics/SiteState"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { Random } from "../../../support/Random.ts"
import {
  addEvent,
  giveCommand,
  type SimulatedSite,
  advanceTo,
  begin,
  home,
  HOUR,
  MINUTE,
  randomCommand,
  randomEvent,
  read
} from "./sites.ts"

const Seed = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
const few = { arbitrary: { runs: 12 } }

/** Calls back after each step of two days with random commands and events; `settled` has the settings of that step. */
const walk = (seed: number, visit: (site: SimulatedSite, before: SiteState, settled: SiteState) => void) => {
  const random = new Random(seed)
  const strategy = random.pick(["self_consumption", "time_of_use", "backup"] as const)
  const startsAt = home.startsAt + random.below(365) * 24 * HOUR
  let site = begin({
    seed,
    startsAt,
    battery: { ...home.battery, strategy, chargesFromGrid: random.chance(0.5), backupReserve: random.below(101) }
  })
  for (let minute = 0; minute < 2 * 1440; minute++) {
    const before = site.state
    const time = before.time + random.below(MINUTE)
    if (random.chance(0.02)) {
      const { deviceId, command } = randomCommand(random)
      site = giveCommand(site, deviceId, command, time).site
    } else if (random.chance(0.004)) {
      site = addEvent(site, randomEvent(random, time), time)
    }
    const settled = advanceTo(site, before.time + MINUTE - 1)
    site = advanceTo(settled, before.time + MINUTE)
    visit(site, before, settled.state)
  }
}

describe("a site with a device of each type, under any commands and events", () => {
  it.prop(
    "balances at its bus within 1 W at each step, and all meters of the grid agree",
    [Seed],
    ([seed]) =>
      walk(seed, (site) => {
        const { flows, vehicle } = site.state
        const battery = read(site, "battery").state
        const inverter = read(site, "inverter").state
        const meter = read(site, "meter").state
        expect(Math.abs(inverter.power + battery.chargeRate! + meter.power - battery.loadPower!)).toBeLessThan(1)
        const atHome = vehicle!.plug === "home" ? vehicle!.power : 0
        const used = flows.household + flows.thermostat + flows.waterHeater + atHome
        expect(battery.loadPower).toBe(used)
        expect([battery.gridPower, inverter.gridPower, inverter.loadPower]).toEqual([
          meter.power,
          meter.power,
          battery.loadPower
        ])
        expect(battery.gridStatus).toBe(meter.power > 0 ? "importing" : meter.power < 0 ? "exporting" : "idle")
      }),
    few
  )

  it.prop(
    "counts energies that agree with the powers and never decrease, but for a scripted reset",
    [Seed],
    ([seed]) => {
      let last: SimulatedSite | undefined
      walk(seed, (site, before) => {
        const { energy, flows, applied } = site.state
        for (const name of ["solar", "imported", "exported", "charged", "discharged"] as const)
          expect(energy[name]).toBeGreaterThanOrEqual(before.energy[name])
        expect(energy.imported - before.energy.imported - (energy.exported - before.energy.exported)).toBe(flows.grid)
        expect(energy.solar - before.energy.solar).toBe(flows.solar)
        if (last !== undefined) {
          const events = site.timeline.slice(last.state.applied, applied)
          const isReset = events.some(({ event }) => event.type === "counter_reset")
          const [now, then] = [read(site, "meter").state, read(last, "meter").state]
          if (!isReset) expect(now.importedEnergy).toBeGreaterThanOrEqual(then.importedEnergy!)
          if (!isReset) expect(now.exportedEnergy).toBeGreaterThanOrEqual(then.exportedEnergy!)
        }
        last = site
      })
    },
    few
  )

  it.prop(
    "keeps the battery and the vehicle within their capacity and rates, with the losses of their efficiency",
    [Seed],
    ([seed]) =>
      walk(seed, ({ profile, state }, before, settled) => {
        const battery = state.battery!
        const { capacity, maxChargeRate, maxDischargeRate, roundTripEfficiency } = profile.battery!
        expect(battery.charge).toBeGreaterThanOrEqual(0)
        expect(battery.charge).toBeLessThanOrEqual(capacity)
        expect(battery.power).toBeLessThanOrEqual(maxDischargeRate)
        expect(-battery.power).toBeLessThanOrEqual(maxChargeRate)
        const factor = battery.power > 0 ? 1 / Math.sqrt(roundTripEfficiency) : Math.sqrt(roundTripEfficiency)
        expect(battery.charge - before.battery!.charge).toBeCloseTo((-battery.power * factor) / 60, 6)
        const floor = (capacity * settled.battery!.settings.backupReserve) / 100
        if (battery.power > 0) expect(battery.charge).toBeGreaterThanOrEqual(floor - 1e-6)
        const vehicle = state.vehicle!
        expect(vehicle.charge).toBeGreaterThanOrEqual(0)
        expect(vehicle.charge).toBeLessThanOrEqual(profile.vehicle!.capacity)
        if (vehicle.plug === "home" && vehicle.power > 0) {
          expect(vehicle.charge).toBeLessThanOrEqual((profile.vehicle!.capacity * vehicle.chargeLimit) / 100 + 1e-6)
          expect(vehicle.current).toBeLessThanOrEqual(profile.charger!.maxCurrent)
        }
      }),
    few
  )

  const validate = (device: SimulatedDevice) => {
    const strict = { onExcessProperty: "error" } as const
    const schema: Schema.Codec<unknown, unknown> = readingSchemas[device.type]
    const staticSchema: Schema.Codec<unknown, unknown> = staticStateSchemas[device.type]
    expect(Schema.decodeUnknownSync(schema, strict)(device.state)).toEqual(device.state)
    expect(Schema.decodeUnknownSync(staticSchema, strict)(device.staticState)).toEqual(device.staticState)
  }

  it.prop(
    "reports states and static states in the form of the contract",
    [Seed],
    ([seed]) =>
      walk(seed, ({ profile, state }, before) => {
        if (state.time % (37 * MINUTE) !== 0) return
        const devices = readDevices(profile, state, before.energy)
        expect(devices.map(({ type }) => type).sort()).toEqual([
          "battery",
          "charger",
          "inverter",
          "meter",
          "thermostat",
          "vehicle",
          "water_heater"
        ])
        devices.forEach(validate)
      }),
    few
  )

  it("reports energies since a reading whose sum is the difference of the totals", () => {
    let site = begin()
    const first = site.state.energy
    let before = first
    const sums = { grid: 0, load: 0, generated: 0, consumed: 0 }
    for (let reading = 0; reading < 200; reading++) {
      site = advanceTo(site, site.state.time + 7 * MINUTE)
      for (const device of readDevices(site.profile, site.state, before)) {
        if (device.type === "inverter") sums.generated += device.state.generatedEnergy!
        if (device.type !== "battery") continue
        sums.grid += device.state.gridEnergy!
        sums.load += device.state.loadEnergy!
        sums.consumed += device.state.whConsumed!
      }
      before = site.state.energy
    }
    const total = (name: keyof typeof first) => (before[name] - first[name]) / 60
    expect(Math.abs(sums.grid - (total("imported") - total("exported")))).toBeLessThanOrEqual(1)
    expect(sums.load).toBeCloseTo(total("load"), 0)
    expect(sums.generated).toBeCloseTo(total("solar"), 0)
    expect(sums.consumed).toBeCloseTo(total("charged"), 0)
    expect(sums.generated).toBeGreaterThan(10_000)
  })

  it("leaves energies out where there is no earlier reading", () => {
    const battery = read(begin(), "battery").state
    expect(battery.whConsumed).toBeNull()
    expect(battery).not.toHaveProperty("gridEnergy")
    expect(read(begin(), "inverter").state).not.toHaveProperty("generatedEnergy")
  })
})
