import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { AccountsRepository } from "../AccountsRepository.ts"
import { credentialsPurpose } from "../accountRow.ts"

/** Accounts per transaction. */
const BATCH = 100

/** Encrypts stored credentials with the current key. */
export class CredentialReEncryption extends Context.Service<
  CredentialReEncryption,
  {
    /** Moves credentials from the previous encryption key to the current one. Returns the number of accounts. */
    readonly run: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/accounts/CredentialReEncryption") {
  static readonly layer = Layer.effect(
    CredentialReEncryption,
    Effect.gen(function* () {
      const accounts = yield* AccountsRepository
      const box = yield* SecretBox
      const sql = yield* SqlClient.SqlClient

      const batch = Effect.gen(function* () {
        const rows = yield* accounts.sealedOtherwise(box.fingerprint, BATCH)
        yield* Effect.forEach(
          rows,
          ({ id, sealed }) =>
            Effect.flatMap(box.open(credentialsPurpose(id), sealed), (secret) =>
              Effect.flatMap(box.seal(credentialsPurpose(id), secret), (again) => accounts.reseal(id, again))
            ),
          { discard: true }
        )
        return rows.length
      }).pipe(transactionsOn(sql))

      const all = (total = 0): Effect.Effect<number, DatabaseUnavailable> =>
        Effect.flatMap(batch, (done) => (done < BATCH ? Effect.succeed(total + done) : all(total + done)))

      return {
        run: Effect.withSpan(
          Effect.suspend(() => all()),
          "CredentialReEncryption.run"
        )
      }
    })
  )
}
