import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { ValidationError } from "@edp/domain/errors/ApiErrors"
import { type Metric, type MetricName, metricNames, metricTable } from "@edp/domain/metrics/Metric"
import { MAX_ANSWER, type MetricQuery } from "@edp/domain/metrics/MetricQuery"
import type { MetricSeries } from "@edp/domain/metrics/MetricSeries"
import { type PageOf, pageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { UnreadAnswers } from "../platform/observability/UnreadAnswers.ts"
import { boundsOfReadings } from "../energy/bucketBounds.ts"
import { grouped, type Grouping } from "./grouping.ts"
import { MetricDevices, type NotFound } from "./MetricDevices.ts"
import { requireBounds, requireComputable, requireFewPoints } from "./metricLimits.ts"
import { ownTypes, placeTypes, waysFor } from "../energy/metricRules.ts"
import { defaultPeriod, metricSpan } from "./metricSpan.ts"
import type { SelectedDevice } from "./MetricsRepository.ts"
import { PlaceEnergy, type RuledPlace } from "./PlaceEnergy.ts"
import { devicesApart, placesOf } from "../energy/places.ts"
import { makeTotals, timestampsOf } from "../energy/totals.ts"

type Caller = CurrentKey["Service"]

/** So many points are computed at the same time: one of the largest answers, and hundreds of ordinary ones beside it. */
const POINTS_AT_A_TIME = 1.5 * MAX_ANSWER
/** Of its text, about. */
const BYTES_OF_A_POINT = 100

const catalogue: ReadonlyArray<Metric> = metricNames.map((name) => {
  const { aggregation, description, deviceTypes } = metricTable[name]
  return { name, description, unit: "Wh", deviceTypes, aggregation }
})

const typesFor = (metric: MetricName, groupBy: Grouping) =>
  groupBy === "device" ? ownTypes(metric) : placeTypes(metric)

const placesFor = (
  metric: MetricName,
  groupBy: Grouping,
  devices: ReadonlyArray<SelectedDevice>
): ReadonlyArray<RuledPlace> =>
  (groupBy === "device" ? devicesApart(devices) : placesOf(devices)).map((place) => {
    const types = place.devices.map(({ type }) => type)
    return { ...place, ways: waysFor(metric, types) }
  })

/** Energies over time, computed from the readings of devices. */
export class Metrics extends Context.Service<
  Metrics,
  {
    readonly list: (paging: { readonly page?: number; readonly perPage?: number }) => PageOf<Metric>
    readonly read: (
      caller: Caller,
      metric: MetricName,
      query: MetricQuery
    ) => Effect.Effect<MetricSeries, ValidationError | NotFound>
  }
>()("@edp/server/Metrics") {
  static readonly layer = Layer.effect(
    Metrics,
    Effect.gen(function* () {
      const devicesOf = yield* MetricDevices
      const energy = yield* PlaceEnergy
      const unread = yield* UnreadAnswers
      const computing = yield* Semaphore.make(POINTS_AT_A_TIME)

      const read = Effect.fnUntraced(function* (
        { id: keyId, workspaceId }: Caller,
        metric: MetricName,
        query: MetricQuery
      ) {
        const now = yield* Clock.currentTimeMillis
        const span = yield* metricSpan(query, now)
        const { groupBy = "none", period = defaultPeriod(span) } = query
        // What is wrong with the question itself is told before anything is looked up for it.
        const zone = query.timezone ?? "UTC"
        const first = yield* requireBounds(period, span, zone)
        const devices = yield* devicesOf.select(workspaceId, query, typesFor(metric, groupBy))
        const timezone = yield* devicesOf.timezone(workspaceId, query, devices)
        const bounds = timezone === zone ? first : yield* requireBounds(period, span, timezone)
        const { aggregation } = metricTable[metric]
        const places = placesFor(metric, groupBy, devices)
        const timestamps = timestampsOf(bounds)
        const { points, series, totalsOf } = grouped(groupBy, places, () =>
          makeTotals({ bounds, timestamps, aggregation, now })
        )
        yield* requireFewPoints(series, bounds)
        const known = boundsOfReadings(bounds, now)
        if (known !== undefined) yield* requireComputable(devices.length, known.bounds)
        const size = series * (bounds.length - 1)
        const data = yield* Effect.gen(function* () {
          yield* unread.requireRoom(keyId, size * BYTES_OF_A_POINT)
          if (known !== undefined) {
            yield* energy.compute(places, known.bounds, (place) => {
              const { add } = totalsOf(place)
              return (cell, amount, covered) => add(known.first + cell, amount, covered)
            })
          }
          return points()
        }).pipe(computing.withPermits(Math.min(size, MAX_ANSWER)))
        const [from, to] = [span.from, span.to].map((at) => new Date(at).toISOString()) as [string, string]
        return { data, meta: { metric, unit: "Wh" as const, period, from, to, aggregation, timezone } }
      })

      return {
        list: ({ page = 1, perPage = 10 }) =>
          pageOf(catalogue.slice((page - 1) * perPage, page * perPage), page, perPage, catalogue.length),
        read: Effect.fn("Metrics.read")(read)
      }
    })
  )
}
