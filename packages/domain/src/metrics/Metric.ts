import { Schema } from "effect"
import { DeviceType, deviceTypes } from "../devices/DeviceType.ts"
import { StoredText } from "../shared/Text.ts"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"

export const metricNames = ["consumption", "production", "generation", "storage", "grid", "charging", "load"] as const
export type MetricName = (typeof metricNames)[number]

export type Aggregation = "sum" | "latest"

export interface MetricEntry {
  /** What it tells, with unit and sign. */
  readonly description: string
  readonly deviceTypes: ReadonlyArray<DeviceType>
  readonly aggregation: Aggregation
  /** A day's value of a home, Wh, for examples. */
  readonly example: number
}

/** What there is. Every device of one of the types has a value of its own. */
export const metricTable: Readonly<Record<MetricName, MetricEntry>> = {
  consumption: {
    description:
      "Energy consumed, Wh, never negative for a device. Of a site it is the load where that is known, else what its batteries, chargers and vehicles took. Of a device: a battery's energy charged, the load that an inverter measures, what a charger or vehicle drew, a meter's imported energy",
    deviceTypes: ["battery", "inverter", "charger", "vehicle", "meter"],
    aggregation: "sum",
    example: 23_334.916
  },
  production: {
    description:
      "Energy produced, Wh; never negative. Of a site it is generation plus what its batteries discharged, and a meter's export only where no inverter or battery reports. Of a device: a battery's energy discharged, an inverter's generated, a meter's exported",
    deviceTypes: ["battery", "inverter", "meter"],
    aggregation: "sum",
    example: 27_420.5
  },
  generation: {
    description: "Energy that inverters generated, Wh; never negative",
    deviceTypes: ["inverter"],
    aggregation: "sum",
    example: 22_420.5
  },
  storage: {
    description:
      "Energy stored at the latest reading of the bucket, Wh, of batteries and of vehicles that tell it; null in a bucket without one",
    deviceTypes: ["battery", "vehicle"],
    aggregation: "latest",
    example: 6400
  },
  grid: {
    description:
      "Energy at the grid connection, Wh: positive imports, negative exports; -1500 fed 1.5 kWh into the grid. Of a site it is measured by its meters where any covers the time, else by its inverters, else by its batteries",
    deviceTypes: ["battery", "inverter", "meter"],
    aggregation: "sum",
    example: -4085.584
  },
  charging: {
    description:
      "Energy taken by batteries, chargers and vehicles, Wh; never negative. Of a site, what its chargers and its vehicles drew counts once: by the chargers where any covers the time, else by the vehicles",
    deviceTypes: ["battery", "charger", "vehicle"],
    aggregation: "sum",
    example: 5200
  },
  load: {
    description:
      "Energy that the home used, Wh. Of a site it is what inverters measure, else batteries, else generated + discharged - charged + imported - exported where a meter covers the time. Of a device: what an inverter or battery measures",
    deviceTypes: ["battery", "inverter"],
    aggregation: "sum",
    example: 18_334.916
  }
}

const aggregations = ["sum", "latest"] as const satisfies ReadonlyArray<Aggregation>

export const MetricAggregation = oneOf(
  aggregations,
  "How the values within a bucket become one: sum of energies, or the latest of what is stored"
)

export const MetricUnit = Schema.Literal("Wh").annotate({ description: "Unit of the values" })

/** An entry of the catalogue. */
export const Metric = Schema.Struct({
  name: oneOf(metricNames, "Name of the metric, as in the path of its endpoint"),
  description: StoredText(1000).annotate({ description: "What it tells, with its sign" }),
  unit: MetricUnit,
  deviceTypes: Schema.Array(DeviceType)
    .check(documents({ maxItems: deviceTypes.length }))
    .annotate({ description: "Kinds of devices that it is read from" }),
  aggregation: MetricAggregation
}).annotate({
  identifier: "Metric",
  description: "A metric that the platform computes from the devices' readings",
  examples: [
    {
      name: "generation",
      description: "Energy that inverters generated, Wh; never negative",
      unit: "Wh",
      deviceTypes: ["inverter"],
      aggregation: "sum"
    }
  ]
})
export interface Metric {
  readonly name: MetricName
  readonly description: string
  readonly unit: "Wh"
  readonly deviceTypes: ReadonlyArray<DeviceType>
  readonly aggregation: Aggregation
}
