import type { BaselineMethod, BaselineParameters } from "@edp/domain/dispatches/Dispatch"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MissingResult } from "@edp/domain/dispatches/DispatchReport"
import { Context, Effect, Layer } from "effect"
import { siteTypes } from "../../energy/formulas.ts"
import type { Span } from "../../energy/intervals.ts"
import { coverageShare } from "../../energy/totals.ts"
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
import { LEAST_COVERAGE, type Series, coverageIn, nothing } from "../baselines/series.ts"
import { type DispatchPart, adjustmentIntervals, hourBefore, restIntervals, toParts } from "../baselines/windows.ts"
import { DispatchReportsRepository, type ReportedDevice, type ReportedSite } from "./DispatchReportsRepository.ts"
import { IntervalEnergies, type MeasuredSite, type Meter } from "./IntervalEnergies.ts"
import { type SiteOutcome, exportedIn, leftOutSite, toActual, toBaselineDay } from "./outcomeValues.ts"

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
  /** The baseline of a hold-out; undefined with too few held-out sites. */
  readonly control: ReadonlyArray<bigint | null> | undefined
}

const DAY = 86_400_000
const DEFAULT_LOOKBACK = 60

const meterFor = (method: BaselineMethod): Meter => (method === "device-metered" ? "battery" : "grid")

const isDayMethod = (method: BaselineMethod): method is DayMethod => Object.hasOwn(dayMethods, method)

/** Why a site takes no part in the figures, whatever its readings. */
const notTakingPart = ({ heldOut, startsAt, state }: ReportedSite, { passed, until }: ReportFrame) => {
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

const toMeasured = (siteId: string, devices: ReadonlyArray<ReportedDevice>, now: number): MeasuredSite => ({
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

/** Computes the performance of sites. */
export class SiteOutcomes extends Context.Service<
  SiteOutcomes,
  {
    /** The outcomes of some sites, in their order. All are held in memory. */
    readonly compute: (
      frame: ReportFrame,
      sites: ReadonlyArray<ReportedSite>
    ) => Effect.Effect<ReadonlyArray<SiteOutcome>>
    /** The grid energies of held-out sites in the intervals that have ended. */
    readonly heldOut: (frame: ReportFrame, sites: ReadonlyArray<ReportedSite>) => Effect.Effect<ReadonlyArray<Series>>
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

      const findDisturbances = Effect.fnUntraced(function* (frame: ReportFrame, siteIds: ReadonlyArray<string>) {
        const lookback = (frame.parameters.lookbackDays ?? DEFAULT_LOOKBACK) + 2
        const span = { from: frame.intervals[0]!.from - lookback * DAY, to: frame.now }
        const rows = yield* repository.disturbances(frame.workspaceId, frame.dispatchId, siteIds, span)
        const found = Map.groupBy(rows, ({ siteId }) => siteId)
        return (siteId: string): ReadonlyArray<Disturbance> =>
          (found.get(siteId) ?? []).map(({ from, reason, to }) => ({ reason, span: { from, to } }))
      })

      const toReading = (
        { calendar, intervals, method, parameters, until }: ReportFrame,
        site: ReportedSite,
        measured: MeasuredSite,
        disturbances: ReadonlyArray<Disturbance>
      ): Reading => {
        const { timezone } = site
        const start = intervals[0]!.from
        const reading = { site, measured, disturbances }
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

      const findBaseline = (frame: ReportFrame, reading: Reading, event: EventEnergies) => {
        const { control, intervals, method } = frame
        if (isDayMethod(method)) return fromLikeDays({ ...frame, method }, reading, event)
        if (method === "hold-out") return { days: [], amounts: control, reason: "too_few_sites" as const }
        const isDisturbed = findDisturbance(reading.disturbances, reading.before) !== undefined
        const amounts = isDisturbed ? undefined : meterBefore(reading.before, event.before, intervals)
        return { days: [], amounts, reason: isDisturbed ? ("disturbed" as const) : ("low_coverage" as const) }
      }

      const toOutcome = (frame: ReportFrame, reading: Reading, event: EventEnergies, grid: Series): SiteOutcome => {
        const { intervals, passed } = frame
        const window = intervals.slice(0, passed)
        const measured = coverageIn(event.window, window)
        const { amounts, days, reason } = findBaseline(frame, reading, event)
        const { actual, covered } = toActual(event.window, window)
        const coverage = coverageShare(measured, 1)
        const missing: MissingResult | undefined =
          coverage === 0 ? "no_readings" : measured < LEAST_COVERAGE ? "low_coverage" : undefined
        return {
          siteId: reading.site.siteId,
          timezone: reading.site.timezone,
          days,
          reason: missing ?? (amounts === undefined ? reason : undefined),
          baseline: (amounts ?? []).slice(0, passed),
          actual,
          covered,
          exported: coverageIn(grid, window) < LEAST_COVERAGE ? null : exportedIn(toActual(grid, window).actual),
          coverage
        }
      }

      const compute = Effect.fnUntraced(function* (frame: ReportFrame, sites: ReadonlyArray<ReportedSite>) {
        const { intervals, method, passed } = frame
        const meter = meterFor(method)
        const taking = sites.filter((site) => notTakingPart(site, frame) === undefined)
        const siteIds = taking.map(({ siteId }) => siteId)
        if (siteIds.length === 0) return sites.map((site) => leftOutSite(site, notTakingPart(site, frame)!))
        const findDisturbed = yield* findDisturbances(frame, siteIds)
        const findGrid = yield* findGridDevices(frame, siteIds)
        const findMeasured = meter === "grid" ? findGrid : yield* findBatteries(frame, siteIds)
        const window = intervals.slice(0, passed)
        const readings = new Map<string, Reading>()
        const reasons = new Map<string, MissingResult>()
        for (const site of taking) {
          const measured = findMeasured(site.siteId)
          const disturbances = findDisturbed(site.siteId)
          const outages = disturbances.filter(({ reason }) => reason === "outage")
          if (measured.devices.length === 0) {
            reasons.set(site.siteId, meter === "grid" ? "no_measured_device" : "no_battery")
          } else if (findDisturbance(outages, window) !== undefined) reasons.set(site.siteId, "outage")
          else readings.set(site.siteId, toReading(frame, site, measured, disturbances))
        }
        const read = Array.from(readings.values())
        const events = yield* readEvents(frame, read)
        if (isDayMethod(method)) yield* readLikeDays(meter, read)
        const grids =
          meter === "grid"
            ? events.map((event) => event.window)
            : yield* energies.read(
                "grid",
                read.map(({ site }) => ({ site: findGrid(site.siteId), spans: window }))
              )
        const outcomes = new Map(
          read.map((reading, index) => [
            reading.site.siteId,
            toOutcome(frame, reading, events[index]!, grids[index] ?? window.map(() => nothing))
          ])
        )
        return sites.map(
          (site) =>
            outcomes.get(site.siteId) ??
            leftOutSite(site, reasons.get(site.siteId) ?? notTakingPart(site, frame) ?? "did_not_take_part")
        )
      })

      const heldOut = Effect.fnUntraced(function* (frame: ReportFrame, sites: ReadonlyArray<ReportedSite>) {
        const siteIds = sites.filter(({ state }) => state !== "opted_out").map(({ siteId }) => siteId)
        const window = frame.intervals.slice(0, frame.passed)
        const findGrid = yield* findGridDevices(frame, siteIds)
        const findDisturbed = yield* findDisturbances(frame, siteIds)
        const undisturbed = siteIds.filter((siteId) => findDisturbance(findDisturbed(siteId), window) === undefined)
        return yield* energies.read(
          "grid",
          undisturbed.map((siteId) => ({ site: findGrid(siteId), spans: window }))
        )
      })

      return {
        compute: Effect.fn("SiteOutcomes.compute")(compute),
        heldOut: Effect.fn("SiteOutcomes.heldOut")(heldOut)
      }
    })
  )
}
