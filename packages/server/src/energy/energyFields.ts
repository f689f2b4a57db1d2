import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { chargeFieldOf, sourcesOf } from "./quantities.ts"
import type { EnergyReading } from "./timeline.ts"

/** A field whose value at one reading counts together with that of the next reading that has it. */
export interface PairedField {
  readonly field: string
  /** Counters bridge any time; of the others both readings are at most the longest gap apart. */
  readonly isCounter: boolean
}

/** In the order of their bits in the database: append only. */
const numbered = [
  "lifetimeEnergyGenerated",
  "importedEnergy",
  "exportedEnergy",
  "power",
  "chargeRate",
  "chargerWattage",
  "gridPower",
  "loadPower",
  "charge"
]

/** A set of paired fields as bits. */
export type FieldSet = number

export const bitOf = (field: string): FieldSet => 1 << numbered.indexOf(field)

const pairedFields = (type: DeviceType): ReadonlyArray<PairedField> => {
  const charge = chargeFieldOf[type]
  const sources = sourcesOf[type]
  const counters = new Set(sources.flatMap(({ counter }) => counter ?? []))
  const others = new Set([
    ...sources.flatMap(({ power }) => power?.field ?? []),
    ...(charge === undefined ? [] : [charge])
  ])
  return [
    ...Array.from(counters, (field) => ({ field, isCounter: true })),
    ...Array.from(others, (field) => ({ field, isCounter: false }))
  ]
}

const known = new Map<DeviceType, ReadonlyArray<PairedField>>()

export const pairedFieldsOf = (type: DeviceType): ReadonlyArray<PairedField> => {
  const fields = known.get(type) ?? pairedFields(type)
  known.set(type, fields)
  return fields
}

export const carries = ({ state }: Pick<EnergyReading, "state">, field: string) => typeof state[field] === "number"

/** The paired fields of the type that any of the readings has. */
export const carriedBy = (type: DeviceType, readings: ReadonlyArray<EnergyReading>): FieldSet =>
  pairedFieldsOf(type).reduce(
    (set, { field }) => (readings.some((reading) => carries(reading, field)) ? set | bitOf(field) : set),
    0
  )
