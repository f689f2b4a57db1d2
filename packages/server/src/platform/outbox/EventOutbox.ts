import { Clock, Context, Effect, Layer } from "effect"
import { Ids } from "../Ids.ts"
import { InTransaction } from "../sql/transaction.ts"
import type { NewEvent } from "./newEvent.ts"
import { OutboxRepository } from "./OutboxRepository.ts"

/** Where what happens is told. */
export class EventOutbox extends Context.Service<
  EventOutbox,
  {
    /**
     * For the transaction of what happened: neither exists without the other. The events are in the order given. To be
     * called after the subjects were written or locked, so that their events are in the order of their changes.
     */
    readonly publish: (events: ReadonlyArray<NewEvent>) => Effect.Effect<void>
  }
>()("@edp/server/EventOutbox") {
  static readonly layer = Layer.effect(
    EventOutbox,
    Effect.gen(function* () {
      const repository = yield* OutboxRepository
      const ids = yield* Ids

      const insert = (events: ReadonlyArray<NewEvent>) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          repository.insert(
            events.map((event) => ({ ...event, id: ids.nextAt(now) })),
            new Date(now)
          )
        )

      return {
        publish: (events) =>
          Effect.flatMap(InTransaction, (inside) => {
            if (!inside) return Effect.die(new Error("Events are published in the transaction of their cause"))
            return events.length === 0 ? Effect.void : insert(events)
          })
      }
    })
  ).pipe(Layer.provide(OutboxRepository.layer))
}
