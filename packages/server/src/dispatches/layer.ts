import { Layer } from "effect"
import * as commands from "../commands/layer.ts"
import * as enrollments from "../enrollments/layer.ts"
import * as metrics from "../metrics/layer.ts"
import * as programs from "../programs/layer.ts"
import { DispatchCourse } from "./DispatchCourse.ts"
import { DispatchDevices } from "./DispatchDevices.ts"
import { DispatchDevicesRepository } from "./DispatchDevicesRepository.ts"
import { Dispatches } from "./Dispatches.ts"
import { DispatchesHandlers } from "./DispatchesHandlers.ts"
import { DispatchReports } from "./DispatchReports.ts"
import { DispatchReportsHandlers } from "./DispatchReportsHandlers.ts"
import { DispatchReportsRepository } from "./DispatchReportsRepository.ts"
import { DispatchesRepository } from "./DispatchesRepository.ts"
import { DispatchRunner } from "./DispatchRunner.ts"
import { DispatchSitesRepository } from "./DispatchSitesRepository.ts"
import { IntervalEnergies } from "./IntervalEnergies.ts"
import { ProgramReports } from "./ProgramReports.ts"
import { ProgramReportsHandlers } from "./ProgramReportsHandlers.ts"
import { ProgramReportsRepository } from "./ProgramReportsRepository.ts"
import { SiteOutcomes } from "./SiteOutcomes.ts"

const repositories = Layer.mergeAll(
  DispatchesRepository.layer,
  DispatchSitesRepository.layer,
  DispatchDevicesRepository.layer
)

export const layer = Layer.merge(Dispatches.layer, DispatchRunner.layer).pipe(
  Layer.provide([DispatchCourse.layer, DispatchDevices.layer]),
  Layer.provide([repositories, commands.issuing, enrollments.layer, programs.layer])
)

const programReports = ProgramReports.layer.pipe(Layer.provide([ProgramReportsRepository.layer, metrics.layer]))

const dispatchReports = DispatchReports.layer.pipe(
  Layer.provide(SiteOutcomes.layer),
  Layer.provide([IntervalEnergies.layer, DispatchReportsRepository.layer]),
  Layer.provide(metrics.layer)
)

export const handlers = Layer.mergeAll(
  DispatchesHandlers.pipe(Layer.provide(layer)),
  DispatchReportsHandlers.pipe(Layer.provide(dispatchReports)),
  ProgramReportsHandlers.pipe(Layer.provide(programReports))
)
