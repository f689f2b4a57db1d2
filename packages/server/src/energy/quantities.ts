import type { DeviceType } from "@edp/domain/devices/DeviceType"

export interface EnergyReading {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly state: Readonly<Record<string, unknown>>
  /** Whether readings between this one and the requested span were not loaded: only one of its fields is used. */
  readonly apart?: boolean
}

/** Energies in µWh. `grid` is signed, import positive; a meter reports the two directions separately instead. */
export const energyQuantities = [
  "charged",
  "discharged",
  "generated",
  "imported",
  "exported",
  "drawn",
  "grid",
  "load"
] as const
export type EnergyQuantity = (typeof energyQuantities)[number]

/** `charge` is the energy stored at an instant, also in µWh; a span has its latest one. */
export type Quantity = EnergyQuantity | "charge"

/** The index is the number in the database: append only. */
export const quantities: ReadonlyArray<Quantity> = [...energyQuantities, "charge"]

/** The fields that an energy is computed from, the best first: each fills only what those before it leave unknown. */
export interface Source {
  readonly quantity: EnergyQuantity
  /** A counter over the device's life, Wh. */
  readonly counter?: string
  /** Energy since the previous reading, Wh. */
  readonly since?: string
  /** Power, W, and the part of it that counts: all of it with its sign, or the magnitude of its positive or negative part. */
  readonly power?: { readonly field: string; readonly part: PowerPart }
}

export type PowerPart = "all" | "positive" | "negative"

const home: ReadonlyArray<Source> = [
  { quantity: "grid", since: "gridEnergy", power: { field: "gridPower", part: "all" } },
  { quantity: "load", since: "loadEnergy", power: { field: "loadPower", part: "all" } }
]

const plug: ReadonlyArray<Source> = [
  { quantity: "drawn", counter: "lifetimeEnergyCharged", power: { field: "chargerWattage", part: "all" } }
]

/**
 * The energies that each device type reports. Devices of type other and unknown have arbitrary fields, so nothing is known of
 * them; a thermostat moves no energy of its own.
 */
export const sourcesByType: Readonly<Record<DeviceType, ReadonlyArray<Source>>> = {
  battery: [
    // A positive chargeRate discharges.
    { quantity: "charged", since: "whConsumed", power: { field: "chargeRate", part: "negative" } },
    { quantity: "discharged", power: { field: "chargeRate", part: "positive" } },
    ...home
  ],
  inverter: [
    {
      quantity: "generated",
      counter: "lifetimeEnergyGenerated",
      since: "generatedEnergy",
      power: { field: "power", part: "all" }
    },
    ...home
  ],
  charger: plug,
  vehicle: plug,
  meter: [
    { quantity: "imported", counter: "importedEnergy", power: { field: "power", part: "positive" } },
    { quantity: "exported", counter: "exportedEnergy", power: { field: "power", part: "negative" } }
  ],
  water_heater: [{ quantity: "drawn", power: { field: "power", part: "all" } }],
  thermostat: [],
  other: [],
  unknown: []
}

/** Types of devices whose energies are computed. */
export const measuredTypes = (Object.keys(sourcesByType) as ReadonlyArray<DeviceType>).filter(
  (type) => sourcesByType[type].length > 0
)

/** The field with the energy that a device stores, Wh. */
export const chargeFieldByType: Readonly<Partial<Record<DeviceType, string>>> = { battery: "charge", vehicle: "charge" }

/** All quantities that devices of the type may report. */
export const listQuantities = (type: DeviceType): ReadonlyArray<Quantity> => [
  ...sourcesByType[type].map(({ quantity }) => quantity),
  ...(chargeFieldByType[type] === undefined ? [] : (["charge"] as const))
]

const ratedFields: Readonly<Partial<Record<DeviceType, string>>> = { inverter: "power", meter: "power" }

/** The rated power of a device, W, if its static state has one. */
export const findRatedPower = (type: DeviceType, staticState: object | null): number | undefined => {
  const field = ratedFields[type]
  const value = field === undefined ? undefined : (staticState as Record<string, unknown> | null)?.[field]
  return typeof value === "number" && value > 0 ? value : undefined
}

/** A field whose values at two successive readings are evaluated together. */
export interface PairedField {
  readonly field: string
  /** Counters bridge any time; other fields at most the longest gap. */
  readonly isCounter: boolean
}

/** The index is the bit in the database: append only. */
const numbered = [
  "lifetimeEnergyGenerated",
  "importedEnergy",
  "exportedEnergy",
  "power",
  "chargeRate",
  "chargerWattage",
  "gridPower",
  "loadPower",
  "charge",
  "lifetimeEnergyCharged"
]

/** A set of paired fields as bits. */
export type FieldSet = number

export const fieldBit = (field: string): FieldSet => 1 << numbered.indexOf(field)

const computePairedFields = (type: DeviceType): ReadonlyArray<PairedField> => {
  const charge = chargeFieldByType[type]
  const sources = sourcesByType[type]
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

export const pairedFields = (type: DeviceType): ReadonlyArray<PairedField> => {
  const fields = known.get(type) ?? computePairedFields(type)
  known.set(type, fields)
  return fields
}

export const carries = ({ state }: Pick<EnergyReading, "state">, field: string) => typeof state[field] === "number"

/** The paired fields of the type that any of the readings carries. */
export const carriedBy = (type: DeviceType, readings: ReadonlyArray<EnergyReading>): FieldSet =>
  pairedFields(type).reduce(
    (set, { field }) => (readings.some((reading) => carries(reading, field)) ? set | fieldBit(field) : set),
    0
  )
