import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MetricName } from "@edp/domain/metrics/Metric"
import type { Quantity } from "./quantities.ts"

/** A quantity that devices of a type report. */
export interface ReportedQuantity {
  readonly type: DeviceType
  readonly quantity: Quantity
}

export interface Term extends ReportedQuantity {
  readonly sign: 1 | -1
}

/** A formula for a site's metric. It applies while any device of `when` covers the time. */
export interface Formula {
  readonly when: ReadonlyArray<ReportedQuantity>
  readonly sum: ReadonlyArray<Term>
}

const plus = (type: DeviceType, quantity: Quantity): Term => ({ type, quantity, sign: 1 })
const minus = (type: DeviceType, quantity: Quantity): Term => ({ type, quantity, sign: -1 })
const itself = (...sum: ReadonlyArray<Term>): Formula => ({ when: sum, sum })

const meterNet = [plus("meter", "imported"), minus("meter", "exported")]
const generated = plus("inverter", "generated")
const discharged = plus("battery", "discharged")
const charged = plus("battery", "charged")

const balance: Formula = {
  when: meterNet,
  sum: [generated, discharged, minus("battery", "charged"), ...meterNet]
}
const load = [itself(plus("inverter", "load")), itself(plus("battery", "load")), balance]
/** A charger and the vehicle at it report the same energy. */
const drawn = [
  { when: [plus("charger", "drawn")], sum: [charged, plus("charger", "drawn")] },
  itself(charged, plus("vehicle", "drawn"))
]

/** The formulas of a site with several devices. The first one that covers the time applies, so that no energy counts twice. */
export const siteFormulas: Readonly<Record<MetricName, ReadonlyArray<Formula>>> = {
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

type OfTypes = Readonly<Partial<Record<DeviceType, Formula>>>

/** The formulas of single devices. */
export const deviceFormulas: Readonly<Record<MetricName, OfTypes>> = {
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

/** The device types that a site's metric is computed from. */
export const siteTypes = (metric: MetricName): ReadonlyArray<DeviceType> => [
  ...new Set(siteFormulas[metric].flatMap(({ sum, when }) => [...when, ...sum]).map(({ type }) => type))
]

/** The device types that have the metric by themselves. */
export const deviceTypesFor = (metric: MetricName) => Object.keys(deviceFormulas[metric]) as ReadonlyArray<DeviceType>

/** Formulas that no device of the site can decide are left out. */
const decided = (formulas: ReadonlyArray<Formula>, types: ReadonlyArray<DeviceType>) => {
  const able = formulas.filter(({ when }) => when.some(({ type }) => types.includes(type)))
  return able.length === 0 ? formulas : able
}

/**
 * The formulas of a site with devices of these types. A site's only device has the formula of a single device, if there is one.
 */
export const formulasFor = (metric: MetricName, types: ReadonlyArray<DeviceType>): ReadonlyArray<Formula> => {
  const [only, another] = types
  const own = only === undefined || another !== undefined ? undefined : deviceFormulas[metric][only]
  return own === undefined ? decided(siteFormulas[metric], types) : [own]
}
