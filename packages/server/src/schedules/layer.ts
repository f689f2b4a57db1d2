import { Layer } from "effect"
import * as commands from "../commands/layer.ts"
import { ScheduleRunner } from "./ScheduleRunner.ts"
import { ScheduleRunsRepository } from "./ScheduleRunsRepository.ts"
import { Schedules } from "./Schedules.ts"
import { SchedulesHandlers } from "./SchedulesHandlers.ts"
import { SchedulesRepository } from "./SchedulesRepository.ts"

export const layer = Layer.merge(
  Schedules.layer.pipe(Layer.provide(SchedulesRepository.layer)),
  ScheduleRunner.layer.pipe(Layer.provide([ScheduleRunsRepository.layer, commands.issuing]))
)

export const handlers = SchedulesHandlers.pipe(Layer.provide(layer))
