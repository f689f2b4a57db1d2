import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import { Manufacturers } from "./Manufacturers.ts"
import { ManufacturersHandlers } from "./ManufacturersHandlers.ts"

export const layer = Manufacturers.layer.pipe(Layer.provide(audit.layer))

export const handlers = ManufacturersHandlers.pipe(Layer.provide(layer))
