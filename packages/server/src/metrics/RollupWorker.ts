import { Effect, Layer } from "effect"
import { EnergyRollups } from "./EnergyRollups.ts"

/** What reaches a device's rollups late costs readers a little, not their right answer. */
const PAUSE = "2 seconds"

/** Keeps the rollups up to date, on any number of instances. */
export const RollupWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { rollSome } = yield* EnergyRollups
    const rollAll: Effect.Effect<void> = Effect.flatMap(rollSome, (devices) => (devices > 0 ? rollAll : Effect.void))
    yield* rollAll.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Energies are still to be rolled up", cause)),
      Effect.andThen(Effect.sleep(PAUSE)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
