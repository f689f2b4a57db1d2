import { Context, Effect, Layer, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { DeviceHistoryRepository } from "../history/DeviceHistoryRepository.ts"

/**
 * Deletes the readings of devices that were removed, and what was computed from them: after the removal, because they may be millions, and in the
 * background. Which devices these are is in the database, so a start goes on with what a stop left, on any instance.
 */
export class ForgottenHistories extends Context.Service<
  ForgottenHistories,
  {
    /** Deletes what is left of the device's history unless it belongs to a workspace. Not for use in a transaction. */
    readonly forget: (deviceId: string) => Effect.Effect<void>
    /** Has the background look at once instead of within a minute. */
    readonly wake: Effect.Effect<void>
  }
>()("@edp/server/ForgottenHistories") {
  static readonly layer = Layer.effect(
    ForgottenHistories,
    Effect.gen(function* () {
      const repository = yield* DeviceHistoryRepository
      const sql = yield* SqlClient.SqlClient
      const signals = yield* Queue.sliding<void>(1)

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

      yield* forgetAll.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Histories of removed devices are still to be deleted", cause)),
        Effect.andThen(Effect.timeoutOption(Queue.take(signals), "1 minute")),
        Effect.forever,
        Effect.forkScoped
      )

      return {
        forget: Effect.fn("ForgottenHistories.forget")(forget),
        wake: Effect.asVoid(Queue.offer(signals, undefined))
      }
    })
  )
}
