import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SecretBox } from "../secrets/SecretBox.ts"
import { transactionsOn } from "../sql/transaction.ts"
import { type DestinationRow, purposeOf } from "./destinationRow.ts"
import { DestinationsRepository } from "./DestinationsRepository.ts"

/** Destinations of one transaction. */
const PART = 100

/** Moves secrets from the previous encryption key to the current one. */
export class ReEncryption extends Context.Service<
  ReEncryption,
  {
    /** Answers of how many destinations. */
    readonly run: Effect.Effect<number>
  }
>()("@edp/server/destinations/ReEncryption") {
  static readonly layer = Layer.effect(
    ReEncryption,
    Effect.gen(function* () {
      const repository = yield* DestinationsRepository
      const box = yield* SecretBox
      const sql = yield* SqlClient.SqlClient

      const again = (purpose: string, sealed: Uint8Array | null) =>
        sealed === null
          ? Effect.succeed(null)
          : Effect.flatMap(box.open(purpose, sealed), (secret) => box.seal(purpose, secret))

      const resealed = Effect.fnUntraced(function* (row: DestinationRow) {
        const [secret, headers, password] = [
          purposeOf("secret", row.id),
          purposeOf("headers", row.id),
          purposeOf("password", row.id)
        ]
        yield* repository.update({
          ...row,
          sealedSecret: yield* again(secret, row.sealedSecret),
          sealedPreviousSecret: yield* again(secret, row.sealedPreviousSecret),
          sealedHeaders: yield* again(headers, row.sealedHeaders),
          sealedPassword: yield* again(password, row.sealedPassword)
        })
      })

      const part = Effect.gen(function* () {
        const rows = yield* repository.sealedOtherwise(box.fingerprint, PART)
        yield* Effect.forEach(rows, resealed, { discard: true })
        return rows.length
      }).pipe(transactionsOn(sql), Effect.orDie)

      const rest = (so: number): Effect.Effect<number> =>
        Effect.flatMap(part, (done) => (done < PART ? Effect.succeed(so + done) : rest(so + done)))

      return { run: rest(0).pipe(Effect.withSpan("ReEncryption.run")) }
    })
  )
}
