import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { type DestinationRow, secretPurpose, shownUrl } from "./destinationRow.ts"
import { DestinationsRepository } from "./DestinationsRepository.ts"

/** Destinations per transaction. */
const BATCH = 100

/** Encrypts stored secrets with the current key. */
export class ReEncryption extends Context.Service<
  ReEncryption,
  {
    /** Moves secrets from the previous encryption key to the current one. Returns the number of destinations. */
    readonly run: Effect.Effect<number, DatabaseUnavailable>
    /** Encrypts the URLs that older versions stored in plain text. Returns their number. */
    readonly sealUrls: Effect.Effect<number, DatabaseUnavailable>
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

      const resealBatch = Effect.gen(function* () {
        const rows = yield* repository.sealedOtherwise(box.fingerprint, BATCH)
        yield* Effect.forEach(rows, resealed, { discard: true })
        return rows.length
      }).pipe(Effect.orDie, transactionsOn(sql))

      const sealUrlBatch = Effect.gen(function* () {
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

      const all = <E>(batch: Effect.Effect<number, E>, total = 0): Effect.Effect<number, E> =>
        Effect.flatMap(batch, (done) => (done < BATCH ? Effect.succeed(total + done) : all(batch, total + done)))

      const sealUrls = all(sealUrlBatch).pipe(Effect.withSpan("ReEncryption.sealUrls"))
      return {
        run: Effect.andThen(sealUrls, all(resealBatch)).pipe(Effect.withSpan("ReEncryption.run")),
        sealUrls
      }
    })
  )
}
