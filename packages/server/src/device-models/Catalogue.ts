import { Effect, Layer } from "effect"
import { Manufacturers } from "../manufacturers/Manufacturers.ts"
import { DeviceModels } from "./DeviceModels.ts"

/** Loads the starter catalogue at every start, after the migrations. Instances that start at once don't disturb one another. */
export const loadCatalogue: Effect.Effect<void, never, Manufacturers | DeviceModels> = Effect.gen(function* () {
  yield* (yield* Manufacturers).loadCatalogue
  yield* (yield* DeviceModels).loadCatalogue
})

export const CatalogueLive = Layer.effectDiscard(loadCatalogue)
