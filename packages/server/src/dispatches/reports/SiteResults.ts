import type { Baseline } from "@edp/domain/dispatches/Dispatch"
import { Array as Arr, Clock, Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { onPrimary } from "../../platform/replicas/readReplica.ts"
import { inSnapshot } from "../../platform/sql/transaction.ts"
import { makeCalendar } from "../baselines/holidays.ts"
import { reportIntervals } from "../baselines/windows.ts"
import { dispatchLimits, RESULTS } from "../dispatchLimits.ts"
import { isEnded } from "../dispatchRow.ts"
import {
  DispatchReportsRepository,
  type KeptResult,
  type ReportedDispatch,
  type ReportedSite,
  type SitesQuestion
} from "./DispatchReportsRepository.ts"
import type { SiteBaseline, SiteFigures } from "./outcomeValues.ts"
import { RecentFigures } from "./RecentFigures.ts"
import { DEFAULT_LOOKBACK, type ReportFrame, SiteOutcomes, notTakingPart } from "./SiteOutcomes.ts"

const DAY = 86_400_000
/** A local day ends at most so long after an instant in it. */
const REST_OF_DAY = 25 * 3_600_000

const { computedSites, reportedIntervals, reportedSites, usedSites } = dispatchLimits
const { resultsDays, resultsLeastPauseSeconds, resultsLeaseSeconds } = dispatchLimits

/** The parameters with their defaults. The defaults of x and y depend on the type of the day. */
const withDefaults = ({ method, parameters }: Baseline): Baseline => ({
  method,
  parameters: {
    lookbackDays: DEFAULT_LOOKBACK,
    adjustment: true,
    holidays: "us-federal",
    extraHolidays: [],
    ...parameters
  }
})

export const makeFrame = (workspaceId: string, dispatch: ReportedDispatch, now: number): ReportFrame => {
  const { id: dispatchId, status, updatedAt } = dispatch
  const isBegun = status !== "draft" && status !== "scheduled"
  const endedAt = status === "cancelled" ? updatedAt.getTime() : Number.POSITIVE_INFINITY
  const until = isBegun ? Math.min(now, endedAt) : Number.NEGATIVE_INFINITY
  const baseline = withDefaults(dispatch.baseline)
  const { extraHolidays, holidays = "us-federal", lookbackDays = DEFAULT_LOOKBACK } = baseline.parameters
  const intervals = reportIntervals(dispatch.intervals)
  const passed = intervals.filter(({ to }) => to <= until).length
  const [start, end] = [intervals[0]!.from, intervals.at(-1)!.to]
  // This method compares the rest of the dispatch's own day.
  const historyUntil = baseline.method === "match-day-3" ? Math.min(endedAt, end + REST_OF_DAY) : start
  return {
    workspaceId,
    dispatchId,
    ...baseline,
    calendar: makeCalendar(holidays, extraHolidays),
    intervals,
    passed,
    until,
    now,
    isOver: isEnded(status),
    isHistoryOver: historyUntil <= now,
    results: {
      workspaceId,
      dispatchId,
      disturbed: { from: start - (lookbackDays + 2) * DAY, to: end },
      historyUntil,
      useUntil: intervals[passed - 1]?.to ?? start
    }
  }
}

/** While one slice is computed here, the database reads another one. */
const SLICES_AT_A_TIME = 2

const toList = (values: ReadonlyArray<bigint | number | null>) =>
  `{${values.map((value) => value ?? "NULL").join(",")}}`
const fromList = (list: string) => (list === "{}" ? [] : list.slice(1, -1).split(","))
const toAmount = (text: string) => (text === "NULL" ? null : BigInt(text))

/** Days of kept baselines are read for those results alone that are shown. */
const keptBaseline = ({ baseline, baselineReason, keepsBaseline }: ReportedSite): SiteBaseline | undefined =>
  keepsBaseline
    ? {
        days: [],
        amounts: baseline === null ? undefined : fromList(baseline).map(toAmount),
        reason: baselineReason ?? "too_few_days"
      }
    : undefined

/** The figures that are kept of a site in a dispatch that is over; undefined if they are not, or something has changed since. */
const keptFigures = (frame: ReportFrame, site: ReportedSite): SiteFigures | undefined => {
  const { amounts, covered, exported, keepsUse, missing } = site
  if (!frame.isOver || !keepsUse) return undefined
  if (missing !== null) return { missing, baseline: undefined, use: undefined }
  const needsBaseline = frame.method !== "hold-out"
  const baseline = needsBaseline ? keptBaseline(site) : undefined
  if (amounts === null || covered === null || (needsBaseline && baseline === undefined)) return undefined
  const times = fromList(covered)
  const measured = fromList(amounts).map((text, index) => ({ amount: toAmount(text), covered: Number(times[index]) }))
  const use = { measured, exported: exported === null ? null : BigInt(exported) }
  return { missing: undefined, baseline, use }
}

/** The part of a site's figures that is final, unless readings arrive late. */
const toKept = (frame: ReportFrame, site: ReportedSite, { baseline, missing, use }: SiteFigures): KeptResult => {
  const isBaselineKept = baseline !== undefined && frame.isHistoryOver
  return {
    siteId: site.siteId,
    history: isBaselineKept ? site.history : null,
    days: isBaselineKept && !site.keepsBaseline ? baseline.days : null,
    baseline: isBaselineKept && baseline.amounts !== undefined ? toList(baseline.amounts) : null,
    baselineReason: isBaselineKept ? baseline.reason : null,
    signature: frame.isOver ? site.signature : null,
    missing: frame.isOver ? (missing ?? null) : null,
    amounts: frame.isOver && use !== undefined ? toList(use.measured.map(({ amount }) => amount)) : null,
    covered: frame.isOver && use !== undefined ? toList(use.measured.map(({ covered }) => covered)) : null,
    exported: frame.isOver ? (use?.exported?.toString() ?? null) : null
  }
}

/** The number of sites whose figures are held in memory together. */
export const sitesAtATime = ({ intervals }: ReportFrame) =>
  Math.max(1, Math.min(reportedSites, Math.floor(reportedIntervals / intervals.length)))

const knownBaselines = (frame: ReportFrame, sites: ReadonlyArray<ReportedSite>) =>
  new Map(
    sites.flatMap((site): ReadonlyArray<readonly [string, SiteBaseline]> => {
      const baseline = frame.isHistoryOver ? keptBaseline(site) : undefined
      return baseline === undefined ? [] : [[site.siteId, baseline]]
    })
  )

/** Sites that are computed together: fewer of those whose like days are read. */
const slices = (frame: ReportFrame, sites: ReadonlyArray<ReportedSite>): ReadonlyArray<ReadonlyArray<string>> => {
  const known = knownBaselines(frame, sites)
  return [true, false].flatMap((isKnown) => {
    const siteIds = sites.filter(({ siteId }) => known.has(siteId) === isKnown).map(({ siteId }) => siteId)
    return Arr.chunksOf(siteIds, isKnown ? usedSites : computedSites)
  })
}

/** Whether something is to be kept that is not: of a dispatch that runs, baselines alone. */
const isKeepable = ({ isHistoryOver, isOver, method }: ReportFrame, { keepsBaseline }: ReportedSite) =>
  isOver || (isHistoryOver && method !== "hold-out" && !keepsBaseline)

/** Whether a report on the site needs figures: it takes part, or the baseline of the others is computed from it. */
const isMeasured = (frame: ReportFrame, site: ReportedSite) => {
  const reason = notTakingPart(site, frame)
  return reason === undefined || (reason === "held_out" && frame.method === "hold-out")
}

export interface ReportedFigures {
  readonly site: ReportedSite
  /** Undefined if the site takes no part. */
  readonly figures: SiteFigures | undefined
}

/**
 * The figures of a dispatch's sites. What is final is kept with a hash of everything that it was computed from: readings that arrive late,
 * a device that is moved or deleted, another dispatch or an outage change the hash, and the figures are computed again.
 */
export class SiteResults extends Context.Service<
  SiteResults,
  {
    /** The figures of participants, kept ones where nothing has changed. Computes the others and keeps what is final of them. */
    readonly find: (
      frame: ReportFrame,
      question: SitesQuestion
    ) => Effect.Effect<ReadonlyArray<ReportedFigures>, DatabaseUnavailable>
    /** Brings the kept results of the dispatches that are due up to date. */
    readonly keepDue: Effect.Effect<void, DatabaseUnavailable>
    /** Lets no dispatch wait for longer than it ever does, counted from now. */
    readonly limitWaits: Effect.Effect<unknown, DatabaseUnavailable>
  }
>()("@edp/server/SiteResults") {
  static readonly layer = Layer.effect(
    SiteResults,
    Effect.gen(function* () {
      const repository = yield* DispatchReportsRepository
      const outcomes = yield* SiteOutcomes
      const sql = yield* SqlClient.SqlClient
      const isolation = yield* makeIsolation(RESULTS)
      const recent = new RecentFigures()

      /** In one snapshot, so that the hashes are those of what was computed. Keeps what is final. */
      const computeSome = Effect.fnUntraced(function* (frame: ReportFrame, siteIds: ReadonlyArray<string>) {
        const found = yield* inSnapshot(
          Effect.gen(function* () {
            const sites = yield* repository.sites({ siteIds }, frame.results)
            const measured = sites.filter((site) => isMeasured(frame, site))
            const figures = yield* outcomes.compute(frame, measured, knownBaselines(frame, measured))
            return sites.map((site): ReportedFigures => ({ site, figures: figures.get(site.siteId) }))
          })
        )
        const results = found.flatMap(({ figures, site }) =>
          figures !== undefined && isKeepable(frame, site) ? [toKept(frame, site, figures)] : []
        )
        if (results.length > 0) yield* onPrimary(repository.keep(frame.dispatchId, results))
        return found
      })

      const find = Effect.fnUntraced(function* (frame: ReportFrame, question: SitesQuestion) {
        const sites = yield* repository.sites(question, frame.results)
        const found = sites.map((site): ReportedFigures => ({
          site,
          figures: keptFigures(frame, site) ?? recent.find(frame, site.siteId)
        }))
        const left = found.flatMap(({ figures, site }) =>
          figures === undefined && isMeasured(frame, site) ? [site] : []
        )
        if (left.length === 0) return found
        const [took, parts] = yield* Effect.timed(
          Effect.forEach(slices(frame, left), (siteIds) => computeSome(frame, siteIds), {
            concurrency: SLICES_AT_A_TIME
          })
        )
        const computed = new Map(parts.flat().map((each) => [each.site.siteId, each]))
        if (!frame.isOver) {
          const figures = parts
            .flat()
            .flatMap(({ figures, site }) => (figures ? [[site.siteId, figures] as const] : []))
          recent.keep(frame, Duration.toMillis(took), figures)
        }
        return found.map((each) => computed.get(each.site.siteId) ?? each)
      })

      /** Sites of which something is to be kept. */
      const pending = (frame: ReportFrame, sites: ReadonlyArray<ReportedSite>) =>
        sites.filter(
          (site) => isMeasured(frame, site) && isKeepable(frame, site) && keptFigures(frame, site) === undefined
        )

      /** Rests as long as it works, so that requests are not slowed down for long. */
      const keepAll = Effect.fnUntraced(function* (frame: ReportFrame) {
        const limit = sitesAtATime(frame)
        for (let after = ""; ;) {
          const sites = yield* repository.sites({ after, limit, onlyHeldOut: false }, frame.results)
          for (const siteIds of slices(frame, pending(frame, sites))) {
            const [took] = yield* Effect.timed(
              isolation.run(
                siteIds,
                (siteId) => `${frame.dispatchId} ${siteId}`,
                (some) => Effect.as(computeSome(frame, some), some.length)
              )
            )
            yield* Effect.sleep(took)
          }
          if (sites.length < limit) return
          after = sites.at(-1)!.siteId
        }
      })

      /** The next time at which results are compared with what they are computed from; null after the last. */
      const nextDue = (frame: ReportFrame, now: number) => {
        const least = resultsLeastPauseSeconds * 1000
        if (!frame.isOver) return now + least
        const age = now - frame.intervals.at(-1)!.to
        return age > resultsDays * DAY ? null : now + Math.max(least, age / 4)
      }

      const limitWaits = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        repository.limitWaits(new Date(now), (resultsDays * DAY) / 4)
      )

      const keepNext = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const claimedUntil = new Date(now + resultsLeaseSeconds * 1000)
        const due = yield* repository.claimDue(new Date(now), claimedUntil)
        if (due === undefined) return false
        yield* isolation.run(
          [due],
          ({ id }) => id,
          Effect.fnUntraced(function* () {
            const { id, workspaceId } = due
            const dispatch = yield* repository.dispatch(workspaceId, id)
            const frame = makeFrame(workspaceId, dispatch!, now)
            yield* keepAll(frame)
            const next = nextDue(frame, yield* Clock.currentTimeMillis)
            yield* repository.setDue(id, claimedUntil, next === null ? null : new Date(next))
            return 1
          })
        )
        return true
      })

      return {
        limitWaits,
        find: Effect.fn("SiteResults.find")((frame, question) =>
          Effect.provideService(find(frame, question), SqlClient.SqlClient, sql)
        ),
        keepDue: Effect.withSpan(
          Effect.provideService(Effect.repeat(keepNext, { while: (more) => more }), SqlClient.SqlClient, sql),
          "SiteResults.keepDue"
        )
      }
    })
  )
}
