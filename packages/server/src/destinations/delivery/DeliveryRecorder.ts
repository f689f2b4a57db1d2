import { Clock, Context, Data, Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { batched } from "../../platform/batching/batched.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import type { Attempt } from "./attempts.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import { inHalves } from "../../platform/batching/inHalves.ts"
import { type KeyLease, keyName, type ReleasedKey } from "./orderingKeys.ts"
import { OrderingKeysRepository } from "./OrderingKeysRepository.ts"
import { OutcomesRepository } from "./OutcomesRepository.ts"

/** The results for one ordering key. */
export interface Report {
  readonly attempts: ReadonlyArray<Attempt>
  readonly released: ReleasedKey
  /** Whether the last attempt succeeded; undefined where none was made. */
  readonly succeeded: boolean | undefined
  /** Whether the receiver answered 410 Gone. */
  readonly gone: boolean
}

/** Reports whose claims are lost, so that nothing of the set was stored. */
class LostClaims extends Data.TaggedError("LostClaims")<{ readonly reports: ReadonlyArray<Report> }> {}

type Stored = "lost" | { readonly due: boolean }

const isSame = (one: KeyLease, other: KeyLease) => one.claim === other.claim && keyName(one) === keyName(other)

/** Stores outcomes in sets: while one set is being stored, the next one gathers. */
export class DeliveryRecorder extends Context.Service<
  DeliveryRecorder,
  {
    /**
     * Stores attempts and releases their ordering key. True if it is due again at once. Under a lost claim nothing is stored, and the work on
     * the key ends: another process has it.
     */
    readonly record: (report: Report) => Effect.Effect<boolean, DatabaseUnavailable>
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
            const since = new Date(now.getTime() - deliveryLimits.failingSeconds * 1000)
            yield* outcomes.deactivate(failing, "Every delivery has failed for 5 days", now, since)
          }
          const gone = reports.filter((report) => report.gone).map(({ released }) => released.destinationId)
          if (gone.length > 0) yield* outcomes.deactivate(gone, "The receiver answered 410 Gone", now)
          // Deliveries are locked before ordering keys, so a lost claim is only known at the end.
          const held = yield* keys.release(reports.map(({ released }) => released))
          const lost = reports.filter(({ released }) => !held.some((one) => isSame(one, released)))
          if (lost.length > 0) return yield* new LostClaims({ reports: lost })
          return held
        }).pipe(transactionsOn(sql))

      const storeHeld = (
        reports: ReadonlyArray<Report>
      ): Effect.Effect<(report: Report) => Exit.Exit<Stored>, DatabaseUnavailable> =>
        store(reports).pipe(
          Effect.map((held) => ({ released }: Report) => {
            return Exit.succeed<Stored>(held.find((one) => isSame(one, released))!)
          }),
          Effect.catchTag("LostClaims", ({ reports: lost }) => {
            const rest = reports.filter((report) => !lost.includes(report))
            const toStored = rest.length === 0 ? Effect.succeed(() => Exit.succeed("lost" as const)) : storeHeld(rest)
            return Effect.map(toStored, (of) => (report: Report): Exit.Exit<Stored> => {
              return lost.includes(report) ? Exit.succeed("lost") : of(report)
            })
          })
        )

      const stored = yield* batched(inHalves(storeHeld), { maxBatch: deliveryLimits.recordedTogether })
      return {
        record: (report) =>
          Effect.flatMap(stored(report), (one) => (one === "lost" ? Effect.interrupt : Effect.succeed(one.due)))
      }
    })
  )
}
