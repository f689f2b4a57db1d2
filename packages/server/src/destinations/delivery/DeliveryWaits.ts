import { Effect } from "effect"
import { OrderingKeysRepository } from "./OrderingKeysRepository.ts"

/** The longest waits that are left after a clock was set back, and those that deliveries have at most, in milliseconds. */
const AFTER_SETTING = { keys: 0, destinations: 3_600_000 }
const USUALLY = { keys: 30 * 3_600_000, destinations: 30 * 3_600_000 }

/** Limits the waits of deliveries that were stored while a clock was ahead. */
export const DeliveryWaits = Effect.gen(function* () {
  const keys = yield* OrderingKeysRepository
  return {
    limit: Effect.fn("DeliveryWaits.limit")(function* (isSetBack: boolean) {
      const longest = isSetBack ? AFTER_SETTING : USUALLY
      yield* keys.limitWaits(longest.keys, longest.destinations)
    })
  }
})
