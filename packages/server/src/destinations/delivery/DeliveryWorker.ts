import { Effect, Layer } from "effect"
import { Delivering } from "./DeliveryRunner.ts"
import { Dispatch } from "./FanOut.ts"

/** How long something new may wait where nobody tells of it. */
const PAUSE = "200 millis"
/** Claims last several times as long. */
const RENEWAL = "2 seconds"

const forever = (name: string, step: Effect.Effect<number>, pause: Effect.Effect<void>) =>
  step.pipe(
    Effect.catchCause((cause) =>
      Effect.as(Effect.andThen(Effect.logWarning(`${name} goes on later`, cause), Effect.sleep(PAUSE)), 0)
    ),
    Effect.flatMap((done) => (done === 0 ? pause : Effect.void)),
    Effect.forever,
    Effect.forkScoped
  )

/** Gives events to destinations and delivers them, beside any number of other instances that do. */
export const DeliveryWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { next } = yield* Dispatch
    const { begin, renew, wake, woken } = yield* Delivering
    yield* forever("Giving events to destinations", Effect.tap(next, wake), Effect.sleep(PAUSE))
    yield* forever("Delivering events", begin, Effect.timeoutOption(woken, PAUSE))
    yield* forever("Keeping lanes", Effect.as(renew, 0), Effect.sleep(RENEWAL))
  })
)
