import type { MetricName } from "@edp/domain/metrics/Metric"
import { Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { DeviceEnergy } from "./DeviceEnergy.ts"
import { finerIntervals } from "../energy/spans.ts"
import { type Formula, formulasFor } from "../energy/formulas.ts"
import type { SelectedDevice } from "./MetricsRepository.ts"
import { type FleetMetric, Sum, fleetMetricTypes } from "./blockSums.ts"
import { type MeasuringDevice, type Site, chunked, groupBySite, siteSeries } from "../energy/siteSeries.ts"
import type { Quantity } from "../energy/quantities.ts"

export interface SiteFormulas extends Site<SelectedDevice> {
  readonly formulas: ReadonlyArray<Formula>
}

/** Sites or devices, each with the formulas of a metric. */
export const withFormulas = (
  metric: MetricName,
  sites: ReadonlyArray<Site<SelectedDevice>>
): ReadonlyArray<SiteFormulas> =>
  sites.map((site) => {
    const types = site.devices.map(({ type }) => type)
    return { ...site, formulas: formulasFor(metric, types) }
  })

/** Receives the amount (µWh) and the covered time (milliseconds) of a part of an interval, each part once. */
export type AddInterval = (interval: number, amount: bigint | null, covered: number) => void

/** Returns the receiver of a site's intervals. */
export type AdderFor = (site: SiteFormulas) => AddInterval

/** The number of devices that are computed together, and about how many values of each quantity. */
const DEVICES = 100
const FIGURES = 100_000

/** Windows of intervals that are short enough to be held in memory for a number of devices. */
const windows = (intervals: number, devices: number) => {
  const size = Math.max(1, Math.floor(FIGURES / Math.max(1, devices)))
  return Array.from({ length: Math.ceil(intervals / size) }, (_, at) => ({
    first: at * size,
    last: Math.min(intervals, (at + 1) * size)
  }))
}

/** The quantities that the formulas of the sites use. */
const quantitiesFor = (sites: ReadonlyArray<SiteFormulas>): ReadonlyArray<Quantity> => [
  ...new Set(
    sites.flatMap(({ formulas }) =>
      formulas.flatMap(({ sum, when }) => [...when, ...sum].map(({ quantity }) => quantity))
    )
  )
]

/** Computes the series of any number of sites over any span in bounded memory. */
export class SiteEnergy extends Context.Service<
  SiteEnergy,
  {
    readonly compute: (
      sites: ReadonlyArray<SiteFormulas>,
      bounds: ReadonlyArray<number>,
      adderFor: AdderFor,
      /** Whether readings that are not rolled up are left out. */
      isRolledOnly?: boolean
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Sums the sites of devices over the buckets between neighbouring bounds, all of the metrics together. */
    readonly sum: (
      devices: ReadonlyArray<SelectedDevice>,
      bounds: ReadonlyArray<number>,
      metrics: ReadonlyArray<FleetMetric>,
      isRolledOnly: boolean
    ) => Effect.Effect<ReadonlyMap<FleetMetric, ReadonlyArray<Sum>>, DatabaseUnavailable>
  }
>()("@edp/server/SiteEnergy") {
  static readonly layer = Layer.effect(
    SiteEnergy,
    Effect.gen(function* () {
      const energy = yield* DeviceEnergy

      const measured = Effect.fnUntraced(function* (
        sites: ReadonlyArray<SiteFormulas>,
        bounds: ReadonlyArray<number>,
        isRolledOnly: boolean
      ) {
        const deviceIds = [...new Set(sites.flatMap(({ devices }) => devices.map(({ id }) => id)))]
        const figures = yield* energy.read({ deviceIds, bounds, quantities: quantitiesFor(sites), isRolledOnly })
        const known = new Map(figures.map((each) => [each.deviceId, each]))
        return (site: SiteFormulas) =>
          site.devices.map(({ id, reporting, type }): MeasuringDevice => ({ ...known.get(id), type, reporting }))
      })

      /** Adds the intervals that can be decided at once, and returns the other ones of each site. */
      const decide = Effect.fnUntraced(function* (
        sites: ReadonlyArray<SiteFormulas>,
        bounds: ReadonlyArray<number>,
        adderFor: AdderFor,
        isRolledOnly: boolean
      ) {
        const findFigures = yield* measured(sites, bounds, isRolledOnly)
        const undecided = new Map<SiteFormulas, ReadonlySet<number>>()
        for (const site of sites) {
          const { amounts, covered, mixed } = siteSeries(site.formulas, findFigures(site), bounds)
          const apart = new Set(mixed)
          if (apart.size > 0) undecided.set(site, apart)
          const add = adderFor(site)
          for (let interval = 0; interval < amounts.length; interval++) {
            if (!apart.has(interval)) add(interval, amounts[interval]!, covered[interval]!)
          }
        }
        return undecided
      })

      const compute = (
        sites: ReadonlyArray<SiteFormulas>,
        bounds: ReadonlyArray<number>,
        adderFor: AdderFor,
        isRolledOnly = false
      ): Effect.Effect<void, DatabaseUnavailable> =>
        Effect.gen(function* () {
          for (const chunk of chunked(sites, DEVICES)) {
            const devices = chunk.reduce((sum, site) => sum + site.devices.length, 0)
            for (const { first, last } of windows(bounds.length - 1, devices)) {
              const within = bounds.slice(first, last + 1)
              const shifted: AdderFor = (site) => {
                const add = adderFor(site)
                return (interval, amount, covered) => add(first + interval, amount, covered)
              }
              const undecided = yield* decide(chunk, within, shifted, isRolledOnly)
              const intervals = new Set(Array.from(undecided.values(), (each) => [...each]).flat())
              for (const { bounds: finer, parents } of finerIntervals(within, [...intervals])) {
                const toParents: AdderFor = (site) => {
                  const add = shifted(site)
                  const own = undecided.get(site)!
                  return (interval, amount, covered) => {
                    const parent = parents[interval]!
                    if (own.has(parent)) add(parent, amount, covered)
                  }
                }
                yield* compute([...undecided.keys()], finer, toParents, isRolledOnly)
              }
            }
          }
        })

      const sum = Effect.fnUntraced(function* (
        devices: ReadonlyArray<SelectedDevice>,
        bounds: ReadonlyArray<number>,
        metrics: ReadonlyArray<FleetMetric>,
        isRolledOnly: boolean
      ) {
        const sums = new Map<FleetMetric, ReadonlyArray<Sum>>()
        const sumsByFormulas = new Map<SiteFormulas, ReadonlyArray<Sum>>()
        for (const metric of metrics) {
          const types = fleetMetricTypes(metric)
          const counted = devices.filter(({ type }) => types.includes(type))
          if (counted.length === 0) continue
          const own = Array.from({ length: bounds.length - 1 }, () => new Sum())
          sums.set(metric, own)
          for (const site of withFormulas(metric.metric, groupBySite(counted))) sumsByFormulas.set(site, own)
        }
        // The metrics of a site come one after the other, so that its rollups are read once.
        const sites = Array.from(
          Map.groupBy(sumsByFormulas.keys(), ({ devices: own, siteId }) => siteId ?? own[0]!.id).values()
        ).flat()
        yield* compute(
          sites,
          bounds,
          (site) => {
            const own = sumsByFormulas.get(site)!
            return (interval, amount, covered) => own[interval]!.add(amount, covered)
          },
          isRolledOnly
        )
        return sums
      })

      return { compute: Effect.fn("SiteEnergy.compute")(compute), sum: Effect.fn("SiteEnergy.sum")(sum) }
    })
  )
}
