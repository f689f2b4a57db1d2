import { Clock, Context, Effect, Layer } from "effect"
import { EventsRepository } from "./EventsRepository.ts"

/** Events are kept this long, and then until the day ends on which they have become older. */
const KEPT = 30 * 24 * 60 * 60 * 1000

/** How long events are kept. */
export class EventRetention extends Context.Service<
  EventRetention,
  {
    /** Drops the days on which every event is too old. Answers how many. */
    readonly dropOld: Effect.Effect<number>
  }
>()("@edp/server/EventRetention") {
  static readonly layer = Layer.effect(
    EventRetention,
    Effect.gen(function* () {
      const repository = yield* EventsRepository
      return {
        dropOld: Effect.flatMap(Clock.currentTimeMillis, (now) => repository.dropBefore(now - KEPT)).pipe(
          Effect.withSpan("EventRetention.dropOld")
        )
      }
    })
  )
}
