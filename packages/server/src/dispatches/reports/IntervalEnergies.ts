import { Context, Effect, Layer } from "effect"
import type { Amounts } from "../../energy/buckets.ts"
import { QUARTER, type Span, quarterIndex } from "../../energy/intervals.ts"
import { DeviceEnergy, type DeviceFigures } from "../../metrics/DeviceEnergy.ts"
import { SiteEnergy, type SiteFormulas, withFormulas } from "../../metrics/SiteEnergy.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { type IntervalEnergy, type Series, nothing } from "../baselines/series.ts"
import { toQuarters } from "../baselines/windows.ts"

/** A site with the devices that measure it. */
export interface MeasuredSite {
  readonly siteId: string
  readonly devices: SiteFormulas["devices"]
}

export interface EnergyRequest {
  readonly site: MeasuredSite
  /** Quarters of an hour or parts of one, in any order. */
  readonly spans: ReadonlyArray<Span>
}

/** The import of the site less its export, or the charge of its batteries less their discharge. */
export type Meter = "grid" | "battery"

const isWhole = (at: number) => at % QUARTER === 0

/** Gaps of at most this length are read with what lies around them. */
const NEAR = 2 * 3_600_000

/** The spans as few runs without gaps. Only quarters of an hour may lie within a run. */
export const toRuns = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const runs: Array<{ from: number; to: number }> = []
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from || one.to - other.to)) {
    const last = runs.at(-1)
    if (last !== undefined && from >= last.from && to <= last.to && isWhole(from) && isWhole(to)) continue
    const joins = last !== undefined && from >= last.to && from - last.to <= NEAR && isWhole(from) && isWhole(last.to)
    if (joins) last.to = to
    else if (last === undefined || from !== last.from || to !== last.to) runs.push({ from, to })
  }
  return runs
}

/** Whether a run has an interval with exactly these bounds. */
const holds = (run: Span, { from, to }: Span) =>
  from >= run.from && to <= run.to && (from === run.from || isWhole(from)) && (to === run.to || isWhole(to))

const asIntervals = (run: Span): ReadonlyArray<number> => [...toQuarters(run).map(({ from }) => from), run.to]

const coverIn = (known: Amounts | undefined, index: number) => known?.covered[index] ?? 0

/** The net charge of batteries. All of them must be measured in both directions: what is missing is not 0. */
const netCharge = (figures: ReadonlyArray<DeviceFigures | undefined>, size: number): Series =>
  Array.from({ length: size }, (_, index): IntervalEnergy => {
    let amount = 0n
    let covered = Number.POSITIVE_INFINITY
    for (const each of figures) {
      const [charged, discharged] = [each?.energy.get("charged"), each?.energy.get("discharged")]
      covered = Math.min(covered, coverIn(charged, index), coverIn(discharged, index))
      amount += (charged?.amounts[index] ?? 0n) - (discharged?.amounts[index] ?? 0n)
    }
    return figures.length === 0 || covered === 0 ? nothing : { amount, covered }
  })

/** Nothing is known of a site before the first reading, except that its energy may lie in the moment before it. */
const isBeforeReadings = ({ devices }: MeasuredSite, run: Span) =>
  devices.every(({ reporting }) => reporting === undefined || run.to <= reporting.from - QUARTER)

/** Reads the energies of many sites in some quarters of an hour, and of no others. */
export class IntervalEnergies extends Context.Service<
  IntervalEnergies,
  {
    /** The energies of each request's spans, in their order. */
    readonly read: (
      meter: Meter,
      requests: ReadonlyArray<EnergyRequest>
    ) => Effect.Effect<ReadonlyArray<Series>, DatabaseUnavailable>
  }
>()("@edp/server/IntervalEnergies") {
  static readonly layer = Layer.effect(
    IntervalEnergies,
    Effect.gen(function* () {
      const sites = yield* SiteEnergy
      const devices = yield* DeviceEnergy

      const readGrid = Effect.fnUntraced(function* (
        measured: ReadonlyArray<MeasuredSite>,
        bounds: ReadonlyArray<number>
      ) {
        const found = measured.map((): Array<IntervalEnergy> => bounds.slice(1).map(() => nothing))
        const asked = withFormulas("grid", measured)
        const index = new Map(asked.map((site, at) => [site, at]))
        yield* sites.compute(asked, bounds, (site) => {
          const series = found[index.get(site)!]!
          return (interval, amount, covered) => void (series[interval] = { amount, covered })
        })
        return found
      })

      const readBatteries = Effect.fnUntraced(function* (
        measured: ReadonlyArray<MeasuredSite>,
        bounds: ReadonlyArray<number>
      ) {
        const deviceIds = measured.flatMap((site) => site.devices.map(({ id }) => id))
        const figures = yield* devices.read({ deviceIds, bounds, quantities: ["charged", "discharged"] })
        const known = new Map(figures.map((each) => [each.deviceId, each]))
        return measured.map((site) =>
          netCharge(
            site.devices.map(({ id }) => known.get(id)),
            bounds.length - 1
          )
        )
      })

      return {
        read: Effect.fn("IntervalEnergies.read")(function* (meter, requests) {
          const wanted = new Map<string, { readonly run: Span; readonly sites: Set<MeasuredSite> }>()
          const keyFor = ({ from, to }: Span) => `${from}-${to}`
          const runsByRequest = requests.map(({ site, spans }) => {
            const runs = toRuns(spans).filter((run) => !isBeforeReadings(site, run))
            for (const run of runs) {
              const entry = wanted.get(keyFor(run)) ?? { run, sites: new Set() }
              entry.sites.add(site)
              wanted.set(keyFor(run), entry)
            }
            return runs
          })
          const found = new Map<string, Map<MeasuredSite, Series>>()
          for (const [key, { run, sites: some }] of wanted) {
            const measured = [...some]
            const read = meter === "grid" ? readGrid : readBatteries
            const series = yield* read(measured, asIntervals(run))
            found.set(key, new Map(measured.map((site, at) => [site, series[at]!])))
          }
          return requests.map(({ site, spans }, at): Series =>
            spans.map((span) => {
              const run = runsByRequest[at]!.find((each) => holds(each, span))
              if (run === undefined) return nothing
              return found.get(keyFor(run))!.get(site)![quarterIndex(span.from) - quarterIndex(run.from)] ?? nothing
            })
          )
        })
      }
    })
  )
}
