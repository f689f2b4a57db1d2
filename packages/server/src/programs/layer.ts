import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import { ProgramInstances } from "./ProgramInstances.ts"
import { ProgramInstancesRepository } from "./ProgramInstancesRepository.ts"
import { Programs } from "./Programs.ts"
import { ProgramInstancesHandlers, ProgramsHandlers } from "./ProgramsHandlers.ts"
import { ProgramsRepository } from "./ProgramsRepository.ts"

export const layer = ProgramInstances.layer.pipe(
  Layer.provideMerge(Programs.layer),
  Layer.provide([ProgramInstancesRepository.layer, ProgramsRepository.layer, audit.layer])
)

export const handlers = Layer.merge(ProgramsHandlers, ProgramInstancesHandlers).pipe(Layer.provide(layer))
