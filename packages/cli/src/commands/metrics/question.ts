import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MetricQuery } from "@edp/domain/metrics/MetricQuery"
import type { MetricSeries } from "@edp/domain/metrics/MetricSeries"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { Effect } from "effect"
import { Connection } from "../../kernel/Connection.ts"
import { customerId, findDevice, siteId, siteLabel } from "../../kernel/find.ts"
import { type MetricView, type NamedSeries, toBounds, splitByGroup } from "./view.ts"

export interface FilterFlags {
  readonly device: ReadonlyArray<string>
  readonly site: ReadonlyArray<string>
  readonly customer: ReadonlyArray<string>
  readonly collection: ReadonlyArray<string>
  readonly tag: ReadonlyArray<string>
  readonly type: ReadonlyArray<DeviceType>
}

/** The filters of a metric query, and their description. */
export interface MetricFilters {
  readonly filters: MetricQuery
  readonly place: string
}

const deviceName = Effect.fnUntraced(function* (id: string) {
  return (yield* findDevice(id)).name
})

/** The site's name, else its reference or street. */
const siteName = Effect.fnUntraced(function* (id: string) {
  const call = yield* (yield* Connection).endpoint("sites", "get")
  return siteLabel(yield* call({ params: { id }, query: {} }))
})

/** For more groups, ids are shown instead of names. */
const MOST_NAMES = 50

const findName = Effect.fnUntraced(function* (groupBy: "device" | "site", id: string) {
  if (id === "") return "without a site"
  return groupBy === "device" ? yield* deviceName(id) : yield* siteName(id)
})

/** Names of devices or sites, in the order of their ids. */
const findNames = Effect.fnUntraced(function* (groupBy: "device" | "site", ids: ReadonlyArray<string>) {
  if (ids.length > MOST_NAMES) return ids
  const names = yield* Effect.forEach(ids, (id) => findName(groupBy, id), { concurrency: 4 })
  const isTwice = (name: string) => names.indexOf(name) !== names.lastIndexOf(name)
  return names.map((name, at) => (isTwice(name) ? `${name} (${ids[at]})` : name))
})

const some = (noun: string, names: ReadonlyArray<string>) => {
  if (names.length === 0) return []
  return [names.length <= 3 ? names.join(" and ") : `${names.length} ${noun}s`]
}

/** Resolves all names first, so that a misspelt one fails before the query. */
export const resolveFilters = Effect.fnUntraced(function* (flags: FilterFlags) {
  const devices = yield* Effect.forEach(flags.device, findDevice)
  const siteIds = yield* Effect.forEach(flags.site, siteId)
  const customers = yield* Effect.forEach(flags.customer, customerId)
  const siteNames = siteIds.length > 3 ? siteIds : yield* Effect.forEach(siteIds, siteName)
  const place = [
    ...some(
      "device",
      devices.map(({ name }) => name)
    ),
    ...some("site", siteNames),
    ...some("customer", flags.customer),
    ...some(
      "collection",
      flags.collection.map((id) => `collection ${id}`)
    ),
    ...some(
      "tag",
      flags.tag.map((tag) => `tag ${tag}`)
    ),
    ...some(
      "type",
      flags.type.map((type) => `type ${type}`)
    )
  ].join(", ")
  const filters = {
    ...(devices.length > 0 && { deviceId: devices.map(({ id }) => id) }),
    ...(siteIds.length > 0 && { siteId: siteIds }),
    ...(customers.length > 0 && { customerId: customers }),
    ...(flags.collection.length > 0 && { collectionId: flags.collection }),
    ...(flags.tag.length > 0 && { tag: flags.tag }),
    ...(flags.type.length > 0 && { deviceType: flags.type })
  } satisfies MetricQuery
  return { filters, place: place === "" ? "the whole workspace" : place } satisfies MetricFilters
})

export const readMetric = Effect.fnUntraced(function* (metric: MetricName, query: MetricQuery) {
  const { metrics } = yield* (yield* Connection).clientFor("metrics", metric)
  const series: MetricSeries = yield* metrics[metric]({ query, headers: {} })
  return series
})

/** The time zone that the service uses for a query. */
export const findTimezone = Effect.fnUntraced(function* (metric: MetricName, filters: MetricQuery) {
  const instant = new Date(0).toISOString()
  const { meta } = yield* readMetric(metric, { ...filters, from: instant, to: instant })
  return meta.timezone
})

/** Reads several metrics over the same buckets: the range of the first response, because a range may end now. */
export const readMetrics = Effect.fnUntraced(function* (metrics: ReadonlyArray<MetricName>, query: MetricQuery) {
  const [first, ...others] = metrics
  const response = yield* readMetric(first!, query)
  const { timeframe: _, ...rest } = query
  const { from, period, timezone, to } = response.meta
  const more = yield* Effect.forEach(others, (metric) => readMetric(metric, { ...rest, from, to, period, timezone }), {
    concurrency: 2
  })
  return [response, ...more]
})

const toNamedSeries = Effect.fnUntraced(function* (response: MetricSeries, groupBy: "device" | "site") {
  const groups = splitByGroup(response.data)
  const names = yield* findNames(groupBy, [...groups.keys()])
  return [...groups.values()].map((points, at): NamedSeries => ({
    name: names[at]!,
    metric: response.meta.metric,
    points
  }))
})

/** Turns responses into named series. */
export const makeView = Effect.fnUntraced(function* (
  responses: ReadonlyArray<MetricSeries>,
  place: string,
  groupBy: NonNullable<MetricQuery["groupBy"]>
) {
  const [first] = responses
  const series =
    groupBy === "none"
      ? responses.map(({ data, meta }): NamedSeries => ({ name: meta.metric, metric: meta.metric, points: data }))
      : yield* toNamedSeries(first!, groupBy)
  const { period, timezone } = first!.meta
  const times = responses.flatMap(({ meta }) => (meta.asOf === null ? [] : Date.parse(meta.asOf)))
  const bounds = toBounds(first!)
  return {
    series,
    place,
    period,
    timezone,
    bounds,
    asOf: times.length === 0 ? null : Math.min(...times)
  } satisfies MetricView
})
