import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MetricName } from "@edp/domain/metrics/Metric"
import type { Quantity } from "./quantities.ts"

/** What devices of a type tell. */
export interface Told {
  readonly type: DeviceType
  readonly quantity: Quantity
}

export interface Term extends Told {
  readonly sign: 1 | -1
}

/** One way to know a figure of a place: it counts while any of the devices in `when` covers the time. */
export interface Way {
  readonly when: ReadonlyArray<Told>
  readonly sum: ReadonlyArray<Term>
}

const plus = (type: DeviceType, quantity: Quantity): Term => ({ type, quantity, sign: 1 })
const minus = (type: DeviceType, quantity: Quantity): Term => ({ type, quantity, sign: -1 })
const itself = (...sum: ReadonlyArray<Term>): Way => ({ when: sum, sum })

const meterNet = [plus("meter", "imported"), minus("meter", "exported")]
const generated = plus("inverter", "generated")
const discharged = plus("battery", "discharged")
const charged = plus("battery", "charged")

const balance: Way = {
  when: meterNet,
  sum: [generated, discharged, minus("battery", "charged"), ...meterNet]
}
const load = [itself(plus("inverter", "load")), itself(plus("battery", "load")), balance]
/** What a vehicle takes at a charger of its site is told by both. */
const drawn = [
  { when: [plus("charger", "drawn")], sum: [charged, plus("charger", "drawn")] },
  itself(charged, plus("vehicle", "drawn"))
]

/** The metrics of a place with several devices: of the ways the first that covers the time, so that no energy counts twice. */
export const placeRules: Readonly<Record<MetricName, ReadonlyArray<Way>>> = {
  consumption: [...load, ...drawn],
  production: [
    { when: [generated, discharged, charged], sum: [generated, discharged] },
    { when: meterNet, sum: [plus("meter", "exported")] }
  ],
  generation: [itself(generated)],
  storage: [itself(plus("battery", "charge"), plus("vehicle", "charge"))],
  grid: [itself(...meterNet), itself(plus("inverter", "grid")), itself(plus("battery", "grid"))],
  charging: drawn,
  load
}

type OfTypes = Readonly<Partial<Record<DeviceType, Way>>>

/** The metrics of one device. */
export const deviceRules: Readonly<Record<MetricName, OfTypes>> = {
  consumption: {
    battery: itself(charged),
    inverter: itself(plus("inverter", "load")),
    charger: itself(plus("charger", "drawn")),
    vehicle: itself(plus("vehicle", "drawn")),
    meter: itself(plus("meter", "imported"))
  },
  production: {
    battery: itself(discharged),
    inverter: itself(generated),
    meter: itself(plus("meter", "exported"))
  },
  generation: { inverter: itself(generated) },
  storage: { battery: itself(plus("battery", "charge")), vehicle: itself(plus("vehicle", "charge")) },
  grid: {
    battery: itself(plus("battery", "grid")),
    inverter: itself(plus("inverter", "grid")),
    meter: itself(...meterNet)
  },
  charging: {
    battery: itself(charged),
    charger: itself(plus("charger", "drawn")),
    vehicle: itself(plus("vehicle", "drawn"))
  },
  load: { battery: itself(plus("battery", "load")), inverter: itself(plus("inverter", "load")) }
}

/** Kinds of devices that a metric of places is read from. */
export const placeTypes = (metric: MetricName): ReadonlyArray<DeviceType> => [
  ...new Set(placeRules[metric].flatMap(({ sum, when }) => [...when, ...sum]).map(({ type }) => type))
]

/** Kinds of devices that have a figure of their own. */
export const ownTypes = (metric: MetricName) => Object.keys(deviceRules[metric]) as ReadonlyArray<DeviceType>

/** What no device of the place tells, decides nothing there. */
const decided = (ways: ReadonlyArray<Way>, types: ReadonlyArray<DeviceType>) => {
  const able = ways.filter(({ when }) => when.some(({ type }) => types.includes(type)))
  return able.length === 0 ? ways : able
}

/**
 * The ways that apply to a place with devices of these types: a single device is as the table of devices has it, where it is in it.
 */
export const waysFor = (metric: MetricName, types: ReadonlyArray<DeviceType>): ReadonlyArray<Way> => {
  const [only, another] = types
  const own = only === undefined || another !== undefined ? undefined : deviceRules[metric][only]
  return own === undefined ? decided(placeRules[metric], types) : [own]
}
