import { Effect, Layer } from "effect"
import { ReadingRetention } from "./ReadingRetention.ts"

const SOON = "1 minute"
const LATER = "1 hour"

/** Keeps readings as long as is asked for. Of several instances one does it at a time. */
export const RetentionWorker = Layer.effectDiscard(
  Effect.flatMap(ReadingRetention, ({ dropOld }) =>
    dropOld.pipe(
      Effect.catchCause((cause) => Effect.as(Effect.logWarning("Old readings are still to be dropped", cause), true)),
      Effect.flatMap((more) => Effect.sleep(more ? SOON : LATER)),
      Effect.forever,
      Effect.forkScoped
    )
  )
)
