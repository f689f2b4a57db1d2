import { Clock, Effect, Exit, Layer } from "effect"
import { batched } from "../batching/batched.ts"
import { supervisor } from "../processes/ownSlot.ts"
import { RateLimitStore, type Taken, takenIn } from "./RateLimitStore.ts"

/** Requests that one message counts. */
const MOST = 1000

/** Counts that the processes of a machine share: their supervisor keeps them. Requests that arrive together are one message. */
export const layerSupervised = Layer.effect(
  RateLimitStore,
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const count = yield* batched(
      (requests: ReadonlyArray<{ readonly key: string }>) =>
        Effect.map(
          Effect.promise(() => supervisor.count(requests.map(({ key }) => key))),
          ({ counts, window }) => {
            const now = clock.currentTimeMillisUnsafe()
            const taken = new Map(requests.map((request, at) => [request, takenIn(window, counts[at]!, now)]))
            return (request: { readonly key: string }): Exit.Exit<Taken> => Exit.succeed(taken.get(request)!)
          }
        ),
      { maxBatch: MOST }
    )
    return { take: (key) => count({ key }), healthy: Effect.succeed(true) }
  })
)
