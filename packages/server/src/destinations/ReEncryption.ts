import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import { transactionsOn, untilDone } from "../platform/sql/transaction.ts"
import { type DestinationRow, secretPurpose, shownUrl } from "./destinationRow.ts"
import { DestinationsRepository } from "./DestinationsRepository.ts"

/** Destinations per transaction. */
const BATCH = 100

/** Encrypts the URLs that older versions stored in plain text. Returns their number. */
export const UrlSealing = Effect.gen(function* () {
  const repository = yield* DestinationsRepository
  const box = yield* SecretBox
  const sql = yield* SqlClient.SqlClient
  const batch = Effect.gen(function* () {
    const found = yield* repository.unsealedUrls(BATCH)
    if (found.length === 0) return 0
    yield* repository.storeSealedUrls(
      yield* Effect.forEach(found, ({ id, url }) =>
        Effect.map(box.seal(secretPurpose("url", id), Redacted.make(url)), (sealed) => ({
          id,
          url: shownUrl(url),
          sealed
        }))
      )
    )
    return found.length
  }).pipe(Effect.orDie, transactionsOn(sql))
  return yield* untilDone(batch, BATCH)
}).pipe(Effect.withSpan("ReEncryption.sealUrls"))

/** Moves secrets from the previous encryption key to the current one. Returns the number of destinations. */
export const ReEncryption = Effect.gen(function* () {
  const repository = yield* DestinationsRepository
  const box = yield* SecretBox
  const sql = yield* SqlClient.SqlClient

  const again = (purpose: string, sealed: Uint8Array | null) =>
    sealed === null ? Effect.succeed(null) : box.reseal(purpose, sealed)

  const resealed = Effect.fnUntraced(function* (row: DestinationRow) {
    const [url, secret, headers, password] = [
      secretPurpose("url", row.id),
      secretPurpose("secret", row.id),
      secretPurpose("headers", row.id),
      secretPurpose("password", row.id)
    ]
    yield* repository.update({
      ...row,
      sealedUrl: yield* again(url, row.sealedUrl),
      sealedSecret: yield* again(secret, row.sealedSecret),
      sealedPreviousSecret: yield* again(secret, row.sealedPreviousSecret),
      sealedHeaders: yield* again(headers, row.sealedHeaders),
      sealedPassword: yield* again(password, row.sealedPassword)
    })
  })

  const batch = Effect.gen(function* () {
    const rows = yield* repository.sealedOtherwise(box.fingerprint, BATCH)
    yield* Effect.forEach(rows, resealed, { discard: true })
    return rows.length
  }).pipe(Effect.orDie, transactionsOn(sql))

  yield* UrlSealing
  return yield* untilDone(batch, BATCH)
}).pipe(Effect.withSpan("ReEncryption"))
