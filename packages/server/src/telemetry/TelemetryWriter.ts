import { Cause, Context, Effect, Exit, Layer } from "effect"
import { SqlError } from "effect/sql"
import { coalesce } from "../sql/coalesce.ts"
import { issuedAt } from "../sql/Ids.ts"
import { InTransaction } from "../sql/transaction.ts"
import { type Answers, isolating, type WriteRequests } from "./isolate.ts"
import { readingBatch, type ResolvedReading } from "./readingBatch.ts"
import { TelemetryRepository } from "./TelemetryRepository.ts"
import { nothing, type Written, writtenOf } from "./written.ts"

/** The database is well and does not take the data. */
const isRefusal = (cause: Cause.Cause<never>) =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect))

/**
 * The one way in for readings. Writes that come while a batch is being committed make up the next batch: they share a
 * statement and a commit, and each is answered after it. There is one lane an instance, because concurrent batches over
 * the same devices would only wait for one another.
 */
export class TelemetryWriter extends Context.Service<
  TelemetryWriter,
  {
    /**
     * Stores the readings, all or none; where they are `separable`, whatever of them can be stored. Not for use inside
     * a transaction: the readings are committed together with those of others.
     */
    readonly write: (
      readings: ReadonlyArray<ResolvedReading>,
      options?: { readonly separable: boolean }
    ) => Effect.Effect<Written>
    /** The same, all or none, for a caller that is no fiber. */
    readonly ask: (readings: ReadonlyArray<ResolvedReading>) => Promise<Exit.Exit<Written>>
  }
>()("@edp/server/TelemetryWriter") {
  static readonly layer = Layer.effect(
    TelemetryWriter,
    Effect.gen(function* () {
      const repository = yield* TelemetryRepository

      const commit = (requests: WriteRequests) =>
        Effect.suspend(() => {
          const readings = requests.length === 1 ? requests[0]!.readings : requests.flatMap((each) => each.readings)
          const batch = readingBatch(readings, issuedAt)
          return repository.write(batch).pipe(
            Effect.map((answer): Answers => {
              const tell = writtenOf(batch, answer)
              return (request) => Exit.succeed(tell(request.readings))
            }),
            Effect.withSpan("TelemetryWriter.commit", {
              attributes: { requests: requests.length, readings: readings.length }
            })
          )
        })

      const write = yield* coalesce(isolating(commit, isRefusal), {
        maxBatch: repository.maxRows,
        weight: ({ readings }) => readings.length
      })

      return {
        ask: (readings) => write.ask({ readings, separable: false }),
        write: (readings, { separable } = { separable: false }) =>
          Effect.flatMap(InTransaction, (inside) => {
            if (inside) return Effect.die(new Error("Readings are committed with others, never inside a transaction"))
            return readings.length === 0 ? Effect.succeed(nothing) : write({ readings, separable })
          })
      }
    })
  )
}
