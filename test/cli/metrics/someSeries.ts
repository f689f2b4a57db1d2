import type { MetricPoint, MetricSeries, Period } from "@edp/domain/metrics/MetricSeries"
import { type MetricName, metricTable } from "@edp/domain/metrics/Metric"
import { toBounds, type MetricView } from "@edp/cli/commands/metrics/view"

const HOUR = 3_600_000

/** A response of the API: buckets from an instant on, each as long as the next begins; null is a bucket without readings. */
export const metricResponse = (
  metric: MetricName,
  values: ReadonlyArray<number | null>,
  { from = "2025-06-21T07:00:00.000Z", hours = 1, period = "hour" as Period, timezone = "America/Los_Angeles" } = {}
): MetricSeries => {
  const at = (bucket: number) => new Date(Date.parse(from) + bucket * hours * HOUR).toISOString()
  return {
    data: values.map((value, bucket): MetricPoint => {
      return { timestamp: at(bucket), value, coverage: value === null ? 0 : 1 }
    }),
    meta: {
      metric,
      unit: "Wh",
      period,
      from: at(0),
      to: at(values.length),
      aggregation: metricTable[metric].aggregation,
      timezone,
      asOf: null
    }
  }
}

/** Series under the names of their metrics, or under other ones. */
export const view = (responses: ReadonlyArray<MetricSeries>, names?: ReadonlyArray<string>): MetricView => ({
  series: responses.map(({ data, meta }, at) => ({
    name: names?.[at] ?? meta.metric,
    metric: meta.metric,
    points: data
  })),
  place: "home",
  period: responses[0]!.meta.period,
  timezone: responses[0]!.meta.timezone,
  asOf: null,
  bounds: toBounds(responses[0]!)
})
