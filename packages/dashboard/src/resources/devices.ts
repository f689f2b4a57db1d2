import { withConventions } from "@edp/domain/auth/middleware"
import { DeviceConnectionsApi } from "@edp/domain/dashboard/DeviceConnectionsApi"
import type { RecordedFields } from "@edp/domain/devices/DeviceState"
import { DevicesApi } from "@edp/domain/devices/DevicesApi"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { Atom, AtomHttpApi } from "effect/reactivity"
import { given, keys, pageClient } from "../api/makeApi.ts"
import { dependingOn } from "../api/reactivity.ts"

const api = withConventions(HttpApi.make("devices").add(DevicesApi, DeviceConnectionsApi))

export class DevicesClient extends AtomHttpApi.Service<DevicesClient>()("DevicesClient", { api, ...pageClient }) {}

/** The queries that another value of a device changes. */
export const deviceChanged = (id: string) => ["devices", `device:${id}`]

/** The queries that another site of a device changes: a device takes its history with it. */
export const deviceMoved = (id: string, ...siteIds: ReadonlyArray<string | null>) => [
  ...deviceChanged(id),
  "sites",
  "customers",
  "metrics",
  ...siteIds.flatMap((siteId) => (siteId === null ? [] : [`site:${siteId}`]))
]

/** The queries that the end of a device changes: those of the device itself would not find it. */
export const deviceRemoved = ["devices"]

export const deviceQuery = (id: string) =>
  DevicesClient.query("devices", "get", { params: { id }, reactivityKeys: keys(`device:${id}`) })

/** How a device is reached. A failed attempt to read it has no event: the page asks again from time to time. */
export const deviceConnectionQuery = (id: string) =>
  DevicesClient.query("deviceConnections", "get", {
    params: { id },
    reactivityKeys: keys("connections", `device:${id}`)
  })

/** The first devices whose names begin with a text. */
export const deviceChoicesQuery = (text: string, perPage = 20) =>
  DevicesClient.query("devices", "list", {
    query: given({ perPage, q: text || undefined }),
    reactivityKeys: keys("devices")
  })

export const customerDevicesQuery = (customerId: string, page = 1) =>
  DevicesClient.query("devices", "list", {
    query: { page, perPage: 25, customerId: [customerId] },
    reactivityKeys: keys("devices", `customer:${customerId}`)
  })

export const siteDevicesQuery = (siteId: string, page = 1, perPage = 25) =>
  DevicesClient.query("devices", "ofSite", {
    params: { id: siteId },
    query: { page, perPage },
    reactivityKeys: keys("devices", `site:${siteId}`)
  })

/** Devices of a site whose schedules are read: a filter takes so many. */
export const SCHEDULED_DEVICES = 100

type Client = typeof DevicesClient.Service

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
  /** There are too many to read them all, and none was asked for instead. */
  readonly isTooLong: boolean
}

interface HistorySpan extends Span {
  /** Too many readings are sampled. */
  readonly mayBeSampled: boolean
}

const PER_PAGE = 100
/** More pages are not read: a device that reports every minute fills 101 in seven days. */
const MOST_PAGES = 105
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

const readHistory = (client: Client, span: HistorySpan) =>
  Effect.gen(function* () {
    const first = yield* readPage(client, span.id, span.from, span.to, 1, PER_PAGE)
    const pages = first.totalPages ?? 1
    const isLong = pages > MOST_PAGES
    const isSampled = isLong && span.mayBeSampled
    if (isLong && !isSampled) return { readings: [], isSampled, isTooLong: true } satisfies History
    const rest = isSampled
      ? yield* sample(client, span)
      : yield* Effect.forEach(
          Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 2),
          (page) => readPage(client, span.id, span.from, span.to, page, PER_PAGE),
          { concurrency: CONCURRENCY }
        )
    const readings = (isSampled ? rest : [first, ...rest]).flatMap(({ data }) => data as ReadonlyArray<RecordedFields>)
    return { readings, isSampled, isTooLong: false } satisfies History
  })

/** The readings of a time. The pages are read side by side. */
export const historyQuery = Atom.family((span: HistorySpan) =>
  DevicesClient.runtime
    .atom(DevicesClient.use((client) => readHistory(client, span)))
    .pipe(dependingOn(keys(`history:${span.id}`)))
)
