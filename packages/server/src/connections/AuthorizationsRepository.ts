import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import { queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"

export const AuthorizationRow = Schema.Struct({
  id: Schema.String,
  sessionId: Schema.String,
  manufacturer: Schema.String,
  stateHash: Schema.Uint8Array,
  sealed: Schema.Uint8Array,
  browserHash: Schema.NullOr(Schema.Uint8Array),
  /** The manufacturer sent the person back with an error. */
  refusedAt: Schema.NullOr(Schema.Date),
  /** The code was taken; it works once. */
  redeemedAt: Schema.NullOr(Schema.Date),
  createdAt: Schema.Date
})
export type AuthorizationRow = typeof AuthorizationRow.Type

/** How many sign-ins a session may have begun: later ones displace the oldest. */
const LIMIT = 20

const IdSealedRow = Schema.Struct({ id: Schema.String, sealed: Schema.Uint8Array })

/** Sign-ins that sessions have begun at manufacturers. */
export const AuthorizationsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(AuthorizationRow))
  return {
    insert: (row: AuthorizationRow) =>
      Effect.andThen(
        query(
          sql`INSERT INTO connect_authorizations ${sql.insert({
            id: row.id,
            session_id: row.sessionId,
            manufacturer: row.manufacturer,
            state_hash: row.stateHash,
            sealed: row.sealed,
            browser_hash: row.browserHash,
            created_at: row.createdAt
          })}`
        ),
        query(sql`DELETE FROM connect_authorizations WHERE id IN (SELECT id FROM connect_authorizations
          WHERE session_id = ${row.sessionId} ORDER BY id DESC OFFSET ${LIMIT})`)
      ),
    byState: (stateHash: Uint8Array) =>
      queryRows(AuthorizationRow)(
        sql`SELECT ${columns} FROM connect_authorizations WHERE state_hash = ${stateHash}`
      ).pipe(Effect.map(([row]) => row)),
    newest: (sessionId: string) =>
      queryRows(AuthorizationRow)(sql`SELECT ${columns} FROM connect_authorizations WHERE session_id = ${sessionId}
        ORDER BY id DESC LIMIT 1`).pipe(Effect.map(([row]) => row)),
    /** Returns whether it was not taken before. */
    redeem: (id: string, now: Date) =>
      query(sql`UPDATE connect_authorizations SET redeemed_at = ${now}
        WHERE id = ${id} AND redeemed_at IS NULL RETURNING id`).pipe(Effect.map((rows) => rows.length > 0)),
    /** Returns whether it was neither refused nor taken before. */
    refuse: (id: string, now: Date) =>
      query(sql`UPDATE connect_authorizations SET refused_at = ${now}
        WHERE id = ${id} AND redeemed_at IS NULL AND refused_at IS NULL RETURNING id`).pipe(
        Effect.map((rows) => rows.length > 0)
      ),
    sealedOtherwise: (fingerprint: Uint8Array, limit: number) =>
      queryRows(IdSealedRow)(sql`SELECT id, sealed FROM connect_authorizations
        WHERE substring(sealed FROM 2 FOR 8) <> ${fingerprint} ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE`),
    reseal: (id: string, sealed: Uint8Array) =>
      query(sql`UPDATE connect_authorizations SET sealed = ${sealed} WHERE id = ${id}`),
    removeOf: (sessionId: string) => query(sql`DELETE FROM connect_authorizations WHERE session_id = ${sessionId}`)
  }
})
