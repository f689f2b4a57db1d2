import { Schema } from "effect"
import { DeviceType, deviceTypes } from "../devices/DeviceType.ts"
import { oneOf } from "../devices/quantities.ts"
import { documents } from "../shared/documents.ts"
import { StoredText } from "../shared/Text.ts"
import { type Aggregation, type MetricName, metricNames } from "./metricTable.ts"

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
