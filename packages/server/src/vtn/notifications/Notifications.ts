import { Context, Effect, Layer, Option } from "effect"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { BrokerMessagesRepository } from "./BrokerMessagesRepository.ts"
import { CallbacksRepository } from "./CallbacksRepository.ts"
import type { RecordedChange } from "./recordedChange.ts"

/** Writes what is to be told of a change: to the callbacks of subscriptions, and at the broker if there is one. */
export class Notifications extends Context.Service<
  Notifications,
  {
    /** Joins the caller's transaction. */
    readonly record: (change: RecordedChange) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/vtn/Notifications") {
  static readonly layer = Layer.effect(
    Notifications,
    Effect.gen(function* () {
      const { openAdrBroker } = yield* ServerConfig
      const callbacks = yield* CallbacksRepository
      const broker = yield* BrokerMessagesRepository
      return {
        record: Effect.fnUntraced(function* (change) {
          yield* callbacks.record(change)
          if (Option.isSome(openAdrBroker)) yield* broker.record(change)
        })
      }
    })
  )
}
