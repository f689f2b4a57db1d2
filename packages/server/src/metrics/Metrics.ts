import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { ServiceUnavailable, ValidationError } from "@edp/domain/errors/ApiErrors"
import { type Metric, type MetricName, metricNames, metricTable } from "@edp/domain/metrics/Metric"
import { type MetricQuery, MAX_RESPONSE } from "@edp/domain/metrics/MetricQuery"
import type { MetricPoint, MetricSeries, Period } from "@edp/domain/metrics/MetricSeries"
import { type PageOf, makePage } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Semaphore, Stream } from "effect"
import { boundsOfReadings, bucketBounds } from "../energy/bucketBounds.ts"
import { deviceTypesFor, siteTypes } from "../energy/formulas.ts"
import type { Span } from "../energy/intervals.ts"
import { type Site, devicesApart, groupBySite } from "../energy/siteSeries.ts"
import { type SeriesFrame, type Totals, makeTotals, toTimestamps } from "../energy/totals.ts"
import { UnreadResponses } from "../platform/observability/UnreadResponses.ts"
import { makeReads } from "../platform/replicas/readReplica.ts"
import { MetricDevices, type NotFound } from "./MetricDevices.ts"
import { type DevicePart, type SelectedDevice, toDevices } from "./MetricsRepository.ts"
import type { Fleet } from "./FleetRepository.ts"
import type { FleetMetric } from "./blockSums.ts"
import { FleetRecent, type RecentSums } from "./FleetRecent.ts"
import { FleetSums } from "./FleetSums.ts"
import { SiteEnergy, withFormulas } from "./SiteEnergy.ts"
import {
  type Grouping,
  defaultPeriod,
  metricSpan,
  requireBounds,
  requireComputable,
  requireFewPoints
} from "./metricRequest.ts"

type Group = Pick<MetricPoint, "deviceId" | "siteId">

/** The ids in the points of a series; devices without a site share one series. */
const toGroup = (groupBy: Grouping, { devices, siteId }: Site): Group => {
  if (groupBy === "device") return { deviceId: devices[0]!.id }
  return groupBy === "site" && siteId !== null ? { siteId } : {}
}

interface ReportingSite extends Site {
  readonly devices: ReadonlyArray<Site["devices"][number] & { readonly reporting: Span | undefined }>
}

/** Sums are kept by the day: a longer bucket is the sum of its days, unless its latest value counts. */
const boundsOfSums = ({ bounds, metric, period, timezone }: SummedFrame): ReadonlyArray<number> => {
  if (!["week", "month", "year"].includes(period) || metricTable[metric].aggregation === "latest") return bounds
  return bucketBounds("day", { from: bounds[0]!, to: bounds.at(-1)! }, timezone) ?? bounds
}

/** The bucket that each of some shorter ones is in. */
const findParents = (shorter: ReadonlyArray<number>, bounds: ReadonlyArray<number>): ReadonlyArray<number> => {
  let parent = 0
  return shorter.map((at) => {
    while (bounds[parent + 1]! <= at) parent++
    return parent
  })
}

/** The series of a response in the order of their sites. Without groups there is exactly one. */
const grouped = <P extends ReportingSite>(groupBy: Grouping, sites: ReadonlyArray<P>, make: () => Totals) => {
  const groups = new Map<string | undefined, { readonly group: Group; readonly totals: Totals }>()
  const ofSite = new Map<P, Totals>()
  const getTotals = (group: Group) => {
    const id = group.deviceId ?? group.siteId
    const series = groups.get(id) ?? { group, totals: make() }
    groups.set(id, series)
    return series.totals
  }
  if (groupBy === "none") getTotals({})
  for (const site of sites) {
    const totals = getTotals(toGroup(groupBy, site))
    totals.expect(site.devices.flatMap(({ reporting }) => reporting ?? []))
    ofSite.set(site, totals)
  }
  return {
    series: groups.size,
    findTotals: (site: P) => ofSite.get(site)!,
    /** The points of one series after the other: each is made when it is asked for. */
    *points() {
      for (const { group, totals } of groups.values()) yield totals.points(group)
    }
  }
}

type Caller = CurrentKey["Service"]

/** The most points that are computed at the same time: one largest response and hundreds of ordinary ones. */
const POINTS_AT_A_TIME = 1.5 * MAX_RESPONSE
/** The size of a point's text, about. */
const BYTES_OF_A_POINT = 100

const catalogue: ReadonlyArray<Metric> = metricNames.map((name) => {
  const { aggregation, description, deviceTypes } = metricTable[name]
  return { name, description, unit: "Wh", deviceTypes, aggregation }
})

const typesFor = (metric: MetricName, groupBy: Grouping) =>
  groupBy === "device" ? deviceTypesFor(metric) : siteTypes(metric)

/** Series by site with more points than this are computed while they are sent. */
const STREAMED = 10_000

/** A large response, of which a part at a time is computed while it is sent. The first one is computed already. */
export interface MetricParts {
  readonly meta: MetricSeries["meta"]
  readonly parts: Stream.Stream<ReadonlyArray<MetricPoint>, ServiceUnavailable>
}

export type MetricResponse = MetricSeries | MetricParts

interface SummedFrame extends Pick<SeriesFrame, "bounds">, FleetMetric {
  readonly period: Period
  readonly timezone: string
}

interface ResponseFrame extends SeriesFrame, SummedFrame {
  readonly groupBy: Grouping
  readonly keyId: string
  readonly known: ReturnType<typeof boundsOfReadings>
  readonly recent: RecentSums | undefined
}

const countSeries = (groupBy: Grouping, parts: ReadonlyArray<DevicePart>) => {
  if (groupBy === "none") return 1
  // Devices without a site share a series.
  return parts.reduce((sum, { devices, sites }) => sum + (groupBy === "device" ? devices : Math.max(1, sites)), 0)
}

/** Responds to queries for energies over time. */
export class Metrics extends Context.Service<
  Metrics,
  {
    readonly list: (paging: { readonly page?: number; readonly perPage?: number }) => PageOf<Metric>
    readonly read: (
      caller: Pick<Caller, "id" | "workspaceId">,
      metric: MetricName,
      query: MetricQuery
    ) => Effect.Effect<MetricResponse, ValidationError | NotFound | ServiceUnavailable>
  }
>()("@edp/server/Metrics") {
  static readonly layer = Layer.effect(
    Metrics,
    Effect.gen(function* () {
      const metricDevices = yield* MetricDevices
      const energy = yield* SiteEnergy
      const fleets = yield* FleetSums
      const recentSums = yield* FleetRecent
      const unread = yield* UnreadResponses
      const computing = yield* Semaphore.make(POINTS_AT_A_TIME)
      const { onReplica } = yield* makeReads

      /** Whether a query is about the whole workspace, or about all of its devices of one type. */
      const isWholeWorkspace = ({ collectionId, customerId, deviceId, deviceType, siteId, tag }: MetricQuery) =>
        [collectionId, customerId, deviceId, siteId, tag].every((filter) => filter === undefined) &&
        (deviceType === undefined || deviceType.length === 1)

      /** The points of each series of some sites, computed together. */
      const readSeries = (frame: ResponseFrame, part: ReadonlyArray<Site<SelectedDevice>>) =>
        Effect.gen(function* () {
          const { bounds, groupBy, keyId, known, metric } = frame
          const sites = withFormulas(metric, part)
          const { points, series, findTotals } = grouped(groupBy, sites, () => makeTotals(frame))
          const size = series * (bounds.length - 1)
          return yield* Effect.gen(function* () {
            yield* unread.requireRoom(keyId, size * BYTES_OF_A_POINT)
            if (known !== undefined) {
              yield* energy.compute(sites, known.bounds, (site) => {
                const { add } = findTotals(site)
                return (interval, amount, covered) => add(known.first + interval, amount, covered)
              })
            }
            return points()
          }).pipe(computing.withPermits(Math.min(size, MAX_RESPONSE)))
        })

      const readFleet = (frame: ResponseFrame, fleet: Fleet) =>
        Effect.gen(function* () {
          const { deviceType, metric, now, recent } = frame
          const totals = makeTotals(frame)
          const summedBounds = boundsOfSums(frame)
          const known = boundsOfReadings(summedBounds, now)
          const parents = findParents(summedBounds, frame.bounds)
          const first = known?.first ?? 0
          const add: typeof totals.add = (interval, amount, covered) =>
            totals.add(parents[first + interval]!, amount, covered)
          yield* fleets.addTo(
            { ...totals, add },
            { fleet, metric, deviceType, bounds: known?.bounds ?? [now], now, recent }
          )
          return totals.points({})
        }).pipe(computing.withPermits(frame.bounds.length))

      /** The sums of recent energy, if any bucket can be read from them. */
      const findRecent = (fleet: Fleet, metric: SummedFrame, now: number) =>
        Effect.map(recentSums.find(fleet, now), (recent) => {
          if (recent === undefined) return undefined
          const bounds = boundsOfSums(metric)
          const buckets = bounds.slice(1).map((to, n) => ({ from: bounds[n]!, to }))
          const isHeld = (bucket: Span) => recentSums.holds(recent, metric, bucket)
          // Older sums are kept of all devices together.
          const isEnough =
            metric.deviceType === undefined
              ? buckets.some(isHeld)
              : buckets.every((bucket) => bucket.from >= recent.asOf || isHeld(bucket))
          return isEnough ? recent : undefined
        })

      const read = Effect.fnUntraced(function* (
        { id: keyId, workspaceId }: Pick<Caller, "id" | "workspaceId">,
        metric: MetricName,
        query: MetricQuery
      ) {
        const requestedAt = yield* Clock.currentTimeMillis
        const requested = yield* metricSpan(query, requestedAt)
        const { groupBy = "none", period = defaultPeriod(requested) } = query
        // An invalid query is refused before anything is read.
        const zone = query.timezone ?? "UTC"
        const first = yield* requireBounds(period, requested, zone)
        const deviceType = query.deviceType?.[0]
        const isFleet = groupBy === "none" && isWholeWorkspace(query)
        const found = isFleet ? yield* fleets.find(workspaceId) : undefined
        const inZone = (timezone: string) =>
          timezone === zone ? Effect.succeed(first) : requireBounds(period, requested, timezone)
        const findForFleet = Effect.fnUntraced(function* (fleet: Fleet) {
          const timezone = yield* metricDevices.timezone(workspaceId, query, () => new Set())
          return yield* findRecent(
            fleet,
            { metric, deviceType, period, timezone, bounds: yield* inZone(timezone) },
            requestedAt
          )
        })
        const recent = found === undefined ? undefined : yield* findForFleet(found)
        // Only recent sums are kept by type.
        const fleet = deviceType !== undefined && recent === undefined ? undefined : found
        const parts =
          fleet === undefined ? yield* metricDevices.select(workspaceId, query, typesFor(metric, groupBy)) : []
        const parseDevices = (part: DevicePart) => toDevices(part, new Date(requestedAt))
        const siteIds = () => new Set(parts.flatMap((part) => parseDevices(part).flatMap(({ siteId }) => siteId ?? [])))
        const timezone = yield* metricDevices.timezone(workspaceId, query, siteIds)
        // With sums of recent energy the response is what it was when they were made.
        const now = recent?.asOf ?? requestedAt
        const span = recent === undefined ? requested : yield* metricSpan(query, now)
        const bounds = recent === undefined ? yield* inZone(timezone) : yield* requireBounds(period, span, timezone)
        const { aggregation } = metricTable[metric]
        const known = boundsOfReadings(bounds, now)
        const timestamps = toTimestamps(bounds)
        const frame: ResponseFrame = {
          metric,
          deviceType,
          period,
          timezone,
          bounds,
          timestamps,
          aggregation,
          now,
          groupBy,
          keyId,
          known,
          recent
        }
        const [from, to] = [span.from, span.to].map((at) => new Date(at).toISOString()) as [string, string]
        const meta = {
          metric,
          unit: "Wh" as const,
          period,
          from,
          to,
          aggregation,
          timezone,
          asOf: recent === undefined ? null : new Date(recent.asOf).toISOString()
        }
        if (fleet !== undefined) return { meta, data: yield* readFleet(frame, fleet) }
        const devices = parts.reduce((sum, part) => sum + part.devices, 0)
        const series = countSeries(groupBy, parts)
        const points = series * (bounds.length - 1)
        yield* requireFewPoints(groupBy, series, bounds)
        if (known !== undefined) yield* requireComputable(groupBy, devices * (known.bounds.at(-1)! - known.bounds[0]!))
        if (groupBy !== "site" || points <= STREAMED) {
          const all = parts.flatMap(parseDevices)
          const sites = groupBy === "device" ? devicesApart(all) : groupBySite(all)
          return { meta, data: Array.from(yield* readSeries(frame, sites)).flat() }
        }
        const readPart = (part: DevicePart) =>
          onReplica(Effect.suspend(() => readSeries(frame, groupBySite(parseDevices(part)))))
        const [begun, ...others] = parts
        return {
          meta,
          parts: Stream.make(yield* readPart(begun!)).pipe(
            Stream.concat(Stream.mapEffect(Stream.fromIterable(others), readPart)),
            Stream.flatMap((each) => Stream.fromIterable(each, { chunkSize: 1 }))
          )
        }
      })

      return {
        list: ({ page = 1, perPage = 10 }) =>
          makePage(catalogue.slice((page - 1) * perPage, page * perPage), page, perPage, catalogue.length),
        read: Effect.fn("Metrics.read")((caller, metric, query) => onReplica(read(caller, metric, query)))
      }
    })
  )
}
