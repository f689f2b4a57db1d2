import { readDevices } from "@edp/adapter-simulator/physics/devices"
import { solarPower } from "@edp/adapter-simulator/physics/inverter"
import { advance, beginSite } from "@edp/adapter-simulator/physics/simulate"
import { town } from "@edp/adapter-simulator/physics/town"
import { skyAt, sunAt } from "@edp/adapter-simulator/physics/weather"
import { describe, expect, it } from "@effect/vitest"
import { advanceTo, begin, home, HOUR, midnight, read } from "./sites.ts"

const homes = town(7, 60, midnight)

describe("a town", () => {
  it("is the same for the same seed, larger with more homes, and another for another seed", () => {
    expect(town(7, 60, midnight)).toEqual(homes)
    expect(town(7, 80, midnight).slice(0, 60)).toEqual(homes)
    expect(town(8, 60, midnight)).not.toEqual(homes)
    expect(JSON.parse(JSON.stringify(homes))).toEqual(homes)
  })

  it("has devices of each type, and every home at least one, each with an identifier of its own", () => {
    const devices = homes.map((profile) => readDevices(profile, beginSite(profile), null))
    const counts = Map.groupBy(devices.flat(), ({ type }) => type)
    for (const type of ["battery", "charger", "inverter", "meter", "thermostat", "vehicle", "water_heater"] as const)
      expect(counts.get(type)?.length, type).toBeGreaterThan(10)
    expect(devices.every((list) => list.length > 0)).toBe(true)
    const ids = devices.flat().map(({ identity }) => identity.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(homes.map(({ address }) => address.streetOne)).size).toBe(homes.length)
  })

  it("lives plausibly for two days: the homes balance, stay warm and have hot water", () => {
    for (const profile of homes) {
      const end = advance(profile, beginSite(profile), [], midnight + 48 * HOUR)
      const { solar, load, imported, exported, charged, discharged } = end.energy
      expect(solar + imported + discharged).toBe(load + exported + charged)
      const daily = load / 60 / 2
      expect(daily).toBeGreaterThan(3000)
      expect(daily).toBeLessThan(120_000)
      if (end.thermostat) expect(end.thermostat.temperature).toBeGreaterThan(55)
      if (end.thermostat) expect(end.thermostat.temperature).toBeLessThan(88)
      if (end.waterHeater) expect(end.waterHeater.temperature).toBeGreaterThan(75)
      if (end.waterHeater) expect(end.waterHeater.temperature).toBeLessThan(145)
    }
  })

  it("has one weather", () => {
    const noon = midnight + 12 * HOUR
    const covers = homes.map(({ climate, location }) => skyAt(climate, location, noon).cloudCover)
    expect(new Set(covers).size).toBe(1)
  })

  it("has its noon between 12 and 13:30 of America/Los_Angeles, in winter and in summer", () => {
    const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone: "America/Los_Angeles" })
    for (const day of [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)]) {
      const times = Array.from({ length: 144 }, (_, step) => day + (step * HOUR) / 6)
      const noon = times.reduce((best, time) =>
        sunAt(homes[0]!.location, time).up > sunAt(homes[0]!.location, best).up ? time : best
      )
      expect(clock.format(noon) >= "12:00" && clock.format(noon) <= "13:30", clock.format(noon)).toBe(true)
    }
  })
})

describe("the sun", () => {
  it("stands highest about noon, in the south of the northern half and in the north of the southern", () => {
    const noon = Date.UTC(2026, 2, 20, 12)
    const { up, south } = sunAt({ latitude: 40, longitude: 0 }, noon)
    // At an equinox the zenith angle at noon is the latitude.
    expect(up).toBeCloseTo(Math.cos((40 * Math.PI) / 180), 1)
    expect(south).toBeGreaterThan(0)
    expect(sunAt({ latitude: -40, longitude: 0 }, noon).south).toBeLessThan(0)
    expect(sunAt({ latitude: 40, longitude: 90 }, Date.UTC(2026, 2, 20, 6)).up).toBeCloseTo(up, 2)
  })

  it("gives no power at night and at most the rating by day, more in summer than in winter", () => {
    const site = (startsAt: number) => begin({ startsAt, inverter: { ...home.inverter, power: 3000 } })
    const dayEnergy = (startsAt: number) => advanceTo(site(startsAt), startsAt + 24 * HOUR).state.energy.solar / 60
    expect(dayEnergy(midnight)).toBeGreaterThan(dayEnergy(Date.UTC(2026, 11, 20, 8)))
    expect(read(begin(), "inverter").state.power).toBe(0)
    expect(read(begin(), "inverter").onlineStatus).toBe("online")
    const powers = Array.from({ length: 240 }, (_, index) =>
      solarPower({ ...home.inverter, power: 3000 }, skyAt(home.climate, home.location, midnight + (index * HOUR) / 10))
    )
    expect(Math.max(...powers)).toBe(3000)
    expect(Math.min(...powers)).toBe(0)
  })
})

describe("the water heater", () => {
  it("draws power after hot water was used, and brings the tank back to its target", () => {
    let site = begin()
    const readings = Array.from({ length: 24 * 6 }, (_, index) => {
      site = advanceTo(site, midnight + ((index + 1) * HOUR) / 6)
      return read(site, "water_heater").state
    })
    expect(new Set(readings.map(({ power }) => power))).toEqual(new Set([0, 450]))
    expect(Math.max(...readings.map(({ waterTemperature }) => waterTemperature))).toBeLessThan(126)
    expect(Math.min(...readings.map(({ availableHotWater }) => availableHotWater!))).toBeLessThan(80)
    expect(readings.every(({ targetTemperature }) => targetTemperature === 125)).toBe(true)
  })

  it("heats faster with its element, not at all when off, and keeps the tank tepid on vacation", () => {
    const after = (mode: "electric" | "high_demand" | "off" | "vacation", hours: number) =>
      advanceTo(begin({ waterHeater: { ...home.waterHeater, mode } }), midnight + hours * HOUR)
    expect(after("off", 48).state.waterHeater!.temperature).toBeLessThan(100)
    expect(after("vacation", 24 * 8).state.waterHeater!.temperature).toBeLessThan(110)
    expect(after("electric", 24).state.waterHeater!.temperature).toBeGreaterThan(112)
    expect(read(after("vacation", 1), "water_heater").state.operatingMode).toBe("vacation")
  })
})
