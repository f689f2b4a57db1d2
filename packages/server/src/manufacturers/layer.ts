import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import { Manufacturers } from "./Manufacturers.ts"
import { ManufacturersHandlers } from "./ManufacturersHandlers.ts"
import { ManufacturersRepository } from "./ManufacturersRepository.ts"

export const layer = Manufacturers.layer.pipe(Layer.provide([ManufacturersRepository.layer, audit.layer]))

export const handlers = ManufacturersHandlers.pipe(Layer.provide(layer))
