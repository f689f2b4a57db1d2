import { AlertsApi } from "@edp/domain/alerts/AlertsApi"
import { withConventions } from "@edp/domain/auth/middleware"
import { CommandsApi } from "@edp/domain/commands/CommandsApi"
import { ConnectionsApi } from "@edp/domain/connections/ConnectionsApi"
import { CustomersApi } from "@edp/domain/customers/CustomersApi"
import type { RecordedFields } from "@edp/domain/devices/DeviceState"
import { DevicesApi } from "@edp/domain/devices/DevicesApi"
import { ManufacturersApi } from "@edp/domain/manufacturers/ManufacturersApi"
import type { MetricName } from "@edp/domain/metrics/Metric"
import type { MetricSeries, Period as Bucket } from "@edp/domain/metrics/MetricSeries"
import { MetricsApi } from "@edp/domain/metrics/MetricsApi"
import { SitesApi } from "@edp/domain/sites/SitesApi"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Atom, AtomHttpApi } from "effect/reactivity"
import { keys, pageClient } from "../../api/makeApi.ts"
import { dependingOn } from "../../api/reactivity.ts"

const api = withConventions(
  HttpApi.make("device").add(
    DevicesApi,
    CommandsApi,
    AlertsApi,
    MetricsApi,
    SitesApi,
    CustomersApi,
    ManufacturersApi,
    ConnectionsApi
  )
)

export class DeviceClient extends AtomHttpApi.Service<DeviceClient>()("DeviceClient", { api, ...pageClient }) {}

export const deviceQuery = (id: string) =>
  DeviceClient.query("devices", "get", { params: { id }, reactivityKeys: keys(`device:${id}`) })

export const siteQuery = (id: string) =>
  DeviceClient.query("sites", "get", { params: { id }, query: {}, reactivityKeys: keys("sites", `site:${id}`) })

export const sitesQuery = (q: string) =>
  DeviceClient.query("sites", "list", {
    query: { perPage: 20, ...(q !== "" && { q }) },
    reactivityKeys: keys("sites")
  })

/** Customers of a site that the page names; the site's own page lists all. */
const NAMED_CUSTOMERS = 10

export const customersQuery = (siteId: string) =>
  DeviceClient.query("customers", "list", {
    query: { siteId: [siteId], perPage: NAMED_CUSTOMERS },
    reactivityKeys: keys("customers")
  })

export const manufacturerQuery = (slug: string) =>
  DeviceClient.query("manufacturers", "get", { params: { slug }, reactivityKeys: keys("manufacturers") })

export const commandsQuery = (id: string, page: number) =>
  DeviceClient.query("commands", "ofDevice", {
    params: { id },
    query: { page, perPage: 20 },
    reactivityKeys: keys("commands")
  })

export const alertsQuery = (id: string, page: number) =>
  DeviceClient.query("alerts", "ofDevice", {
    params: { id },
    query: { page, perPage: 20 },
    reactivityKeys: keys("alerts")
  })

type Client = typeof DeviceClient.Service

interface Span {
  readonly id: string
  readonly from: number
  readonly to: number
}

/** The readings of a time, in its order. */
export interface History {
  readonly readings: ReadonlyArray<RecordedFields>
  /** There were too many to read them all: these are some, evenly spread over the time. */
  readonly isSampled: boolean
}

const PER_PAGE = 100
/** More pages are not read: a device that reports every ten seconds fills 87 a day. */
const MOST_PAGES = 100
const SAMPLES = 240
const CONCURRENCY = 12

const iso = (millis: number) => new Date(millis).toISOString()

const readPage = (client: Client, id: string, from: number, to: number, page: number, perPage: number) =>
  client.devices
    .history({ params: { id }, query: { from: iso(from), to: iso(to), order: "asc", page, perPage } })
    .pipe(Effect.map(({ body }) => body))

const sample = (client: Client, { id, from, to }: Span) => {
  const step = (to - from) / SAMPLES
  const starts = Array.from({ length: SAMPLES }, (_, index) => Math.round(from + index * step))
  return Effect.forEach(starts, (start) => readPage(client, id, start, Math.round(start + step), 1, 1), {
    concurrency: CONCURRENCY
  })
}

const readHistory = (client: Client, span: Span) =>
  Effect.gen(function* () {
    const first = yield* readPage(client, span.id, span.from, span.to, 1, PER_PAGE)
    const pages = first.totalPages ?? 1
    const isSampled = pages > MOST_PAGES
    const rest = isSampled
      ? yield* sample(client, span)
      : yield* Effect.forEach(
          Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 2),
          (page) => readPage(client, span.id, span.from, span.to, page, PER_PAGE),
          { concurrency: CONCURRENCY }
        )
    const readings = (isSampled ? rest : [first, ...rest]).flatMap(({ data }) => data as ReadonlyArray<RecordedFields>)
    return { readings, isSampled } satisfies History
  })

/** The readings of a time. The pages are read side by side. */
export const historyQuery = Atom.family((span: Span) =>
  DeviceClient.runtime
    .atom(DeviceClient.use((client) => readHistory(client, span)))
    .pipe(dependingOn(keys(`history:${span.id}`)))
)

interface MetricSpan extends Span {
  readonly metrics: ReadonlyArray<MetricName>
  readonly bucket: Bucket
  readonly timezone: string
}

const readMetrics = (client: Client, { id, from, to, metrics, bucket, timezone }: MetricSpan) =>
  Effect.map(
    Effect.forEach(
      metrics,
      (metric) =>
        client.metrics[metric]({
          headers: {},
          query: { deviceId: [id], groupBy: "device", period: bucket, from: iso(from), to: iso(to), timezone }
        }).pipe(
          Effect.map(
            (response) => [metric, typeof response === "string" ? undefined : (response as MetricSeries)] as const
          )
        ),
      { concurrency: metrics.length }
    ),
    (series): Readonly<Partial<Record<MetricName, MetricSeries>>> =>
      Object.fromEntries(series.filter(([, response]) => response !== undefined))
  )

/** Metrics of the device, in buckets. */
export const metricsQuery = Atom.family((span: MetricSpan) =>
  DeviceClient.runtime
    .atom(DeviceClient.use((client) => readMetrics(client, span)))
    .pipe(dependingOn(keys(`history:${span.id}`)))
)

/** Sessions that are looked at for the one that connected a device. */
const MOST_SESSIONS = 10

interface Linked {
  readonly id: string
  readonly referenceId: string
  readonly manufacturer: string
}

const findSession = (client: Client, { id: deviceId, referenceId, manufacturer }: Linked) =>
  Effect.gen(function* () {
    const sessions = yield* client.connections.list({
      query: {
        status: ["SUCCESS"],
        referenceId: [referenceId],
        manufacturer: [manufacturer],
        perPage: MOST_SESSIONS
      }
    })
    for (const { id } of sessions.data) {
      const detail = yield* client.connections.get({ params: { id } })
      if (detail.deviceIds.includes(deviceId)) return detail
    }
    return null
  })

/** The session that connected a device, newest first; null for one that no account links. */
export const sessionQuery = Atom.family((device: Linked) =>
  DeviceClient.runtime
    .atom(DeviceClient.use((client) => findSession(client, device)))
    .pipe(dependingOn(keys("connections")))
)
