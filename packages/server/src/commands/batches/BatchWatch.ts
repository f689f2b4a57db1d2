import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { commandLimits } from "../commandLimits.ts"
import { BATCHES } from "../commandWork.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import { BatchCommandsRepository, type WatchedBatch } from "./BatchCommandsRepository.ts"
import { isToAbort } from "./batchRow.ts"
import { CommandOutcomes } from "../CommandOutcomes.ts"

/** Cancels the rest of batches. */
export class BatchWatch extends Context.Service<
  BatchWatch,
  {
    /**
     * Fails the undelivered commands of a batch that is marked as cancelled. One that a worker has leased may become pending again: the
     * sweep cancels it then, as it does after a crash.
     */
    readonly cancelRest: (id: string) => Effect.Effect<void, DatabaseUnavailable>
    /** Checks all watched batches: aborts those of which too many commands have failed. */
    readonly sweep: Effect.Effect<void, DatabaseUnavailable>
    /** 0 while a batch is watched, else Infinity. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/BatchWatch") {
  static readonly layer = Layer.effect(
    BatchWatch,
    Effect.gen(function* () {
      const repository = yield* BatchCommandsRepository
      const outcomes = yield* CommandOutcomes
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const isolation = yield* makeIsolation(BATCHES)

      /** Returns whether there may be more. */
      const cancelSome = Effect.fnUntraced(function* (batchId: string) {
        const ids = yield* repository.holdRest(batchId, commandLimits.cancelledTogether)
        yield* outcomes.record(
          ids.map((id) => ({ id, status: "failed", reason: "cancelled", output: null, upstream: null }))
        )
        return ids.length === commandLimits.cancelledTogether
      }, transaction)

      const cancelRest = (id: string) => Effect.repeat(cancelSome(id), { while: (more) => more })

      const look = Effect.fnUntraced(function* (batch: WatchedBatch, at: Date) {
        const { abortWhen, id, isCancelled } = batch
        const aborts = !isCancelled && abortWhen !== null && isToAbort(abortWhen, batch)
        if (aborts) yield* repository.markCancelled(id, at, true)
        if (aborts || isCancelled) yield* cancelRest(id)
        return 1
      })

      const sweep = Effect.gen(function* () {
        const watched = yield* repository.watched
        if (watched.length === 0) return
        const at = new Date(yield* Clock.currentTimeMillis)
        for (const batch of watched)
          yield* isolation.run(
            [batch],
            ({ id }) => id,
            () => look(batch, at)
          )
        const ids = watched.map(({ id }) => id)
        yield* isolation.runIds(ids, (some) => Effect.as(repository.endWatch(some), some.length))
      })

      return {
        cancelRest: Effect.fn("BatchWatch.cancelRest")((id) => Effect.asVoid(cancelRest(id))),
        nextDue: repository.whileWatched,
        sweep: Effect.withSpan(sweep, "BatchWatch.sweep")
      }
    })
  )
}
