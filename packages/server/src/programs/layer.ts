import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import { ProgramInstances } from "./ProgramInstances.ts"
import { Programs } from "./Programs.ts"
import { ProgramInstancesHandlers, ProgramsHandlers } from "./ProgramsHandlers.ts"

export const layer = ProgramInstances.layer.pipe(Layer.provideMerge(Programs.layer), Layer.provide(audit.layer))

export const handlers = Layer.merge(ProgramsHandlers, ProgramInstancesHandlers).pipe(Layer.provide(layer))
