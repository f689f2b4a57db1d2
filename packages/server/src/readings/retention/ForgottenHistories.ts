import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { DeviceHistoryRepository } from "../history/DeviceHistoryRepository.ts"

/**
 * Deletes the readings of removed devices and what was computed from them. There may be millions of them, so it happens
 * after the removal, in the background. The database knows which devices they are: any instance continues after a stop.
 */
export class ForgottenHistories extends Context.Service<
  ForgottenHistories,
  {
    /** Deletes what is left of the device's history unless it belongs to a workspace. Not for use in a transaction. */
    readonly forget: (deviceId: string) => Effect.Effect<void>
    /** Does that for every removed device. */
    readonly forgetAll: Effect.Effect<void>
  }
>()("@edp/server/ForgottenHistories") {
  static readonly layer = Layer.effect(
    ForgottenHistories,
    Effect.gen(function* () {
      const repository = yield* DeviceHistoryRepository
      const sql = yield* SqlClient.SqlClient

      /** Answers whether there is more. A device that was brought back keeps what it has reported since. */
      const forgetSome = (deviceId: string) =>
        Effect.gen(function* () {
          const associated = yield* repository.lock(deviceId)
          if (!associated) {
            yield* repository.deleteState(deviceId)
            if (yield* repository.deleteReadings(deviceId)) return true
            if (yield* repository.deleteRollups(deviceId)) return true
          }
          yield* repository.settle(deviceId)
          return false
        }).pipe(transactionsOn(sql))

      const forget = (deviceId: string): Effect.Effect<void> =>
        Effect.flatMap(forgetSome(deviceId), (more) => (more ? forget(deviceId) : Effect.void))

      const forgetAll: Effect.Effect<void> = Effect.gen(function* () {
        const ids = yield* repository.forgotten
        yield* Effect.forEach(ids, forget, { discard: true })
        if (ids.length > 0) yield* forgetAll
      })

      return {
        forget: Effect.fn("ForgottenHistories.forget")(forget),
        forgetAll: Effect.withSpan(forgetAll, "ForgottenHistories.forgetAll")
      }
    })
  )
}
