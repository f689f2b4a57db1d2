import { Clock, Context, Effect, Layer } from "effect"
import type { Span } from "../../energy/intervals.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { Series } from "../baselines/series.ts"
import { siteTypes } from "../../energy/formulas.ts"
import { toQuarters } from "../baselines/windows.ts"
import { DispatchReportsRepository } from "./DispatchReportsRepository.ts"
import { IntervalEnergies } from "./IntervalEnergies.ts"
import { toMeasured } from "./SiteOutcomes.ts"

/** The net use of a site in a span. */
export interface SpanUse {
  /** Import less export, µWh; null where readings cover less than 0.9 of the span. */
  readonly amount: bigint | null
  /** The share of the span that readings cover, 0 to 1. */
  readonly coverage: number
}

/** As in the reports of dispatches: less is not the energy of the whole. */
const LEAST_COVERAGE = 0.9

const toUse = (series: Series, { from, to }: Span): SpanUse => {
  let [amount, covered] = [0n, 0]
  for (const each of series) {
    amount += each.amount ?? 0n
    covered += each.covered
  }
  const coverage = Math.min(1, covered / (to - from))
  return { amount: coverage >= LEAST_COVERAGE ? amount : null, coverage }
}

/** The net use of sites in spans of any length, for reports to others. */
export class SiteUse extends Context.Service<
  SiteUse,
  {
    /** The uses in each span, in the order of the spans, by site id. */
    readonly read: (
      workspaceId: string,
      siteIds: ReadonlyArray<string>,
      spans: ReadonlyArray<Span>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<SpanUse>>, DatabaseUnavailable>
  }
>()("@edp/server/dispatches/SiteUse") {
  static readonly layer = Layer.effect(
    SiteUse,
    Effect.gen(function* () {
      const repository = yield* DispatchReportsRepository
      const energies = yield* IntervalEnergies

      return {
        read: Effect.fn("SiteUse.read")(function* (workspaceId, siteIds, spans) {
          const now = yield* Clock.currentTimeMillis
          const devices = Map.groupBy(
            yield* repository.devicesAt(workspaceId, siteIds, siteTypes("grid")),
            ({ siteId }) => siteId
          )
          const parts = spans.map(toQuarters)
          const read = yield* energies.read(
            "grid",
            siteIds.map((siteId) => ({
              site: toMeasured(siteId, devices.get(siteId) ?? [], now),
              spans: parts.flat()
            }))
          )
          return new Map(
            siteIds.map((siteId, index) => {
              const series = read[index]!
              let first = 0
              const uses = spans.map((span, at) => {
                const size = parts[at]!.length
                const use = toUse(series.slice(first, first + size), span)
                first += size
                return use
              })
              return [siteId, uses]
            })
          )
        })
      }
    })
  )
}
