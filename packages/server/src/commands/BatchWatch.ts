import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { BatchCommandsRepository } from "./BatchCommandsRepository.ts"
import { isToAbort } from "./batchRow.ts"
import { CommandOutcomes } from "./CommandOutcomes.ts"

/** Commands that one transaction cancels. */
const AT_A_TIME = 2000

/** Cancels the rest of batches. */
export class BatchWatch extends Context.Service<
  BatchWatch,
  {
    /**
     * Fails the undelivered commands of a batch that is marked as cancelled. One that a worker has in hand may become pending again: the
     * sweep cancels it then, as it does after a crash.
     */
    readonly cancelRest: (id: string) => Effect.Effect<void>
    /** Looks at all watched batches: aborts those of which too many commands have failed. */
    readonly sweep: Effect.Effect<void>
  }
>()("@edp/server/BatchWatch") {
  static readonly layer = Layer.effect(
    BatchWatch,
    Effect.gen(function* () {
      const repository = yield* BatchCommandsRepository
      const outcomes = yield* CommandOutcomes
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      /** Returns whether there may be more. */
      const cancelSome = Effect.fnUntraced(function* (batchId: string) {
        const ids = yield* repository.holdRest(batchId, AT_A_TIME)
        yield* outcomes.record(
          ids.map((id) => ({ id, status: "failed", reason: "cancelled", output: null, upstream: null }))
        )
        return ids.length === AT_A_TIME
      }, transaction)

      const cancelRest = (id: string) => Effect.repeat(cancelSome(id), { while: (more) => more })

      const sweep = Effect.gen(function* () {
        const watched = yield* repository.watched
        if (watched.length === 0) return
        const at = new Date(yield* Clock.currentTimeMillis)
        for (const batch of watched) {
          const { abortWhen, id, isCancelled } = batch
          const aborts = !isCancelled && abortWhen !== null && isToAbort(abortWhen, batch)
          if (aborts) yield* repository.markCancelled(id, at, true)
          if (aborts || isCancelled) yield* cancelRest(id)
        }
        yield* repository.endWatch
      })

      return {
        cancelRest: Effect.fn("BatchWatch.cancelRest")((id) => Effect.asVoid(cancelRest(id))),
        sweep: Effect.withSpan(sweep, "BatchWatch.sweep")
      }
    })
  )
}
