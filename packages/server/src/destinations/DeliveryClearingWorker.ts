import { Effect, Layer } from "effect"
import { Deliveries } from "./Deliveries.ts"
import { Dispatch } from "./Dispatch.ts"

const PAUSE = "1 hour"

/** Keeps deliveries as long as events, nothing of destinations that were deleted, and cursors near the events. */
export const DeliveryClearingWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { clear } = yield* Deliveries
    const { skipIdle } = yield* Dispatch
    yield* Effect.andThen(skipIdle, clear).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old deliveries are still to be cleared away", cause)),
      Effect.andThen(Effect.sleep(PAUSE)),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
