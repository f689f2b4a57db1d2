import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../../audit/AuditTrail.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { ArchiveRepository } from "./ArchiveRepository.ts"
import { ReadingsArchive } from "../archive/ReadingsArchive.ts"

/** Deletes the archived readings of removed devices. Until they are gone, nobody reads them. */
export class ArchiveDeletion extends Context.Service<
  ArchiveDeletion,
  {
    /** For the instance that moves readings, before it does: no block with readings of a removed device is under way then. */
    readonly deleteRemoved: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/readings/ArchiveDeletion") {
  static readonly layer = Layer.effect(
    ArchiveDeletion,
    Effect.gen(function* () {
      const archive = yield* ReadingsArchive
      const repository = yield* ArchiveRepository
      const audit = yield* AuditTrail
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const deleteRemoved: Effect.Effect<void, DatabaseUnavailable> = Effect.gen(function* () {
        const ids = yield* repository.removed
        if (ids.length === 0) return
        yield* archive.remove(ids)
        yield* transaction(
          Effect.flatMap(repository.settleRemoved(ids), (workspaces) =>
            Effect.forEach(workspaces, audit.recordErased, { discard: true })
          )
        )
        yield* deleteRemoved
      })
      return { deleteRemoved: Effect.withSpan(deleteRemoved, "ArchiveDeletion.deleteRemoved") }
    })
  )
}
