import type { MetricQuery } from "@edp/domain/metrics/MetricQuery"
import type { MetricSeries } from "@edp/domain/metrics/MetricSeries"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { Effect } from "effect"
import { Connection } from "../../Connection.ts"
import { namesOf } from "./question.ts"
import { boundsOf, type MetricView, type NamedSeries, splitByGroup } from "./view.ts"

/** What the API answers of a metric. */
export const readMetric = Effect.fnUntraced(function* (metric: MetricName, query: MetricQuery) {
  const { metrics } = yield* (yield* Connection).clientFor("metrics", metric)
  const call = metrics[metric] as (request: { query: MetricQuery; headers: object }) => ReturnType<typeof metrics.load>
  const answer = yield* call({ query, headers: {} })
  // CSV is answered to who asks for it alone.
  return answer as unknown as MetricSeries
})

/** The time zone that the service would take for a question. */
export const timezoneOf = Effect.fnUntraced(function* (metric: MetricName, filters: MetricQuery) {
  const instant = new Date(0).toISOString()
  const { meta } = yield* readMetric(metric, { ...filters, from: instant, to: instant })
  return meta.timezone
})

/** Several metrics over the same buckets: those of the first answer, for the end of a span may be now. */
export const readMetrics = Effect.fnUntraced(function* (metrics: ReadonlyArray<MetricName>, query: MetricQuery) {
  const [first, ...others] = metrics
  const answer = yield* readMetric(first!, query)
  const { timeframe: _, ...rest } = query
  const { from, period, timezone, to } = answer.meta
  const more = yield* Effect.forEach(others, (metric) => readMetric(metric, { ...rest, from, to, period, timezone }), {
    concurrency: 2
  })
  return [answer, ...more]
})

const groupsOf = Effect.fnUntraced(function* (answer: MetricSeries, groupBy: "device" | "site") {
  const groups = splitByGroup(answer.data)
  const names = yield* namesOf(groupBy, [...groups.keys()])
  return [...groups.values()].map((points, at): NamedSeries => ({
    name: names[at]!,
    metric: answer.meta.metric,
    points
  }))
})

/** Answers as series with names. */
export const viewOf = Effect.fnUntraced(function* (
  answers: ReadonlyArray<MetricSeries>,
  place: string,
  groupBy: NonNullable<MetricQuery["groupBy"]>
) {
  const [first] = answers
  const series =
    groupBy === "none"
      ? answers.map(({ data, meta }): NamedSeries => ({ name: meta.metric, metric: meta.metric, points: data }))
      : yield* groupsOf(first!, groupBy)
  const { period, timezone } = first!.meta
  return { series, place, period, timezone, bounds: boundsOf(first!) } satisfies MetricView
})
