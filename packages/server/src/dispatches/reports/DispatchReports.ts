import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { DispatchReport, DispatchReportQuery } from "@edp/domain/dispatches/DispatchReport"
import { NotFound } from "@edp/domain/errors/ApiErrors"
import { makePage } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Option, type Schema, Semaphore, Stream } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { makeReads } from "../../platform/replicas/readReplica.ts"
import { makeControlGroup } from "../baselines/otherBaselines.ts"
import { DispatchReportsRepository, type ReportedDispatch } from "./DispatchReportsRepository.ts"
import {
  type SiteBaseline,
  type SiteOutcome,
  leftOutSite,
  reportCsvHeader,
  reportCsvRows,
  toOutcome,
  toSiteIntervals,
  toSiteResult,
  makeReportTotals
} from "./outcomeValues.ts"
import { type ReportFrame, notTakingPart } from "./SiteOutcomes.ts"
import { type ReportedFigures, SiteResults, makeFrame, sitesAtATime } from "./SiteResults.ts"

type Caller = Pick<CurrentKey["Service"], "workspaceId">
type Query = Schema.Struct.Type<typeof DispatchReportQuery>

/** Reports that are computed at the same time; others wait. */
const REPORTS_AT_A_TIME = 2

interface Report {
  readonly dispatch: ReportedDispatch
  readonly frame: ReportFrame
  /** The baseline of a hold-out and the number of its sites. */
  readonly control: { readonly baseline: SiteBaseline; readonly sites: number } | undefined
}

/** The performance of dispatches, from what is kept of their sites and from the readings that are present. */
export class DispatchReports extends Context.Service<
  DispatchReports,
  {
    readonly read: (
      caller: Caller,
      id: string,
      query: Query
    ) => Effect.Effect<DispatchReport, NotFound | DatabaseUnavailable>
    /** The intervals of all sites as CSV, computed while they are sent. */
    readonly readCsv: (
      caller: Caller,
      id: string
    ) => Effect.Effect<Stream.Stream<string, DatabaseUnavailable>, NotFound | DatabaseUnavailable>
  }
>()("@edp/server/DispatchReports") {
  static readonly layer = Layer.effect(
    DispatchReports,
    Effect.gen(function* () {
      const repository = yield* DispatchReportsRepository
      const results = yield* SiteResults
      const computing = yield* Semaphore.make(REPORTS_AT_A_TIME)
      const { onReplica } = yield* makeReads

      /** Visits the figures of participants, some at a time, by site id. */
      const eachSites = Effect.fnUntraced(function* (
        frame: ReportFrame,
        onlyHeldOut: boolean,
        visit: (found: ReadonlyArray<ReportedFigures>) => void
      ) {
        const limit = sitesAtATime(frame)
        for (let after = ""; ;) {
          const found = yield* results.find(frame, { after, limit, onlyHeldOut })
          visit(found)
          if (found.length < limit) return
          after = found.at(-1)!.site.siteId
        }
      })

      /** The baseline of a hold-out: the mean of the held-out sites. */
      const findControl = Effect.fnUntraced(function* (frame: ReportFrame) {
        const group = makeControlGroup(frame.intervals)
        yield* eachSites(frame, true, (found) => {
          for (const { figures } of found) if (figures?.use) group.add(figures.use.measured, frame.passed)
        })
        const baseline = { days: [], amounts: group.baseline(), reason: "too_few_sites" as const }
        return { baseline, sites: group.sites() }
      })

      const open = Effect.fnUntraced(function* ({ workspaceId }: Caller, id: string) {
        const dispatch = yield* repository.dispatch(workspaceId, id)
        if (dispatch === undefined) return yield* new NotFound({})
        const frame = makeFrame(workspaceId, dispatch, yield* Clock.currentTimeMillis)
        const control = frame.method === "hold-out" ? yield* findControl(frame) : undefined
        return { dispatch, frame, control }
      })

      const toOutcomes = ({ control, frame }: Report, found: ReadonlyArray<ReportedFigures>) => {
        const window = frame.intervals.slice(0, frame.passed)
        return found.map(({ figures, site }): SiteOutcome => {
          const reason = notTakingPart(site, frame) ?? figures?.missing
          const baseline = control?.baseline ?? figures?.baseline
          return reason !== undefined || figures === undefined || baseline === undefined
            ? leftOutSite(site, reason ?? "did_not_take_part")
            : toOutcome(site, figures, baseline, window)
        })
      }

      const toReport = (
        { control, dispatch, frame: { method, parameters } }: Report,
        totals: ReturnType<typeof makeReportTotals>,
        sites: DispatchReport["sites"]
      ): DispatchReport => ({
        dispatchId: dispatch.id,
        status: dispatch.status,
        from: dispatch.startsAt.toISOString(),
        to: dispatch.endsAt.toISOString(),
        baseline: { method, parameters },
        indicative: method === "meter-before",
        controlSites: control?.sites ?? null,
        ...totals.figures(),
        sites
      })

      /** The days of kept baselines are read for the sites of the page alone. */
      const withDays = Effect.fnUntraced(function* (dispatchId: string, shown: ReadonlyArray<SiteOutcome>) {
        const siteIds = shown.filter(({ days }) => days.length === 0).map(({ siteId }) => siteId)
        if (siteIds.length === 0) return shown
        const days = yield* repository.days(dispatchId, siteIds)
        return shown.map((outcome) => ({ ...outcome, days: days.get(outcome.siteId) ?? outcome.days }))
      })

      const read = Effect.fnUntraced(function* (caller: Caller, id: string, { page = 1, perPage = 10 }: Query) {
        const report: Report = yield* open(caller, id)
        const { dispatch, frame } = report
        const totals = makeReportTotals(frame.intervals, frame.passed, dispatch.nominatedPowerW)
        const shown: Array<SiteOutcome> = []
        const first = (page - 1) * perPage
        yield* eachSites(frame, false, (found) => {
          for (const outcome of toOutcomes(report, found)) {
            if (totals.total() >= first && shown.length < perPage) shown.push(outcome)
            totals.add(outcome)
          }
        })
        const counted = shown.filter(({ actual }) => actual.length > 0)
        const days = new Map((yield* withDays(id, counted)).map((outcome) => [outcome.siteId, outcome]))
        const sites = shown.map((outcome) => toSiteResult(days.get(outcome.siteId) ?? outcome, frame.intervals))
        return toReport(report, totals, makePage(sites, page, perPage, totals.total()))
      })

      const toCsv = (report: Report, found: ReadonlyArray<ReportedFigures>) => {
        const { intervals, passed } = report.frame
        return toOutcomes(report, found)
          .map((outcome) => reportCsvRows(outcome.siteId, toSiteIntervals(outcome, intervals, passed)))
          .join("")
      }

      const readCsv = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const report: Report = yield* onReplica(open(caller, id)).pipe(computing.withPermit)
        const limit = sitesAtATime(report.frame)
        const rows = Stream.paginate("", (after) =>
          Effect.gen(function* () {
            const found = yield* results.find(report.frame, { after, limit, onlyHeldOut: false })
            const isLast = found.length < limit
            return [
              [toCsv(report, found)],
              isLast ? Option.none<string>() : Option.some(found.at(-1)!.site.siteId)
            ] as const
          }).pipe(onReplica, computing.withPermit)
        )
        return Stream.concat(Stream.make(reportCsvHeader), rows)
      })

      return {
        read: Effect.fn("DispatchReports.read")((caller, id, query) =>
          onReplica(read(caller, id, query)).pipe(computing.withPermit)
        ),
        readCsv: Effect.fn("DispatchReports.readCsv")(readCsv)
      }
    })
  )
}
