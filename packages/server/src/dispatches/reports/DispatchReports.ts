import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Baseline } from "@edp/domain/dispatches/Dispatch"
import type { DispatchReport, DispatchReportQuery } from "@edp/domain/dispatches/DispatchReport"
import { NotFound } from "@edp/domain/errors/ApiErrors"
import { makePage } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Option, type Schema, Semaphore, Stream } from "effect"
import { makeCalendar } from "../baselines/holidays.ts"
import { makeControlGroup } from "../baselines/otherBaselines.ts"
import { reportIntervals } from "../baselines/windows.ts"
import { DispatchReportsRepository, type ReportedDispatch, type ReportedSite } from "./DispatchReportsRepository.ts"
import { reportCsvHeader, reportCsvRows } from "./reportCsv.ts"
import { makeReportTotals } from "./reportTotals.ts"
import { type SiteOutcome, toSiteIntervals, toSiteResult } from "./outcomeValues.ts"
import { type ReportFrame, SiteOutcomes } from "./SiteOutcomes.ts"

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof DispatchReportQuery>

/** The number of sites that are held in memory together. */
const SITES_AT_A_TIME = 100
/** Reports that are computed at the same time; others wait. */
const REPORTS_AT_A_TIME = 2

/** The parameters with their defaults. The defaults of x and y depend on the type of the day. */
const withDefaults = ({ method, parameters }: Baseline): Baseline => ({
  method,
  parameters: {
    lookbackDays: 60,
    adjustment: true,
    holidays: "us-federal",
    extraHolidays: [],
    ...parameters
  }
})

interface Report {
  readonly dispatch: ReportedDispatch
  readonly baseline: Baseline
  readonly frame: ReportFrame
  readonly controlSites: number | null
}

/** The performance of dispatches, computed from the readings that are present. */
export class DispatchReports extends Context.Service<
  DispatchReports,
  {
    readonly read: (caller: Caller, id: string, query: Query) => Effect.Effect<DispatchReport, NotFound>
    /** The intervals of all sites as CSV, computed while they are sent. */
    readonly readCsv: (caller: Caller, id: string) => Effect.Effect<Stream.Stream<string>, NotFound>
  }
>()("@edp/server/DispatchReports") {
  static readonly layer = Layer.effect(
    DispatchReports,
    Effect.gen(function* () {
      const repository = yield* DispatchReportsRepository
      const outcomes = yield* SiteOutcomes
      const computing = yield* Semaphore.make(REPORTS_AT_A_TIME)

      /** Visits the participants, some at a time, by site id. */
      const eachSites = Effect.fnUntraced(function* (
        dispatchId: string,
        onlyHeldOut: boolean,
        visit: (sites: ReadonlyArray<ReportedSite>) => Effect.Effect<void>
      ) {
        let after = ""
        for (;;) {
          const sites = yield* repository.sites(dispatchId, after, SITES_AT_A_TIME, onlyHeldOut)
          if (sites.length > 0) yield* visit(sites)
          if (sites.length < SITES_AT_A_TIME) return
          after = sites.at(-1)!.siteId
        }
      })

      /** The baseline of a hold-out: the mean of the held-out sites. */
      const findControl = Effect.fnUntraced(function* (frame: ReportFrame) {
        const group = makeControlGroup(frame.intervals)
        yield* eachSites(frame.dispatchId, true, (sites) =>
          Effect.map(outcomes.heldOut(frame, sites), (found) => {
            for (const series of found) group.add(series, frame.passed)
          })
        )
        return { control: group.baseline(), controlSites: group.sites() }
      })

      const open = Effect.fnUntraced(function* ({ workspaceId }: Caller, id: string) {
        const dispatch = yield* repository.dispatch(workspaceId, id)
        if (dispatch === undefined) return yield* new NotFound({})
        const now = yield* Clock.currentTimeMillis
        const isBegun = dispatch.status !== "draft" && dispatch.status !== "scheduled"
        const cancelledAt = dispatch.status === "cancelled" ? dispatch.updatedAt.getTime() : now
        const until = isBegun ? Math.min(now, cancelledAt) : Number.NEGATIVE_INFINITY
        const baseline = withDefaults(dispatch.baseline)
        const { extraHolidays, holidays = "us-federal" } = baseline.parameters
        const intervals = reportIntervals(dispatch.intervals)
        const frame: ReportFrame = {
          workspaceId,
          dispatchId: id,
          ...baseline,
          calendar: makeCalendar(holidays, extraHolidays),
          intervals,
          passed: intervals.filter(({ to }) => to <= until).length,
          until,
          now,
          control: undefined
        }
        if (baseline.method !== "hold-out") return { dispatch, baseline, frame, controlSites: null }
        const { control, controlSites } = yield* findControl(frame)
        return { dispatch, baseline, frame: { ...frame, control }, controlSites }
      })

      const toReport = (
        { baseline, controlSites, dispatch }: Report,
        totals: ReturnType<typeof makeReportTotals>,
        sites: DispatchReport["sites"]
      ): DispatchReport => ({
        dispatchId: dispatch.id,
        status: dispatch.status,
        from: dispatch.startsAt.toISOString(),
        to: dispatch.endsAt.toISOString(),
        baseline,
        indicative: baseline.method === "meter-before",
        controlSites,
        ...totals.figures(),
        sites
      })

      const read = Effect.fnUntraced(function* (caller: Caller, id: string, { page = 1, perPage = 10 }: Query) {
        const report: Report = yield* open(caller, id)
        const { dispatch, frame } = report
        const totals = makeReportTotals(frame.intervals, frame.passed, dispatch.nominatedPowerW)
        const shown: Array<SiteOutcome> = []
        const first = (page - 1) * perPage
        yield* eachSites(id, false, (sites) =>
          Effect.map(outcomes.compute(frame, sites), (found) => {
            for (const outcome of found) {
              if (totals.total() >= first && shown.length < perPage) shown.push(outcome)
              totals.add(outcome)
            }
          })
        )
        const results = shown.map((outcome) => toSiteResult(outcome, frame.intervals))
        return toReport(report, totals, makePage(results, page, perPage, totals.total()))
      })

      const toCsv = ({ intervals, passed }: ReportFrame, found: ReadonlyArray<SiteOutcome>) =>
        found.map((outcome) => reportCsvRows(outcome.siteId, toSiteIntervals(outcome, intervals, passed))).join("")

      const readCsv = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const { frame } = yield* open(caller, id).pipe(computing.withPermit)
        const rows = Stream.paginate("", (after) =>
          Effect.gen(function* () {
            const sites = yield* repository.sites(id, after, SITES_AT_A_TIME, false)
            const text = toCsv(frame, yield* outcomes.compute(frame, sites))
            const isLast = sites.length < SITES_AT_A_TIME
            return [[text], isLast ? Option.none<string>() : Option.some(sites.at(-1)!.siteId)] as const
          }).pipe(computing.withPermit)
        )
        return Stream.concat(Stream.make(reportCsvHeader), rows)
      })

      return {
        read: Effect.fn("DispatchReports.read")((caller, id, query) =>
          read(caller, id, query).pipe(computing.withPermit)
        ),
        readCsv: Effect.fn("DispatchReports.readCsv")(readCsv)
      }
    })
  )
}
