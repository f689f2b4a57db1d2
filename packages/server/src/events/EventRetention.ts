import { Clock, Context, Effect, Layer } from "effect"
import { EventsRepository } from "./EventsRepository.ts"

/** Events are kept this long, and then until the day ends on which they have become older. */
const DAY = 24 * 60 * 60 * 1000
const KEPT = 30 * DAY
/** Devices that one statement forgets. */
const PART = 1000

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
        dropOld: Effect.gen(function* () {
          const before = (yield* Clock.currentTimeMillis) - KEPT
          const dropped = yield* repository.dropBefore(before)
          // Events of the day that is still kept are told from devices that departed on it.
          const forget = repository.forgetDeparted(before - DAY, PART)
          yield* Effect.repeat(forget, { while: (more) => more })
          return dropped
        }).pipe(Effect.withSpan("EventRetention.dropOld"))
      }
    })
  )
}
