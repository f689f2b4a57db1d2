import { Layer } from "effect"
import * as audit from "../audit/layer.ts"
import * as manufacturers from "../manufacturers/layer.ts"
import { CatalogueLive, DeviceModels, ManufacturerModelsLive } from "./DeviceModels.ts"
import { DeviceModelsHandlers } from "./DeviceModelsHandlers.ts"

const models = DeviceModels.layer.pipe(Layer.provide(audit.layer))

/** Loads the starter catalogue into the database. */
export const layer = CatalogueLive.pipe(Layer.provideMerge(models), Layer.provide(manufacturers.layer))

/** The implementation of the port of manufacturers. */
export const ports = ManufacturerModelsLive

export const handlers = DeviceModelsHandlers.pipe(Layer.provide(layer))
