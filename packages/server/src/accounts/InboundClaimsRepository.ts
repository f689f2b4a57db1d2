import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"

/** The id of a device with an inbound connection, and who links it. */
export interface InboundClaim {
  readonly manufacturer: string
  readonly externalId: string
  readonly holder: string
}

export const InboundClaimsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Claims an id for a holder until a time. Returns whether it did: it may be connected, or another's until theirs ends. */
    take: ({ externalId, holder, manufacturer }: InboundClaim, expiresAt: Date, now: Date) =>
      query(sql`INSERT INTO inbound_claims (manufacturer, external_id, holder, expires_at)
          SELECT ${manufacturer}, ${externalId}, ${holder}, ${expiresAt}
          WHERE NOT EXISTS (SELECT FROM accounts WHERE manufacturer = ${manufacturer} AND external_id = ${externalId}
            AND status = 'connected')
        ON CONFLICT (manufacturer, external_id)
          DO UPDATE SET holder = excluded.holder, account_id = NULL, expires_at = excluded.expires_at
          WHERE inbound_claims.holder = excluded.holder OR inbound_claims.expires_at <= ${now}
        RETURNING holder`).pipe(Effect.map((rows) => rows.length === 1)),
    /** Binds a claim to the pending account that it was made for. */
    bind: ({ externalId, holder, manufacturer }: InboundClaim, accountId: string) =>
      query(sql`UPDATE inbound_claims SET account_id = ${accountId}
        WHERE manufacturer = ${manufacturer} AND external_id = ${externalId} AND holder = ${holder}`),
    /** Ends the claim of an account, which is connected now. */
    end: (accountId: string) => query(sql`DELETE FROM inbound_claims WHERE account_id = ${accountId}`),
    /** Deletes claims that have expired. Returns how many. */
    clear: (now: Date, limit: number) =>
      query(sql`DELETE FROM inbound_claims WHERE (manufacturer, external_id) IN (
          SELECT manufacturer, external_id FROM inbound_claims WHERE expires_at <= ${now} ORDER BY expires_at
          LIMIT ${limit})
        RETURNING 1`).pipe(Effect.map((rows) => rows.length))
  }
})
