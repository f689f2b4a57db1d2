import { Duration, Effect, Layer } from "effect"
import { isBusy, RequestsInFlight } from "../platform/observability/RequestsInFlight.ts"
import { EnergyRollups } from "./EnergyRollups.ts"

/** What reaches a device's rollups late costs readers a little, not their right answer. */
const PAUSE = "2 seconds"

/** While the process is busy with requests, it rests so many times as long as it has worked. */
const REST = 3

/** Keeps the rollups up to date, on any number of instances. */
export const RollupWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { rollSome } = yield* EnergyRollups
    const requests = yield* RequestsInFlight
    const rest = (worked: Duration.Duration) =>
      Effect.suspend(() => (isBusy(requests) ? Effect.sleep(Duration.times(worked, REST)) : Effect.void))
    const rollAll: Effect.Effect<void> = Effect.flatMap(Effect.timed(rollSome), ([worked, devices]) =>
      devices > 0 ? Effect.andThen(rest(worked), rollAll) : Effect.void
    )
    yield* rollAll.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Energies are still to be rolled up", cause)),
      Effect.andThen(Effect.sleep(PAUSE)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
