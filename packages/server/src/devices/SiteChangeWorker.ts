import { Effect, Layer } from "effect"
import { SiteChanges } from "./SiteChanges.ts"

const PAUSE = "1 second"

/** Tells the devices of large sites that their site has changed, a part in a transaction, on any number of instances. */
export const SiteChangeWorker = Layer.effectDiscard(
  Effect.flatMap(SiteChanges, ({ tellSome }) =>
    Effect.repeat(tellSome, { while: (told) => told }).pipe(
      Effect.catchCause((cause) => Effect.logWarning("Devices of a changed site are still to be told", cause)),
      Effect.andThen(Effect.sleep(PAUSE)),
      Effect.forever,
      Effect.forkScoped
    )
  )
)
