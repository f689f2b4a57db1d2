import { Layer } from "effect"
import * as commands from "../commands/layer.ts"
import { ScheduleRunner } from "./ScheduleRunner.ts"
import { Schedules } from "./Schedules.ts"
import { FollowedSchedulesHandlers, SchedulesHandlers } from "./SchedulesHandlers.ts"

export const layer = Layer.merge(Schedules.layer, ScheduleRunner.layer.pipe(Layer.provide(commands.issuing)))

export const dashboardHandlers = FollowedSchedulesHandlers

export const handlers = SchedulesHandlers.pipe(Layer.provide(layer))
