import { Schema } from "effect"
import { Cuid } from "../shared/Cuid.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { Timezone } from "../shared/Timezone.ts"
import { csvTable } from "../shared/csv.ts"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"
import { type Aggregation, MetricAggregation, type MetricName, MetricUnit, metricTable } from "./Metric.ts"
import { bySite, periods } from "./MetricQuery.ts"

export type Period = (typeof periods)[number]

/** Reasons for a null value. */
export const missingReasons = ["no_devices", "before_first_reading", "disconnected", "not_measured", "future"] as const
export type MissingReason = (typeof missingReasons)[number]

/** A bucket of a series. */
export interface MetricPoint {
  readonly timestamp: string
  readonly value: number | null
  readonly coverage: number
  readonly reason?: MissingReason
  readonly deviceId?: string
  readonly siteId?: string
}

export interface MetricSeries {
  readonly data: ReadonlyArray<MetricPoint>
  readonly meta: {
    readonly metric: MetricName
    readonly unit: "Wh"
    readonly period: Period
    readonly from: string
    readonly to: string
    readonly aggregation: Aggregation
    readonly timezone: string
    readonly asOf: string | null
  }
}

const points = (metric: MetricName) => {
  const { description } = metricTable[metric]
  return Schema.Struct({
    timestamp: Timestamp.annotate({
      description:
        "Start of the bucket; the first bucket starts at `from`. A bucket ends where the next one starts, the last one at `to`"
    }),
    value: Schema.NullOr(Schema.Finite).annotate({
      description: `${description}. Rounded to three decimals. null if nothing is known; 0 was measured`
    }),
    coverage: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
      description:
        "Share of the bucket that is covered by readings at most 90 minutes apart, 0 to 1; for several devices the mean, each counted from its first reading until its disconnection. It is at least 0.0001 wherever a value is known, such as from a lifetime counter across a longer gap. At 0 the value is null"
    }),
    reason: Schema.optionalKey(
      oneOf(
        missingReasons,
        "Why the value is null. no_devices: no selected device measures the metric; before_first_reading: none has reported yet; disconnected: all are disconnected; not_measured: no readings, readings too far apart, or implausible ones; future: the bucket has not begun"
      )
    ),
    deviceId: Schema.optionalKey(Cuid.annotate({ description: "Device of the series, with `groupBy=device`" })),
    siteId: Schema.optionalKey(
      Cuid.annotate({
        description: "Site of the series, with `groupBy=site`; absent in the series of the devices without a site"
      })
    )
  }).annotate({ identifier: `${metricTitle(metric)}Point`, description: `A bucket of \`${metric}\`` })
}

const metricTitle = (metric: MetricName) => metric[0]!.toUpperCase() + metric.slice(1)

const makeExample = (metric: MetricName) => ({
  data: [
    { timestamp: "2026-02-28T08:00:00.000Z", value: metricTable[metric].example, coverage: 1 },
    { timestamp: "2026-03-01T08:00:00.000Z", value: null, coverage: 0, reason: "not_measured" as const }
  ],
  meta: {
    metric,
    unit: "Wh" as const,
    period: "day" as const,
    from: "2026-02-28T08:00:00.000Z",
    to: "2026-03-02T08:00:00.000Z",
    aggregation: metricTable[metric].aggregation,
    timezone: "America/Los_Angeles",
    asOf: null
  }
})

/** The response of one metric, with a description of its values and an example. */
export const makeSeriesSchema = (metric: MetricName) =>
  Schema.Struct({
    data: Schema.Array(points(metric))
      .check(documents({ maxItems: bySite.points }))
      .annotate({
        description:
          "The buckets in chronological order, one series after the other; series are ordered by the creation of their site or device"
      }),
    meta: Schema.Struct({
      metric: Schema.Literal(metric).annotate({ description: "Name of the metric" }),
      unit: MetricUnit,
      period: oneOf(periods, "Length of a bucket"),
      from: Timestamp.annotate({ description: "Start of the first bucket" }),
      to: Timestamp.annotate({ description: "End of the last bucket" }),
      aggregation: MetricAggregation,
      timezone: Timezone.annotate({ description: "Time zone of the buckets" }),
      asOf: Schema.NullOr(Timestamp).annotate({
        description:
          "The figures include every reading that the service had taken by then, and `timeframe` ends then: for a whole workspace of 2,000 devices or more they come from sums that are at most five minutes old. null where the figures are computed from the readings at the time of the request"
      })
    })
  }).annotate({
    identifier: `${metricTitle(metric)}Series`,
    description: metricTable[metric].description,
    examples: [makeExample(metric)] as never
  })

const columns = ["timestamp", "value", "unit", "coverage", "deviceId", "siteId"]

/** The points of a series as CSV: ids, timestamps and numbers need no quotes, and no spreadsheet takes them for formulas. */
export const metricCsv = ({
  data,
  meta: { unit }
}: Pick<MetricSeries, "data"> & { readonly meta: { readonly unit: string } }) => {
  let text = csvTable(columns, [])
  for (const { coverage, deviceId = "", siteId = "", timestamp, value } of data) {
    text += `${timestamp},${value ?? ""},${unit},${coverage},${deviceId},${siteId}\r\n`
  }
  return text
}

export const csvExample = metricCsv({
  data: [{ timestamp: "2026-02-28T08:00:00.000Z", value: 22_420.5, coverage: 1 }],
  meta: { unit: "Wh" }
})

/** Ids and timestamps need no JSON escaping. */
const pointText = ({ timestamp, value, coverage, reason, deviceId, siteId }: MetricPoint) => {
  const known = `{"timestamp":"${timestamp}","value":${value},"coverage":${coverage}`
  const figures = reason === undefined ? known : `${known},"reason":"${reason}"`
  if (deviceId !== undefined) return `${figures},"deviceId":"${deviceId}"}`
  return siteId === undefined ? `${figures}}` : `${figures},"siteId":"${siteId}"}`
}

/** A series as JSON: the same text as `JSON.stringify`, in two thirds of the time. A response has thousands of points. */
export const metricJson = ({ data, meta }: MetricSeries): string => {
  let points = ""
  for (const point of data) points += points === "" ? pointText(point) : `,${pointText(point)}`
  return `{"data":[${points}],"meta":${JSON.stringify(meta)}}`
}
