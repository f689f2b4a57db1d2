import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { AuthorizationsRepository } from "../AuthorizationsRepository.ts"
import { ConnectionsRepository } from "../ConnectionsRepository.ts"
import { authorizationPurpose, instructionsPurpose, scopedKeyPurpose } from "../sessionRow.ts"

/** Rows per transaction. */
const BATCH = 100

/** Encrypts what sessions keep while their links work with the current key. */
export class SessionReEncryption extends Context.Service<
  SessionReEncryption,
  {
    /** Moves secrets from the previous encryption key to the current one. Returns the number of sessions and sign-ins. */
    readonly run: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/SessionReEncryption") {
  static readonly layer = Layer.effect(
    SessionReEncryption,
    Effect.gen(function* () {
      const sessions = yield* ConnectionsRepository
      const authorizations = yield* AuthorizationsRepository
      const box = yield* SecretBox
      const sql = yield* SqlClient.SqlClient

      const again = (purpose: string, sealed: Uint8Array) =>
        Effect.flatMap(box.open(purpose, sealed), (secret) => box.seal(purpose, secret))
      const againOrNull = (purpose: string, sealed: Uint8Array | null) =>
        sealed === null ? Effect.succeed(null) : again(purpose, sealed)

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
          Effect.flatMap(again(authorizationPurpose(id), sealed), (resealed) => authorizations.reseal(id, resealed))
        )
        return rows.length
      }).pipe(transactionsOn(sql))

      const all = <E>(batch: Effect.Effect<number, E>, total = 0): Effect.Effect<number, E> =>
        Effect.flatMap(batch, (done) => (done < BATCH ? Effect.succeed(total + done) : all(batch, total + done)))

      return {
        run: Effect.withSpan(
          Effect.zipWith(all(ofSessions), all(ofAuthorizations), (a, b) => a + b),
          "SessionReEncryption.run"
        )
      }
    })
  )
}
