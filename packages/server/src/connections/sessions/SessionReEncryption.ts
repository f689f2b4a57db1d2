import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import { transactionsOn, untilDone } from "../../platform/sql/transaction.ts"
import { AuthorizationsRepository } from "../AuthorizationsRepository.ts"
import { ConnectionsRepository } from "../ConnectionsRepository.ts"
import { authorizationPurpose, instructionsPurpose, scopedKeyPurpose } from "../sessionRow.ts"

/** Rows per transaction. */
const BATCH = 100

/**
 * Moves what sessions keep while their links work from the previous encryption key to the current one. Returns the number of sessions and
 * sign-ins.
 */
export const SessionReEncryption = Effect.gen(function* () {
  const sessions = yield* ConnectionsRepository
  const authorizations = yield* AuthorizationsRepository
  const box = yield* SecretBox
  const sql = yield* SqlClient.SqlClient

  const againOrNull = (purpose: string, sealed: Uint8Array | null) =>
    sealed === null ? Effect.succeed(null) : box.reseal(purpose, sealed)

  const ofSessions = Effect.gen(function* () {
    const rows = yield* sessions.sealedOtherwise(box.fingerprint, BATCH)
    yield* Effect.forEach(rows, ({ id, instructions, key }) =>
      Effect.flatMap(
        Effect.all([againOrNull(scopedKeyPurpose(id), key), againOrNull(instructionsPurpose(id), instructions)]),
        ([sealedKey, sealedInstructions]) => sessions.reseal(id, sealedKey, sealedInstructions)
      )
    )
    return rows.length
  }).pipe(transactionsOn(sql))

  const ofAuthorizations = Effect.gen(function* () {
    const rows = yield* authorizations.sealedOtherwise(box.fingerprint, BATCH)
    yield* Effect.forEach(rows, ({ id, sealed }) =>
      Effect.flatMap(box.reseal(authorizationPurpose(id), sealed), (resealed) => authorizations.reseal(id, resealed))
    )
    return rows.length
  }).pipe(transactionsOn(sql))

  return (yield* untilDone(ofSessions, BATCH)) + (yield* untilDone(ofAuthorizations, BATCH))
}).pipe(Effect.withSpan("SessionReEncryption"))
