import { Effect, Layer } from "effect"
import { Deliveries } from "./Deliveries.ts"

const PAUSE = "1 hour"

/** Keeps deliveries as long as events, and nothing of destinations that were deleted. */
export const DeliveryClearingWorker = Layer.effectDiscard(
  Effect.flatMap(Deliveries, ({ clear }) =>
    clear.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old deliveries are still to be cleared away", cause)),
      Effect.andThen(Effect.sleep(PAUSE)),
      Effect.forever,
      Effect.forkScoped
    )
  )
)
