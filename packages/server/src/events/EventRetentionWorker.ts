import { Effect, Layer } from "effect"
import { EventRetention } from "./EventRetention.ts"

const PAUSE = "1 hour"

/** Keeps events as long as is promised. */
export const EventRetentionWorker = Layer.effectDiscard(
  Effect.flatMap(EventRetention, ({ dropOld }) =>
    dropOld.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Old events are still to be dropped", cause)),
      Effect.andThen(Effect.sleep(PAUSE)),
      Effect.forever,
      Effect.forkScoped
    )
  )
)
