import type { BaselineMethod, BaselineParameters } from "@edp/domain/dispatches/Dispatch"
import { makeCalendar } from "@edp/server/dispatches/baselines/holidays"
import type { IntervalEnergy } from "@edp/server/dispatches/baselines/series"
import { reportIntervals } from "@edp/server/dispatches/baselines/windows"
import {
  DispatchReportsRepository,
  type DisturbanceRow,
  type ReportedDevice,
  type ReportedSite
} from "@edp/server/dispatches/reports/DispatchReportsRepository"
import { IntervalEnergies } from "@edp/server/dispatches/reports/IntervalEnergies"
import { type ReportFrame, SiteOutcomes } from "@edp/server/dispatches/reports/SiteOutcomes"
import type { Span } from "@edp/server/energy/intervals"
import { Effect, Layer } from "effect"

export const siteId = "csite"

const site = (timezone: string, start: number): ReportedSite => ({
  siteId,
  state: "running",
  heldOut: false,
  startsAt: new Date(start),
  timezone
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
  const intervals = reportIntervals([
    { startsAt: new Date(start).toISOString(), durationSeconds: (end - start) / 1000 }
  ])
  return {
    workspaceId: "cworkspace",
    dispatchId: "cdispatch",
    method,
    parameters,
    calendar: makeCalendar(parameters.holidays ?? "us-federal", parameters.extraHolidays),
    intervals,
    passed: intervals.filter(({ to }) => to <= now).length,
    until: now,
    now,
    control: undefined
  }
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
      outcomes.compute(frame, [site(timezone, frame.intervals[0]!.from)])
    ).pipe(
      Effect.map(([found]) => found!),
      Effect.provide(layer)
    )
  )
}
