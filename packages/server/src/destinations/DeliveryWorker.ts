import { Effect, Layer } from "effect"
import { Delivering } from "./Delivering.ts"
import { Dispatch } from "./Dispatch.ts"

/** How long something new may wait where nobody tells of it. */
const PAUSE = "200 millis"

const again = (name: string, step: Effect.Effect<number>) =>
  step.pipe(
    Effect.catchCause((cause) => Effect.as(Effect.logWarning(`${name} goes on later`, cause), 0)),
    Effect.flatMap((done) => (done === 0 ? Effect.sleep(PAUSE) : Effect.void)),
    Effect.forever,
    Effect.forkScoped
  )

/** Gives events to destinations and delivers them, beside any number of other instances that do. */
export const DeliveryWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { next } = yield* Dispatch
    const { begin } = yield* Delivering
    yield* again("Giving events to destinations", next)
    yield* again("Delivering events", begin)
  })
)
