import { Schema } from "effect"
import { oneOf } from "../devices/quantities.ts"
import { Cuid } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { Timezone } from "../shared/Timezone.ts"
import { MetricAggregation, MetricUnit } from "./Metric.ts"
import { MAX_ANSWER } from "./metricLimits.ts"
import { periods } from "./MetricQuery.ts"
import { type Aggregation, type MetricName, metricTable } from "./metricTable.ts"

export type Period = (typeof periods)[number]

/** Why nothing is known of a bucket. */
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
  }
}

const points = (metric: MetricName) => {
  const { description } = metricTable[metric]
  return Schema.Struct({
    timestamp: Timestamp.annotate({
      description:
        "Beginning of the bucket; of the first one `from`. It ends where the next begins, the last one at `to`"
    }),
    value: Schema.NullOr(Schema.Finite).annotate({
      description: `${description}. Rounded to thousandths. null where nothing is known: what is 0 was measured`
    }),
    coverage: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
      description:
        "Share of the bucket that readings at most 90 minutes apart cover, 0 to 1; of several devices the mean of theirs, each from its first reading on and until it was disconnected. Above 0 wherever anything is known: an amount that a counter tells over a longer gap, or a charge told once, covers 0.0001 at least. At 0 the value is null"
    }),
    reason: Schema.optionalKey(
      oneOf(
        missingReasons,
        "Of a value of null, why: no_devices of a kind that tells it were selected; before_first_reading of all of them; all were disconnected; not_measured: they sent nothing, or too seldom, or what can't be true; future"
      )
    ),
    deviceId: Schema.optionalKey(Cuid.annotate({ description: "The device of the series, with `groupBy=device`" })),
    siteId: Schema.optionalKey(
      Cuid.annotate({
        description: "The site of the series, with `groupBy=site`; the series of the devices without a site has none"
      })
    )
  }).annotate({ identifier: `${titleOf(metric)}Point`, description: `A bucket of \`${metric}\`` })
}

const titleOf = (metric: MetricName) => metric[0]!.toUpperCase() + metric.slice(1)

const exampleOf = (metric: MetricName) => ({
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
    timezone: "America/Los_Angeles"
  }
})

/** The answer of one metric: each has its own description of what the values are, and its own example. */
export const seriesOf = (metric: MetricName) =>
  Schema.Struct({
    data: Schema.Array(points(metric))
      .check(documents({ maxItems: MAX_ANSWER }))
      .annotate({
        description:
          "The buckets in the order of time, series after series: sites and devices in the order of their creation"
      }),
    meta: Schema.Struct({
      metric: Schema.Literal(metric).annotate({ description: "Name of the metric" }),
      unit: MetricUnit,
      period: oneOf(periods, "Length of a bucket"),
      from: Timestamp.annotate({ description: "Where the first bucket begins" }),
      to: Timestamp.annotate({ description: "Where the last bucket ends" }),
      aggregation: MetricAggregation,
      timezone: Timezone.annotate({ description: "Time zone whose days and hours the buckets are" })
    })
  }).annotate({
    identifier: `${titleOf(metric)}Series`,
    description: metricTable[metric].description,
    examples: [exampleOf(metric)] as never
  })
