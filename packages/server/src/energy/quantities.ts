import type { DeviceType } from "@edp/domain/devices/DeviceType"

/** Energies in µWh. `grid` is signed, import positive; a meter tells its two directions apart instead. */
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

/** `charge` is what is stored at an instant, also in µWh: of a span the latest counts. */
export type Quantity = EnergyQuantity | "charge"

/** In the order of their numbers in the database: append only. */
export const quantities: ReadonlyArray<Quantity> = [...energyQuantities, "charge"]

/** The fields that tell an energy, the best first: each fills only what those before it leave unknown. */
export interface Source {
  readonly quantity: EnergyQuantity
  /** A counter over the device's life, Wh. */
  readonly counter?: string
  /** Energy since the previous reading, Wh. */
  readonly since?: string
  /** Power, W, and the part of it that counts: all of it with its sign, or the size of the positive or negative part. */
  readonly power?: { readonly field: string; readonly part: PowerPart }
}

export type PowerPart = "all" | "positive" | "negative"

const home: ReadonlyArray<Source> = [
  { quantity: "grid", since: "gridEnergy", power: { field: "gridPower", part: "all" } },
  { quantity: "load", since: "loadEnergy", power: { field: "loadPower", part: "all" } }
]

const plug: ReadonlyArray<Source> = [{ quantity: "drawn", power: { field: "chargerWattage", part: "all" } }]

/**
 * What a device of each type tells. Other and unknown devices name their fields as they like, so nothing is known of
 * them; a thermostat moves no energy of its own.
 */
export const sourcesOf: Readonly<Record<DeviceType, ReadonlyArray<Source>>> = {
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

/** The field of the energy that a device of the type holds now, Wh. */
export const chargeFieldOf: Readonly<Partial<Record<DeviceType, string>>> = { battery: "charge", vehicle: "charge" }

/** All that a device of the type may tell. */
export const quantitiesOf = (type: DeviceType): ReadonlyArray<Quantity> => [
  ...sourcesOf[type].map(({ quantity }) => quantity),
  ...(chargeFieldOf[type] === undefined ? [] : (["charge"] as const))
]

const ratedFields: Readonly<Partial<Record<DeviceType, string>>> = { inverter: "power", meter: "power" }

/** The rated power of a device, W, where its static state gives one. */
export const ratedPowerOf = (type: DeviceType, staticState: object | null): number | undefined => {
  const field = ratedFields[type]
  const value = field === undefined ? undefined : (staticState as Record<string, unknown> | null)?.[field]
  return typeof value === "number" && value > 0 ? value : undefined
}
