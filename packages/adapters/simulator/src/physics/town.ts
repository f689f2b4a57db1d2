import type { BatteryStrategy } from "./battery.ts"
import { happens, hash, normal, pick, uniform } from "./random.ts"
import type { DeviceIdentity, SiteProfile } from "./SiteProfile.ts"
import type { SchedulePeriod } from "./thermostat.ts"
import type { WaterHeaterMode } from "./waterHeater.ts"
import type { Climate } from "./weather.ts"

const streams = { street: 51, spot: 52, size: 53, has: 54, ratings: 55, habits: 56, serial: 57, comfort: 58, car: 59 }

/** The town lies in the Central Valley of California: hot summers, mild winters with grey weeks, sun in most of the year. */
const CENTRE = { latitude: 38.5449, longitude: -121.7405 }
const TOWN = { city: "Davis", state: "CA", postalCode: "95616", country: "USA" }
const UTC_OFFSET_MINUTES = -480
const STREETS = ["Alder Street", "Birch Lane", "Cedar Court", "Dogwood Avenue", "Elm Drive", "Fig Way"] as const

const makeClimate = (seed: number): Climate => ({
  seed,
  meanTemperature: 62,
  seasonalSwing: 14,
  dailySwing: 13,
  cloudiness: 0.22
})

const schedule = (comfort: number): ReadonlyArray<SchedulePeriod> => [
  { minute: 360, heatTarget: 68 + comfort, coolTarget: 76 + comfort },
  { minute: 510, heatTarget: 63 + comfort, coolTarget: 80 + comfort },
  { minute: 1020, heatTarget: 69 + comfort, coolTarget: 75 + comfort },
  { minute: 1350, heatTarget: 63 + comfort, coolTarget: 78 + comfort }
]

const usualThermostat = {
  allowedModes: ["heat", "cool", "auto", "eco", "off"],
  allowedFanModes: ["auto", "on", "circulate"],
  minHeatSetpoint: 45,
  maxHeatSetpoint: 85,
  minCoolSetpoint: 60,
  maxCoolSetpoint: 95,
  fanMode: "auto",
  heatingPerformance: 3,
  coolingPerformance: 3.4
} as const

/** Draws of one home; `key` keeps the properties of a kind apart. */
const drawsFor = (seed: number, home: number) => {
  const index = (key: number) => home * 64 + key
  return {
    below: (stream: number, key: number, limit: number) => Math.floor(uniform(seed, stream, index(key)) * limit),
    between: (stream: number, key: number, from: number, to: number) =>
      from + (to - from) * uniform(seed, stream, index(key)),
    near: (stream: number, key: number, mean: number, deviation: number) =>
      mean + deviation * normal(seed, stream, index(key)),
    chance: (key: number, probability: number) => happens(probability, seed, streams.has, index(key)),
    pick: <A>(stream: number, key: number, values: readonly [A, ...Array<A>]) => pick(values, seed, stream, index(key)),
    serial: (key: number) => hash(seed, streams.serial, index(key)).toString(16).toUpperCase().padStart(8, "0")
  }
}

/** A home of the town by its number, from 0. */
export const townHome = (seed: number, home: number, startsAt: number): SiteProfile => {
  const draw = drawsFor(seed, home)
  const id = `sim-${seed}-${home + 1}`
  const street = `${12 + 4 * Math.floor(home / STREETS.length) + draw.below(streams.street, 0, 4)} ${STREETS[home % STREETS.length]!}`
  const device = (key: number, slug: string, name: string): { readonly device: DeviceIdentity } => ({
    device: { id: `${id}-${slug}`, name, serialNumber: `SIM-${draw.serial(key)}` }
  })
  /** 1 is a house of 150 m². */
  const size = Math.max(0.5, draw.near(streams.size, 0, 1, 0.25))
  const hasSolar = draw.chance(1, 0.75)
  const hasBattery = draw.chance(2, hasSolar ? 0.6 : 0.12)
  const hasVehicle = draw.chance(3, 0.6)
  const hasCharger = hasVehicle && draw.chance(4, 0.8)
  const hasMeter = draw.chance(5, 0.85) || !(hasSolar || hasBattery || hasVehicle)
  const panelPower = 400 * Math.round(draw.between(streams.ratings, 1, 10, 22) * size)
  const batteries = draw.chance(6, 0.25) ? 2 : 1
  const unit = draw.pick(streams.ratings, 2, [
    { capacity: 13_500, rate: 5000 },
    { capacity: 10_000, rate: 4800 },
    { capacity: 5000, rate: 3840 }
  ])
  const vehicle = draw.pick(streams.car, 1, [
    { capacity: 75_000, whPerMile: 260, maxCurrent: 48 },
    { capacity: 60_000, whPerMile: 270, maxCurrent: 32 },
    { capacity: 98_000, whPerMile: 430, maxCurrent: 48 },
    { capacity: 40_000, whPerMile: 280, maxCurrent: 27 }
  ])
  const heatLoss = 140 * size
  return {
    id,
    name: street,
    address: { streetOne: street, ...TOWN },
    seed: hash(seed, streams.habits, home),
    location: {
      latitude: Math.round(1e5 * (CENTRE.latitude + draw.between(streams.spot, 0, -0.02, 0.02))) / 1e5,
      longitude: Math.round(1e5 * (CENTRE.longitude + draw.between(streams.spot, 1, -0.025, 0.025))) / 1e5
    },
    utcOffsetMinutes: UTC_OFFSET_MINUTES,
    startsAt,
    climate: makeClimate(seed),
    household: {
      basePower: Math.round(draw.between(streams.habits, 1, 160, 420) * size),
      activity: draw.between(streams.habits, 2, 0.5, 1.4)
    },
    tariff: { offPeak: { from: 0, to: 360 }, peak: { from: 960, to: 1260 } },
    ...(hasSolar && {
      inverter: {
        ...device(1, "inverter", "Roof"),
        power: draw.pick(streams.ratings, 3, [3800, 5000, 7600]),
        panelPower,
        tilt: draw.between(streams.ratings, 4, 12, 32),
        azimuth: draw.between(streams.ratings, 5, -60, 90),
        metersGrid: draw.chance(7, 0.5)
      }
    }),
    ...(hasBattery && {
      battery: {
        ...device(2, "battery", "Garage battery"),
        capacity: unit.capacity * batteries,
        maxChargeRate: unit.rate * batteries,
        maxDischargeRate: unit.rate * batteries,
        numberOfBatteries: batteries,
        roundTripEfficiency: 0.9,
        chargesFromGrid: !hasSolar || draw.chance(8, 0.3),
        stormModeEnabled: draw.chance(9, 0.7),
        strategy: hasSolar
          ? draw.pick<BatteryStrategy>(streams.habits, 3, [
              "self_consumption",
              "self_consumption",
              "time_of_use",
              "backup"
            ])
          : "time_of_use",
        backupReserve: 5 * draw.below(streams.habits, 4, 7),
        initialPercentage: draw.between(streams.habits, 5, 35, 80)
      }
    }),
    ...(hasMeter && { meter: device(3, "meter", "Main meter") }),
    ...(draw.chance(10, 0.8) && {
      thermostat: {
        ...device(4, "thermostat", "Hallway"),
        ...usualThermostat,
        mode: draw.chance(11, 0.9) ? ("auto" as const) : ("eco" as const),
        schedule: schedule(draw.below(streams.comfort, 0, 4) - 1),
        power: Math.round(2600 * size),
        heatLoss,
        heatCapacity: heatLoss * draw.between(streams.comfort, 1, 14, 26),
        windowArea: 6 * size
      }
    }),
    ...(draw.chance(12, 0.45) && {
      waterHeater: {
        ...device(5, "water-heater", "Water heater"),
        volume: 189,
        mode: draw.pick<WaterHeaterMode>(streams.comfort, 2, ["heat_pump", "heat_pump", "electric", "high_demand"]),
        targetTemperature: 120 + 5 * draw.below(streams.comfort, 3, 3),
        elementPower: 4500,
        heatPumpPower: 450,
        performance: 3.2,
        heatLoss: 1.6
      }
    }),
    ...(hasCharger && {
      charger: {
        ...device(6, "charger", "Driveway charger"),
        maxCurrent: draw.pick(streams.car, 2, [48, 40, 32]),
        window: draw.chance(13, 0.4) ? { from: 1380, to: 420 } : null
      }
    }),
    ...(hasVehicle && {
      vehicle: {
        device: draw.chance(14, 0.85) ? device(7, "vehicle", "Family car").device : null,
        ...vehicle,
        commuteMiles: Math.round(draw.between(streams.car, 3, 12, 62)),
        initialPercentage: draw.between(streams.car, 4, 45, 85),
        chargeLimit: draw.pick(streams.car, 5, [80, 90, 100]),
        keyRequired: draw.chance(15, 0.4),
        keyPaired: draw.chance(16, 0.75)
      }
    })
  }
}

/**
 * A small town: homes of different sizes, equipment and habits under one sky. The same arguments give the same town, and
 * a larger town contains the smaller one. `startsAt`: first instant of its simulation, milliseconds since 1970.
 */
export const town = (seed: number, homes: number, startsAt: number): ReadonlyArray<SiteProfile> =>
  Array.from({ length: homes }, (_, home) => townHome(seed, home, startsAt))
