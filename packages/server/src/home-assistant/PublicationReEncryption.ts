import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import { transactionsOn, untilDone } from "../platform/sql/transaction.ts"
import { passwordPurpose } from "./publicationRow.ts"
import { PublicationsRepository } from "./PublicationsRepository.ts"

/** Publications per transaction. */
const BATCH = 100

/** Moves passwords from the previous encryption key to the current one. Returns the number of publications. */
export const PublicationReEncryption = Effect.gen(function* () {
  const publications = yield* PublicationsRepository
  const box = yield* SecretBox
  const sql = yield* SqlClient.SqlClient
  const batch = Effect.gen(function* () {
    const rows = yield* publications.sealedOtherwise(box.fingerprint, BATCH)
    yield* Effect.forEach(
      rows,
      ({ id, sealed }) =>
        Effect.flatMap(box.reseal(passwordPurpose(id), sealed), (again) => publications.reseal(id, again)),
      { discard: true }
    )
    return rows.length
  }).pipe(transactionsOn(sql))
  return yield* untilDone(batch, BATCH)
}).pipe(Effect.withSpan("PublicationReEncryption"))
