import { Effect, Layer } from "effect"
import { ModelsOfManufacturer } from "../manufacturers/Manufacturers.ts"
import { DeviceModelsRepository } from "./DeviceModelsRepository.ts"

/** Implements the port of manufacturers. */
export const ManufacturerModelsLive = Layer.effect(
  ModelsOfManufacturer,
  Effect.map(DeviceModelsRepository, ({ typesBesides }) => ({ typesBesides }))
)
