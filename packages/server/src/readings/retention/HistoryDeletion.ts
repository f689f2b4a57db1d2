import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import { HISTORIES, HistoryDeletionRepository } from "./HistoryDeletionRepository.ts"
import { RollupsOfDevice } from "./RollupsOfDevice.ts"

/**
 * Deletes the readings of removed devices and everything computed from them. There may be millions of readings, so this
 * runs in the background after the removal. The devices are listed in the database: any instance continues after a stop.
 */
export class HistoryDeletion extends Context.Service<
  HistoryDeletion,
  {
    /** Deletes what is left of the device's history unless it belongs to a workspace. Not for use in a transaction. */
    readonly delete: (deviceId: string) => Effect.Effect<void, DatabaseUnavailable>
    /** Does so for every removed device. */
    readonly deleteAll: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/HistoryDeletion") {
  static readonly layer = Layer.effect(
    HistoryDeletion,
    Effect.gen(function* () {
      const repository = yield* HistoryDeletionRepository
      const rollups = yield* RollupsOfDevice
      const sql = yield* SqlClient.SqlClient
      const isolation = yield* makeIsolation(HISTORIES)

      /** Returns whether there is more. A device that was brought back keeps what it has reported since. */
      const deletePart = (deviceId: string) =>
        Effect.gen(function* () {
          const associated = yield* repository.lock(deviceId)
          if (!associated) {
            yield* repository.deleteState(deviceId)
            yield* repository.deleteArchived(deviceId)
            if (yield* repository.deleteReadings(deviceId)) return true
            yield* repository.deleteKept(deviceId)
            if (yield* rollups.delete(deviceId)) return true
          }
          yield* repository.settle(deviceId)
          return false
        }).pipe(transactionsOn(sql))

      const deleteOne = (deviceId: string): Effect.Effect<void, DatabaseUnavailable> =>
        Effect.flatMap(deletePart(deviceId), (more) => (more ? deleteOne(deviceId) : Effect.void))

      const deleteAll: Effect.Effect<void, DatabaseUnavailable> = Effect.gen(function* () {
        const ids = yield* repository.pending
        yield* Effect.forEach(
          ids,
          (id) =>
            isolation.run(
              [id],
              (one) => one,
              () => Effect.as(deleteOne(id), 1)
            ),
          {
            discard: true
          }
        )
        if (ids.length > 0) yield* deleteAll
      })

      return {
        delete: Effect.fn("HistoryDeletion.delete")(deleteOne),
        deleteAll: Effect.withSpan(deleteAll, "HistoryDeletion.deleteAll")
      }
    })
  )
}
