import type { BaselineMethod, BaselineParameters } from "@edp/domain/dispatches/Dispatch"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MissingResult } from "@edp/domain/dispatches/DispatchReport"
import { Context, Effect, Layer } from "effect"
import { siteTypes } from "../../energy/formulas.ts"
import type { Span } from "../../energy/intervals.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { type Shared, SharedFigures } from "../../metrics/DeviceEnergy.ts"
import { dayBaseline } from "../baselines/dayBaseline.ts"
import type { Calendar } from "../baselines/holidays.ts"
import {
  type Candidate,
  type Disturbance,
  type LikeDaySearch,
  findDisturbance,
  neededSpans,
  searchLikeDays
} from "../baselines/likeDays.ts"
import { meterBefore } from "../baselines/otherBaselines.ts"
import { type DayMethod, type Unadjusted, dayMethods, isAdjusted } from "../baselines/selection.ts"
import { LEAST_COVERAGE, type Series, coverageIn } from "../baselines/series.ts"
import { type DispatchPart, adjustmentIntervals, hourBefore, restIntervals, toParts } from "../baselines/windows.ts"
import {
  DispatchReportsRepository,
  type ReportedDevice,
  type ReportedSite,
  type ResultsQuestion
} from "./DispatchReportsRepository.ts"
import { IntervalEnergies, type MeasuredSite, type Meter } from "./IntervalEnergies.ts"
import { type SiteBaseline, type SiteFigures, exportedIn, toActual, toBaselineDay } from "./outcomeValues.ts"

/** The properties that all sites of a report share. */
export interface ReportFrame {
  readonly workspaceId: string
  readonly dispatchId: string
  readonly method: BaselineMethod
  readonly parameters: BaselineParameters
  readonly calendar: Calendar
  readonly intervals: ReadonlyArray<Span>
  /** The number of intervals that have ended. */
  readonly passed: number
  /** Now, or the end of a cancelled dispatch. */
  readonly until: number
  readonly now: number
  /** Whether the use of all intervals can be kept, because none of them passes any more. */
  readonly isOver: boolean
  /** Whether baselines can be kept: nothing that they are computed from passes any more. */
  readonly isHistoryOver: boolean
  /** The dependencies of its sites' results. */
  readonly results: ResultsQuestion
}

export const DEFAULT_LOOKBACK = 60

const meterFor = (method: BaselineMethod): Meter => (method === "device-metered" ? "battery" : "grid")

const isDayMethod = (method: BaselineMethod): method is DayMethod => Object.hasOwn(dayMethods, method)

/** Why a site takes no part in the figures, whatever its readings. */
export const notTakingPart = ({ heldOut, startsAt, state }: ReportedSite, { passed, until }: ReportFrame) => {
  if (state === "opted_out") return "opted_out"
  if (passed === 0) return "not_begun"
  if (heldOut) return "held_out"
  if (state === "notified" || state === "failed") return "did_not_take_part"
  return startsAt === null || startsAt.getTime() >= until ? "did_not_take_part" : undefined
}

interface PartOfSite {
  readonly part: DispatchPart
  readonly rest: ReadonlyArray<Span>
  readonly search: LikeDaySearch
}

/** A site whose energies are read. */
interface Reading {
  readonly site: ReportedSite
  readonly measured: MeasuredSite
  readonly disturbances: ReadonlyArray<Disturbance>
  readonly before: ReadonlyArray<Span>
  readonly parts: ReadonlyArray<PartOfSite>
}

/** The energies of a site on the day of the dispatch. */
interface EventEnergies {
  readonly window: Series
  readonly before: Series
  readonly rest: ReadonlyArray<Series>
}

const isOver =
  (until: number) =>
  ({ to }: Span) =>
    to <= until

/** A site as its energies are read: by the devices that have reported. */
export const toMeasured = (siteId: string, devices: ReadonlyArray<ReportedDevice>, now: number): MeasuredSite => ({
  siteId,
  devices: devices.map(({ disconnectedAt, firstAt, id, type }) => ({
    id,
    type,
    siteId,
    reporting: firstAt === null ? undefined : { from: firstAt, to: Math.min(disconnectedAt ?? Infinity, now) }
  }))
})

/** A battery that had not reported yet, or that had left, is not measured by this dispatch. */
const isPresent =
  (intervals: ReadonlyArray<Span>) =>
  ({ reporting }: MeasuredSite["devices"][number]) =>
    reporting !== undefined && reporting.from < intervals.at(-1)!.to && reporting.to > intervals[0]!.from

/** The energies of the batteries of a site and of its grid are computed from the same readings. */
const sharedFor = (meter: Meter): Shared | undefined =>
  meter === "grid"
    ? undefined
    : { quantities: ["charged", "discharged", "grid", "imported", "exported"], figures: new Map() }

/** Computes the performance of sites. */
export class SiteOutcomes extends Context.Service<
  SiteOutcomes,
  {
    /** The figures of sites that take part or were held out. Baselines that are known are not computed again. All are held in memory. */
    readonly compute: (
      frame: ReportFrame,
      sites: ReadonlyArray<ReportedSite>,
      known: ReadonlyMap<string, SiteBaseline>
    ) => Effect.Effect<ReadonlyMap<string, SiteFigures>, DatabaseUnavailable>
  }
>()("@edp/server/SiteOutcomes") {
  static readonly layer = Layer.effect(
    SiteOutcomes,
    Effect.gen(function* () {
      const repository = yield* DispatchReportsRepository
      const energies = yield* IntervalEnergies

      const findGridDevices = Effect.fnUntraced(function* (
        { now, workspaceId }: ReportFrame,
        siteIds: ReadonlyArray<string>
      ) {
        const types: ReadonlyArray<DeviceType> = siteTypes("grid")
        const found = Map.groupBy(yield* repository.devicesAt(workspaceId, siteIds, types), ({ siteId }) => siteId)
        return (siteId: string) => toMeasured(siteId, found.get(siteId) ?? [], now)
      })

      const findBatteries = Effect.fnUntraced(function* (frame: ReportFrame, siteIds: ReadonlyArray<string>) {
        const rows = yield* repository.batteries(frame.workspaceId, frame.dispatchId, siteIds)
        const found = Map.groupBy(rows, ({ siteId }) => siteId)
        return (siteId: string) => {
          const all = toMeasured(siteId, found.get(siteId) ?? [], frame.now)
          const present = all.devices.filter(isPresent(frame.intervals))
          // Batteries of which none has reported show that there are no readings, not that there is no battery.
          return present.length === 0 ? all : { ...all, devices: present }
        }
      })

      const findDisturbances = Effect.fnUntraced(function* (
        { dispatchId, results: { disturbed }, workspaceId }: ReportFrame,
        siteIds: ReadonlyArray<string>
      ) {
        const rows = yield* repository.disturbances(workspaceId, dispatchId, siteIds, disturbed)
        const found = Map.groupBy(rows, ({ siteId }) => siteId)
        return (siteId: string): ReadonlyArray<Disturbance> =>
          (found.get(siteId) ?? []).map(({ from, reason, to }) => ({ reason, span: { from, to } }))
      })

      const toReading = (
        { calendar, intervals, method, parameters, until }: ReportFrame,
        site: ReportedSite,
        measured: MeasuredSite,
        disturbances: ReadonlyArray<Disturbance>,
        isBaselineKnown: boolean
      ): Reading => {
        const { timezone } = site
        const start = intervals[0]!.from
        const reading = { site, measured, disturbances }
        if (site.heldOut || isBaselineKnown) return { ...reading, before: [], parts: [] }
        if (!isDayMethod(method)) {
          return { ...reading, before: method === "meter-before" ? hourBefore(start) : [], parts: [] }
        }
        const parts = toParts(intervals, timezone)
        const before = isAdjusted(method) && parameters.adjustment !== false ? adjustmentIntervals(start) : []
        return {
          ...reading,
          before,
          parts: parts.map((part, number) => {
            const rest = method === "match-day-3" ? restIntervals(part, timezone).filter(isOver(until)) : []
            const search = searchLikeDays({
              part,
              firstDay: parts[0]!.day,
              lookbackDays: parameters.lookbackDays ?? DEFAULT_LOOKBACK,
              calendar,
              timezone,
              disturbances,
              before: number === 0 ? before : [],
              rest,
              wanted: dayMethods[method].wanted(calendar(part.day), parameters)
            })
            return { part, rest, search }
          })
        }
      }

      /** The energies of the dispatch's own day, of all sites together. */
      const readEvents = Effect.fnUntraced(function* (
        { intervals, method, passed }: ReportFrame,
        readings: ReadonlyArray<Reading>
      ) {
        const window = intervals.slice(0, passed)
        const found = yield* energies.read(
          meterFor(method),
          readings.map(({ before, measured, parts }) => ({
            site: measured,
            spans: [...window, ...before, ...parts.flatMap(({ rest }) => rest)]
          }))
        )
        return readings.map(({ before, parts }, index): EventEnergies => {
          const series = found[index]!
          let position = passed
          const next = (size: number) => series.slice(position, (position += size))
          return {
            window: series.slice(0, passed),
            before: next(before.length),
            rest: parts.map(({ rest }) => next(rest.length))
          }
        })
      })

      /** Reads like days, step by step, until each search has enough or has seen all. */
      const readLikeDays = Effect.fnUntraced(function* (meter: Meter, readings: ReadonlyArray<Reading>) {
        for (;;) {
          const asked = readings.flatMap(({ measured, parts }) =>
            parts.flatMap(({ search }) =>
              search.next().map((candidate: Candidate) => ({ candidate, measured, search }))
            )
          )
          if (asked.length === 0) return
          const found = yield* energies.read(
            meter,
            asked.map(({ candidate, measured }) => ({ site: measured, spans: neededSpans(candidate) }))
          )
          for (const [index, { candidate, search }] of asked.entries()) search.offer(candidate, found[index]!)
        }
      })

      /** The baseline from like days, part by part. */
      const fromLikeDays = (
        { calendar, method, parameters }: ReportFrame & { readonly method: DayMethod },
        { before, disturbances, parts }: Reading,
        event: EventEnergies
      ) => {
        const found = parts.map(({ part, rest, search }, number) => {
          const unadjusted: Unadjusted | undefined =
            number > 0 ? "not_the_first_day" : findDisturbance(disturbances, before)
          const baseline = dayBaseline({
            method,
            parameters,
            type: calendar(part.day),
            usable: search.usable(),
            event: { window: part.intervals, rest, restMeasured: event.rest[number]! },
            before: { intervals: number === 0 ? before : [], measured: number === 0 ? event.before : [], unadjusted }
          })
          return { baseline, day: toBaselineDay(part, calendar, baseline, search.leftOut()) }
        })
        const isComplete = found.every(({ baseline }) => baseline.amounts !== undefined)
        return {
          days: found.map(({ day }) => day),
          amounts: isComplete ? found.flatMap(({ baseline }) => baseline.amounts!) : undefined,
          reason: "too_few_days" as const
        }
      }

      /** Undefined for a hold-out, whose baseline is that of all held-out sites. */
      const findBaseline = (frame: ReportFrame, reading: Reading, event: EventEnergies): SiteBaseline | undefined => {
        const { intervals, method } = frame
        if (isDayMethod(method)) return fromLikeDays({ ...frame, method }, reading, event)
        if (method === "hold-out") return undefined
        const isDisturbed = findDisturbance(reading.disturbances, reading.before) !== undefined
        const amounts = isDisturbed ? undefined : meterBefore(reading.before, event.before, intervals)
        return { days: [], amounts, reason: isDisturbed ? ("disturbed" as const) : ("low_coverage" as const) }
      }

      /** Why nothing is measured of a site. */
      const findMissing = (
        { method }: ReportFrame,
        { heldOut }: ReportedSite,
        measured: MeasuredSite,
        disturbances: ReadonlyArray<Disturbance>,
        window: ReadonlyArray<Span>
      ): MissingResult | undefined => {
        if (measured.devices.length === 0) return meterFor(method) === "grid" ? "no_measured_device" : "no_battery"
        if (heldOut) return findDisturbance(disturbances, window) === undefined ? undefined : "disturbed"
        const outages = disturbances.filter(({ reason }) => reason === "outage")
        return findDisturbance(outages, window) === undefined ? undefined : "outage"
      }

      const compute = Effect.fnUntraced(function* (
        frame: ReportFrame,
        sites: ReadonlyArray<ReportedSite>,
        known: ReadonlyMap<string, SiteBaseline>
      ) {
        const { intervals, method, passed } = frame
        const figures = new Map<string, SiteFigures>()
        if (sites.length === 0) return figures
        const meter = meterFor(method)
        const siteIds = sites.map(({ siteId }) => siteId)
        const findDisturbed = yield* findDisturbances(frame, siteIds)
        const findGrid = yield* findGridDevices(frame, siteIds)
        const findMeasured = meter === "grid" ? findGrid : yield* findBatteries(frame, siteIds)
        const window = intervals.slice(0, passed)
        const readings: Array<Reading> = []
        for (const site of sites) {
          const measured = findMeasured(site.siteId)
          const disturbances = findDisturbed(site.siteId)
          const missing = findMissing(frame, site, measured, disturbances, window)
          if (missing !== undefined) figures.set(site.siteId, { missing, baseline: undefined, use: undefined })
          else readings.push(toReading(frame, site, measured, disturbances, known.has(site.siteId)))
        }
        const { events, grids } = yield* Effect.gen(function* () {
          const own = yield* readEvents(frame, readings)
          if (meter === "grid") return { events: own, grids: own.map((event) => event.window) }
          const asked = readings.map(({ site }) => ({ site: findGrid(site.siteId), spans: window }))
          return { events: own, grids: yield* energies.read("grid", asked) }
        }).pipe(
          Effect.provideServiceEffect(
            SharedFigures,
            Effect.sync(() => sharedFor(meter))
          )
        )
        if (isDayMethod(method)) yield* readLikeDays(meter, readings)
        for (const [index, reading] of readings.entries()) {
          const { heldOut, siteId } = reading.site
          const event = events[index]!
          const grid = grids[index]!
          figures.set(siteId, {
            missing: undefined,
            baseline: heldOut ? undefined : (known.get(siteId) ?? findBaseline(frame, reading, event)),
            use: {
              measured: event.window,
              exported: coverageIn(grid, window) < LEAST_COVERAGE ? null : exportedIn(toActual(grid, window).actual)
            }
          })
        }
        return figures
      })

      return { compute: Effect.fn("SiteOutcomes.compute")(compute) }
    })
  )
}
