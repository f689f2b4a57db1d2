import { Schema } from "effect"
import { Cuid } from "../shared/Cuid.ts"
import { Timestamp } from "../shared/Timestamps.ts"
import { Timezone } from "../shared/Timezone.ts"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"
import { type Aggregation, MetricAggregation, type MetricName, MetricUnit, metricTable } from "./Metric.ts"
import { MAX_ANSWER, periods } from "./MetricQuery.ts"

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

export type CsvCell = string | number | null | undefined

/** A text that a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/u

/** A cell by RFC 4180. Numbers stand as they are; a text that begins like a formula is led by an apostrophe. */
export const csvCell = (cell: CsvCell): string => {
  if (cell === null || cell === undefined) return ""
  if (typeof cell === "number") return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A table by RFC 4180, its header first. */
export const csvTable = (header: ReadonlyArray<string>, rows: Iterable<ReadonlyArray<CsvCell>>): string => {
  let text = `${header.map(csvCell).join(",")}\r\n`
  for (const row of rows) text += `${row.map(csvCell).join(",")}\r\n`
  return text
}

const columns = ["timestamp", "value", "unit", "coverage", "deviceId", "siteId"]

/** The points of a series as CSV. */
export const metricCsv = ({ data, meta }: Pick<MetricSeries, "data"> & { readonly meta: { readonly unit: string } }) =>
  csvTable(
    columns,
    data.map(({ coverage, deviceId, siteId, timestamp, value }) => [
      timestamp,
      value,
      meta.unit,
      coverage,
      deviceId,
      siteId
    ])
  )

export const csvExample = metricCsv({
  data: [{ timestamp: "2026-02-28T08:00:00.000Z", value: 22_420.5, coverage: 1 }],
  meta: { unit: "Wh" }
})

/** Ids and timestamps have nothing in them that JSON escapes. */
const pointText = ({ timestamp, value, coverage, reason, deviceId, siteId }: MetricPoint) => {
  const known = `{"timestamp":"${timestamp}","value":${value},"coverage":${coverage}`
  const figures = reason === undefined ? known : `${known},"reason":"${reason}"`
  if (deviceId !== undefined) return `${figures},"deviceId":"${deviceId}"}`
  return siteId === undefined ? `${figures}}` : `${figures},"siteId":"${siteId}"}`
}

/** A series as JSON: what `JSON.stringify` makes of it, in two thirds of the time. An answer has thousands of points. */
export const metricJson = ({ data, meta }: MetricSeries): string => {
  let points = ""
  for (const point of data) points += points === "" ? pointText(point) : `,${pointText(point)}`
  return `{"data":[${points}],"meta":${JSON.stringify(meta)}}`
}
