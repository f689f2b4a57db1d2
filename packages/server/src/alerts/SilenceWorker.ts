import { Effect, Layer } from "effect"
import { SilenceWatch } from "./SilenceWatch.ts"

/** The longest that a silence, or its end, goes unnoticed. */
const PAUSE = "1 second"

/** Sweeps again and again. A sweep without anything due is one look into an index. */
export const SilenceWorker = Layer.effectDiscard(
  Effect.flatMap(SilenceWatch, ({ sweep }) =>
    sweep.pipe(
      Effect.catchCause((cause) => Effect.logWarning("Silent devices are still to be looked for", cause)),
      Effect.andThen(Effect.sleep(PAUSE)),
      Effect.forever,
      Effect.forkScoped
    )
  )
)
