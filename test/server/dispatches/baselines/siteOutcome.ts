import type { BaselineMethod, BaselineParameters } from "@edp/domain/dispatches/Dispatch"
import type { IntervalEnergy } from "@edp/server/dispatches/baselines/series"
import {
  DispatchReportsRepository,
  type DisturbanceRow,
  type ReportedDevice,
  type ReportedDispatch,
  type ReportedSite
} from "@edp/server/dispatches/reports/DispatchReportsRepository"
import { IntervalEnergies } from "@edp/server/dispatches/reports/IntervalEnergies"
import { leftOutSite, toOutcome } from "@edp/server/dispatches/reports/outcomeValues"
import { makeFrame as toFrame } from "@edp/server/dispatches/reports/SiteResults"
import { type ReportFrame, SiteOutcomes } from "@edp/server/dispatches/reports/SiteOutcomes"
import type { Span } from "@edp/server/energy/intervals"
import { Effect, Layer } from "effect"

export const siteId = "csite"

const site = (timezone: string, start: number): ReportedSite => ({
  siteId,
  state: "running",
  heldOut: false,
  startsAt: new Date(start),
  timezone,
  history: "1",
  signature: "1",
  keepsBaseline: false,
  keepsUse: false,
  baseline: null,
  baselineReason: null,
  missing: null,
  amounts: null,
  covered: null,
  exported: null
})

const device = (type: ReportedDevice["type"]): ReportedDevice => ({
  id: type,
  type,
  siteId,
  firstAt: Date.UTC(2020, 0),
  disconnectedAt: null
})

export interface GivenDispatch {
  readonly method: BaselineMethod
  readonly parameters?: BaselineParameters
  readonly start: number
  readonly end: number
  readonly now: number
}

export const makeFrame = ({ end, method, now, parameters = {}, start }: GivenDispatch): ReportFrame => {
  const dispatch: ReportedDispatch = {
    id: "cdispatch",
    startsAt: new Date(start),
    endsAt: new Date(end),
    intervals: [{ startsAt: new Date(start).toISOString(), durationSeconds: (end - start) / 1000, actions: {} }],
    nominatedPowerW: null,
    baseline: { method, parameters },
    status: "running",
    updatedAt: new Date(start)
  }
  return toFrame("cworkspace", dispatch, now)
}

/** The outcome of a site whose use is a function of the time, without a database. */
export const computeOutcome = (
  frame: ReportFrame,
  timezone: string,
  disturbances: ReadonlyArray<DisturbanceRow>,
  measure: (span: Span) => IntervalEnergy
) => {
  const repository = Layer.succeed(DispatchReportsRepository, {
    devicesAt: () => Effect.succeed([device("meter")]),
    batteries: () => Effect.succeed([device("battery")]),
    disturbances: () => Effect.succeed(disturbances)
  } as never)
  const energies = Layer.succeed(IntervalEnergies, {
    read: (_, requests) => Effect.succeed(requests.map(({ spans }) => spans.map(measure)))
  })
  const layer = SiteOutcomes.layer.pipe(Layer.provide([repository, energies]))
  return Effect.runPromise(
    Effect.flatMap(SiteOutcomes, (outcomes) =>
      outcomes.compute(frame, [site(timezone, frame.intervals[0]!.from)], new Map())
    ).pipe(
      Effect.map((found) => {
        const figures = found.get(siteId)!
        const { baseline, missing } = figures
        return baseline === undefined
          ? leftOutSite({ siteId, timezone }, missing!)
          : toOutcome({ siteId, timezone }, figures, baseline, frame.intervals.slice(0, frame.passed))
      }),
      Effect.provide(layer)
    )
  )
}
