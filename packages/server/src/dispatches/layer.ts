import { Layer } from "effect"
import * as commands from "../commands/layer.ts"
import * as enrollments from "../enrollments/layer.ts"
import * as metrics from "../metrics/layer.ts"
import * as programs from "../programs/layer.ts"
import { DispatchLifecycle, DispatchRunner } from "./DispatchRunner.ts"
import { DispatchDevices } from "./devices/DispatchDevices.ts"
import { Dispatches, InstanceDependentsLive } from "./Dispatches.ts"
import { DispatchesHandlers, DispatchReportsHandlers, ProgramReportsHandlers } from "./DispatchesHandlers.ts"
import { DispatchReports } from "./reports/DispatchReports.ts"
import { DispatchReportsRepository } from "./reports/DispatchReportsRepository.ts"
import { IntervalEnergies } from "./reports/IntervalEnergies.ts"
import { OptOuts } from "./OptOuts.ts"
import { DispatchPreviews } from "./preview/DispatchPreviews.ts"
import { ProgramDays } from "./program-reports/ProgramDays.ts"
import { ProgramReports } from "./program-reports/ProgramReports.ts"
import { SiteUse } from "./reports/SiteUse.ts"
import { SiteResults } from "./reports/SiteResults.ts"
import { SiteOutcomes } from "./reports/SiteOutcomes.ts"

const programDays = ProgramDays.layer.pipe(Layer.provide(metrics.layer))

const programReports = ProgramReports.layer.pipe(Layer.provide(programDays))

const results = SiteResults.layer.pipe(
  Layer.provide(SiteOutcomes.layer),
  Layer.provide([IntervalEnergies.layer, DispatchReportsRepository.layer]),
  Layer.provide(metrics.layer)
)

const running = Layer.mergeAll(Dispatches.layer, DispatchPreviews.layer, DispatchRunner.layer).pipe(
  Layer.provideMerge(OptOuts.layer),
  Layer.provide([DispatchLifecycle.layer, DispatchDevices.layer]),
  Layer.provide([commands.issuing, enrollments.layer, programs.layer])
)

export const layer = Layer.mergeAll(running, results, programDays)

const dispatchReports = DispatchReports.layer.pipe(Layer.provide([results, DispatchReportsRepository.layer]))

/** Figures that later slices report on. */
export const reports = Layer.merge(
  dispatchReports,
  SiteUse.layer.pipe(
    Layer.provide([IntervalEnergies.layer, DispatchReportsRepository.layer]),
    Layer.provide(metrics.layer)
  )
)

/** The implementation of the port of programs. */
export const ports = InstanceDependentsLive

export const handlers = Layer.mergeAll(
  DispatchesHandlers.pipe(Layer.provide(running)),
  DispatchReportsHandlers.pipe(Layer.provide(dispatchReports)),
  ProgramReportsHandlers.pipe(Layer.provide(programReports))
)
