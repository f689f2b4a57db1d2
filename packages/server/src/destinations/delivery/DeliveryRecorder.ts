import { Clock, Context, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { batched } from "../../platform/batching/batched.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import type { Attempt } from "./attempts.ts"
import type { ReleasedKey } from "./orderingKeys.ts"
import { OrderingKeysRepository } from "./OrderingKeysRepository.ts"
import { OutcomesRepository } from "./OutcomesRepository.ts"

/** Reports that one transaction stores. */
const SET = 500
/** A destination is deactivated when every attempt has failed for this long. */
export const FAILING_MS = 5 * 24 * 60 * 60 * 1000

/** The results for one ordering key. */
export interface Report {
  readonly attempts: ReadonlyArray<Attempt>
  readonly released: ReleasedKey
  /** Whether the last attempt succeeded; undefined where none was made. */
  readonly succeeded: boolean | undefined
  /** Whether the receiver answered 410 Gone. */
  readonly gone: boolean
}

/** Stores outcomes in sets: while one set is being stored, the next one gathers. */
export class DeliveryRecorder extends Context.Service<
  DeliveryRecorder,
  {
    /** Stores attempts and releases their ordering key. True if something of the set is due again at once. */
    readonly record: (report: Report) => Effect.Effect<boolean>
  }
>()("@edp/server/destinations/DeliveryRecorder") {
  static readonly layer = Layer.effect(
    DeliveryRecorder,
    Effect.gen(function* () {
      const keys = yield* OrderingKeysRepository
      const outcomes = yield* OutcomesRepository
      const sql = yield* SqlClient.SqlClient

      const store = (reports: ReadonlyArray<Report>) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const attempts = reports.flatMap((report) => report.attempts)
          if (attempts.length > 0) yield* outcomes.record(attempts)
          const healths = new Map<string, boolean>()
          for (const { released, succeeded } of reports) {
            if (succeeded !== undefined) healths.set(released.destinationId, succeeded)
          }
          const failing = [...healths].flatMap(([id, succeeded]) => (succeeded ? [] : [id]))
          if (healths.size > 0) yield* outcomes.noteHealth(healths, now)
          if (failing.length > 0) {
            const since = new Date(now.getTime() - FAILING_MS)
            yield* outcomes.deactivate(failing, "Every delivery has failed for 5 days", now, since)
          }
          const gone = reports.filter((report) => report.gone).map(({ released }) => released.destinationId)
          if (gone.length > 0) yield* outcomes.deactivate(gone, "The receiver answered 410 Gone", now)
          return yield* keys.release(reports.map(({ released }) => released))
        }).pipe(transactionsOn(sql))

      const record = yield* batched(
        (reports: ReadonlyArray<Report>) => Effect.map(store(reports), (isDue) => () => Exit.succeed(isDue)),
        { maxBatch: SET }
      )
      return { record }
    })
  )
}
