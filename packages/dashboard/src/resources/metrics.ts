import { withConventions } from "@edp/domain/auth/middleware"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { MetricsApi } from "@edp/domain/metrics/MetricsApi"
import type { MetricSeries, Period as Bucket } from "@edp/domain/metrics/MetricSeries"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { AsyncResult, Atom, AtomHttpApi } from "effect/reactivity"
import { bucketsFrom, type EnergyName, type EnergySeries, importedFrom } from "../api/energy.ts"
import { given, keys, listed, pageClient } from "../api/makeApi.ts"
import { type Problem, problemFromCause } from "../api/problems.ts"
import { dependingOn } from "../api/reactivity.ts"
import { DAY, inQuarters } from "../i18n/period.ts"

const api = withConventions(HttpApi.make("metrics").add(MetricsApi))

class MetricsClient extends AtomHttpApi.Service<MetricsClient>()("MetricsClient", { api, ...pageClient }) {}

/** The lengths of buckets that charts of energies have. */
export type EnergyBucketName = Extract<Bucket, "15m" | "hour" | "day">

/** The devices, the time and the buckets of a question about energies. Without a site it is about the whole workspace. */
interface EnergyQuestion {
  readonly siteId: string | undefined
  readonly from: number
  readonly to: number
  readonly period: EnergyBucketName
  readonly timeZone: string
}

interface PartialQuestion {
  readonly metric: MetricName
  readonly deviceType?: DeviceType
}

/** A battery's production is what it discharged, a meter's is what it exported. */
const parts = {
  generation: { metric: "generation" },
  production: { metric: "production" },
  load: { metric: "load" },
  charged: { metric: "charging", deviceType: "battery" },
  discharged: { metric: "production", deviceType: "battery" },
  exported: { metric: "production", deviceType: "meter" },
  net: { metric: "grid", deviceType: "meter" },
  grid: { metric: "grid" }
} as const satisfies Readonly<Record<Exclude<EnergyName, "imported"> | "net", PartialQuestion>>

type PartName = keyof typeof parts
const partNames = Object.keys(parts) as ReadonlyArray<PartName>

export interface EnergyResponse {
  readonly series: Readonly<Record<EnergyName, EnergySeries>>
  /** Why the service refused to compute some of them, such as for a very large workspace. */
  readonly refused: Readonly<Partial<Record<EnergyName, Problem>>>
  /** As of when the oldest of them is; null if all are of the time of the request. */
  readonly asOf: string | null
}

const partQuery = (question: EnergyQuestion, { metric, deviceType }: PartialQuestion) =>
  MetricsClient.query("metrics", metric, {
    headers: {},
    query: given({
      siteId: listed(question.siteId),
      deviceType: listed(deviceType),
      from: new Date(question.from).toISOString(),
      to: new Date(question.to).toISOString(),
      period: question.period,
      timezone: question.timeZone
    }),
    reactivityKeys: keys("metrics")
  }) as unknown as Atom.Atom<AsyncResult.AsyncResult<MetricSeries, unknown>>

const responseFrom = (
  results: Readonly<Record<PartName, AsyncResult.AsyncResult<MetricSeries, unknown>>>
): AsyncResult.AsyncResult<EnergyResponse, unknown> => {
  const all = Object.values(results)
  const failed = all.filter(AsyncResult.isFailure)
  const unanswered = failed.find(({ cause }) => problemFromCause(cause).kind !== "refused")
  if (unanswered !== undefined || failed.length === all.length)
    return AsyncResult.failure((unanswered ?? failed[0]!).cause)
  if (all.some(AsyncResult.isInitial)) return AsyncResult.initial(true)
  const series = {} as Record<PartName, EnergySeries>
  const refused: Partial<Record<EnergyName, Problem>> = {}
  for (const name of partNames) {
    const result = results[name]
    series[name] = result._tag === "Success" ? bucketsFrom(result.value) : []
    if (result._tag === "Failure") refused[name === "net" ? "imported" : name] ??= problemFromCause(result.cause)
  }
  const { net, ...others } = series
  if (refused.exported !== undefined) refused.imported ??= refused.exported
  const times = all.flatMap((result) => (result._tag === "Success" ? (result.value.meta.asOf ?? []) : []))
  const response: EnergyResponse = {
    series: { ...others, imported: importedFrom(net, others.exported) },
    refused,
    asOf: times.toSorted()[0] ?? null
  }
  return AsyncResult.success(response, { waiting: all.some(({ waiting }) => waiting) })
}

/** The energies of a site or of the workspace. The same question gives the same atom. */
export const energyQuery = Atom.family((question: EnergyQuestion) => {
  const queries = partNames.map((name) => [name, partQuery(question, parts[name])] as const)
  return Atom.readable(
    (get): AsyncResult.AsyncResult<EnergyResponse, unknown> =>
      responseFrom(
        Object.fromEntries(queries.map(([name, query]) => [name, get(query)])) as Record<
          PartName,
          AsyncResult.AsyncResult<MetricSeries, unknown>
        >
      ),
    (refresh) => {
      for (const [, query] of queries) refresh(query)
    }
  )
})

/**
 * The buckets of a period: quarters of an hour up to two days, for a site hours up to eight days, and days, which even the largest
 * workspaces get.
 */
export const energyBucket = (siteId: string | undefined, { from, to }: Span): EnergyBucketName =>
  to - from < 2.1 * DAY ? "15m" : siteId !== undefined && to - from < 8.1 * DAY ? "hour" : "day"

interface Span {
  readonly from: number
  readonly to: number
}

const questionFor = (siteId: string | undefined, period: Span, timeZone: string): EnergyQuestion => {
  const { from, to } = inQuarters(period)
  return { siteId, from, to, period: energyBucket(siteId, period), timeZone }
}

/** The energies of a period, in buckets that fit its length. */
export const periodEnergyQuery = (siteId: string | undefined, period: Span, timeZone: string) =>
  energyQuery(questionFor(siteId, period, timeZone))

/** The energy that batteries store at the end of each bucket of a period. */
export const storedEnergyQuery = (siteId: string | undefined, period: Span, timeZone: string) =>
  partQuery(questionFor(siteId, period, timeZone), { metric: "storage", deviceType: "battery" })

interface DeviceSpan {
  readonly id: string
  readonly from: number
  readonly to: number
  readonly metrics: ReadonlyArray<MetricName>
  readonly bucket: Bucket
  readonly timezone: string
}

export type DeviceMetrics = Readonly<Partial<Record<MetricName, MetricSeries>>>

const readMetrics = (client: typeof MetricsClient.Service, { id, from, to, metrics, bucket, timezone }: DeviceSpan) =>
  Effect.map(
    Effect.forEach(
      metrics,
      (metric) =>
        client.metrics[metric]({
          headers: {},
          query: {
            deviceId: [id],
            groupBy: "device",
            period: bucket,
            from: new Date(from).toISOString(),
            to: new Date(to).toISOString(),
            timezone
          }
        }).pipe(
          Effect.map(
            (response) => [metric, typeof response === "string" ? undefined : (response as MetricSeries)] as const
          )
        ),
      { concurrency: metrics.length }
    ),
    (series): DeviceMetrics => Object.fromEntries(series.filter(([, response]) => response !== undefined))
  )

/** Metrics of a device, in buckets. */
export const deviceMetricsQuery = Atom.family((span: DeviceSpan) =>
  MetricsClient.runtime
    .atom(MetricsClient.use((client) => readMetrics(client, span)))
    .pipe(dependingOn(keys(`history:${span.id}`)))
)
