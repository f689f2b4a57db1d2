import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import { transactionsOn, untilDone } from "../../platform/sql/transaction.ts"
import { AccountsRepository } from "../AccountsRepository.ts"
import { credentialsPurpose } from "../accountRow.ts"

/** Accounts per transaction. */
const BATCH = 100

/** Moves credentials from the previous encryption key to the current one. Returns the number of accounts. */
export const CredentialReEncryption = Effect.gen(function* () {
  const accounts = yield* AccountsRepository
  const box = yield* SecretBox
  const sql = yield* SqlClient.SqlClient
  const batch = Effect.gen(function* () {
    const rows = yield* accounts.sealedOtherwise(box.fingerprint, BATCH)
    yield* Effect.forEach(
      rows,
      ({ id, sealed }) =>
        Effect.flatMap(box.reseal(credentialsPurpose(id), sealed), (again) => accounts.reseal(id, again)),
      { discard: true }
    )
    return rows.length
  }).pipe(transactionsOn(sql))
  return yield* untilDone(batch, BATCH)
}).pipe(Effect.withSpan("CredentialReEncryption"))
