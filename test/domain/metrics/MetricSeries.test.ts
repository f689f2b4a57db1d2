import { type MetricPoint, type MetricSeries, metricJson, makeSeriesSchema } from "@edp/domain/metrics/MetricSeries"
import { Schema } from "effect"
import { expect, test } from "vitest"

const meta: MetricSeries["meta"] = {
  metric: "storage",
  unit: "Wh",
  period: "day",
  from: "2026-02-28T07:00:00.000Z",
  to: "2026-03-02T07:00:00.000Z",
  aggregation: "latest",
  timezone: "America/Denver",
  asOf: null
}

const deviceId = "c0d0000000000000000000042"
const siteId = "c0s0000000000000000000007"
const values = [null, 0, -0, 0.1 + 0.2, -12_345.678, 1e21, 5e-7, 2 ** 53 + 2, Number.MAX_VALUE]

const seriesWith = (group: Pick<MetricPoint, "deviceId" | "siteId">): MetricSeries => ({
  data: values.map((value, at) => ({
    timestamp: new Date(Date.UTC(2026, 1, at + 1)).toISOString(),
    value,
    coverage: at / values.length,
    ...(value === null && { reason: "not_measured" }),
    ...group
  })),
  meta
})

const asEncoded = (series: MetricSeries) =>
  JSON.stringify(Schema.encodeUnknownSync(Schema.toCodecJson(makeSeriesSchema("storage")))(series))

test.each([
  ["of a device", seriesWith({ deviceId })],
  ["of a site", seriesWith({ siteId })],
  ["without a group", seriesWith({})],
  ["without points", { data: [], meta }]
])("a series %s is written as its schema has it", (_, series) => {
  expect(metricJson(series)).toBe(asEncoded(series))
  expect(metricJson(series)).toBe(JSON.stringify(series))
})
