import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Random } from "../../support/Random.ts"
import type { Taken } from "./measuring.ts"

const MINUTE = 60_000

/** A chance for each field of a type, and what it may hold. */
type Fields = Readonly<Record<string, (random: Random) => unknown>>

const power = (random: Random) => Math.round((random.next() - 0.4) * 6_000_000) / 1000
const energy = (random: Random) => random.below(900_000) / 1000
const signed = (random: Random) => random.below(2000) - 1000
/** Mostly growing, as it will be made; now and then it is anything. */
const counter = (random: Random) => (random.chance(0.1) ? random.below(5_000_000) / 1000 : "grows")

const fields: Readonly<Partial<Record<DeviceType, Fields>>> = {
  inverter: {
    power: (random) => Math.abs(power(random)),
    lifetimeEnergyGenerated: counter,
    generatedEnergy: energy,
    gridPower: signed,
    loadEnergy: energy,
    loadPower: energy
  },
  battery: {
    charge: energy,
    whConsumed: (random) => (random.chance(0.2) ? null : energy(random)),
    chargeRate: power,
    gridEnergy: signed,
    loadPower: energy
  },
  meter: { power: signed, importedEnergy: counter, exportedEnergy: counter },
  charger: { chargerWattage: energy, lifetimeEnergyCharged: counter },
  vehicle: { charge: energy, chargerWattage: energy, lifetimeEnergyCharged: counter }
}

export const measuredTypes = Object.keys(fields) as ReadonlyArray<DeviceType>

/** Bursts, steady steps, gaps within and beyond what power bridges, and instants on a quarter of an hour. */
const nextTime = (random: Random, at: number) => {
  const kind = random.next()
  if (kind < 0.1) return at + 1 + random.below(5000)
  if (kind < 0.6) return at + (1 + random.below(20)) * MINUTE
  if (kind < 0.8) return Math.ceil((at + 1) / (15 * MINUTE)) * 15 * MINUTE
  if (kind < 0.95) return at + (60 + random.below(60)) * MINUTE
  return at + (3 + random.below(30)) * 60 * MINUTE
}

/** A device's readings in the order of their time. */
export const someReadings = (random: Random, type: DeviceType, from: number, count: number): ReadonlyArray<Taken> => {
  const chances = Object.entries(fields[type]!).map(([name, make]) => ({
    name,
    make,
    chance: random.pick([0, 0.1, 0.5, 0.9, 1])
  }))
  const counters = new Map<string, number>()
  const grown = (name: string) => {
    const value = (counters.get(name) ?? random.below(100_000)) + random.below(800_000) / 1000
    counters.set(name, value)
    return value
  }
  const taken: Array<Taken> = []
  for (let at = from; taken.length < count; at = nextTime(random, at)) {
    const state = chances
      .filter(({ chance }) => random.chance(chance))
      .map(({ name, make }) => [name, make(random)] as const)
      .map(([name, value]) => [name, value === "grows" ? grown(name) : value])
    taken.push({ at, state: Object.fromEntries(state) })
  }
  return taken
}
