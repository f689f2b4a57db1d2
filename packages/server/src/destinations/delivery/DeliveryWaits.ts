import { Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { OrderingKeysRepository } from "./OrderingKeysRepository.ts"

/** The longest waits that are left after a clock was set back, and those that deliveries have at most, in milliseconds. */
const AFTER_SETTING = { keys: 0, destinations: 3_600_000 }
const USUALLY = { keys: 30 * 3_600_000, destinations: 30 * 3_600_000 }

/** Limits the waits of deliveries that were stored while a clock was ahead. */
export class DeliveryWaits extends Context.Service<
  DeliveryWaits,
  { readonly limit: (isSetBack: boolean) => Effect.Effect<void, DatabaseUnavailable> }
>()("@edp/server/DeliveryWaits") {
  static readonly layer = Layer.effect(
    DeliveryWaits,
    Effect.gen(function* () {
      const keys = yield* OrderingKeysRepository
      return {
        limit: Effect.fn("DeliveryWaits.limit")(function* (isSetBack) {
          const longest = isSetBack ? AFTER_SETTING : USUALLY
          yield* keys.limitWaits(longest.keys, longest.destinations)
        })
      }
    })
  )
}
