import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../platform/sql/transaction.ts"
import type { WindowedCall } from "./quotaWindows.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** Counts a call in each window that has room for it. Returns the windows that had. */
    count: (manufacturer: string, calls: ReadonlyArray<WindowedCall>) =>
      query(sql<{ readonly windowSeconds: number; readonly accountId: string }>`
        INSERT INTO manufacturer_calls AS known (manufacturer, account_id, window_seconds, window_start, calls)
        SELECT ${manufacturer}, "accountId", "windowSeconds", "windowStart", 1
        FROM jsonb_to_recordset(${JSON.stringify(calls)}::jsonb)
          AS given ("accountId" text, "windowSeconds" integer, "windowStart" timestamptz, "limit" integer)
        WHERE "limit" > 0 ORDER BY "accountId", "windowSeconds"
        ON CONFLICT (manufacturer, account_id, window_seconds) DO UPDATE SET
          window_start = excluded.window_start,
          calls = CASE WHEN known.window_start < excluded.window_start THEN 1 ELSE known.calls + 1 END
        WHERE known.window_start < excluded.window_start OR known.calls < (
          SELECT "limit" FROM jsonb_to_recordset(${JSON.stringify(calls)}::jsonb)
            AS given ("accountId" text, "windowSeconds" integer, "limit" integer)
          WHERE given."accountId" = known.account_id AND given."windowSeconds" = known.window_seconds)
        RETURNING window_seconds AS "windowSeconds", account_id AS "accountId"`),
    /** A later end wins. */
    pause: (manufacturer: string, accountId: string, until: Date) =>
      query(sql`INSERT INTO manufacturer_pauses AS known (manufacturer, account_id, until)
        VALUES (${manufacturer}, ${accountId}, ${until})
        ON CONFLICT (manufacturer, account_id) DO UPDATE SET until = greatest(known.until, excluded.until)`),
    /** The ends of present pauses of accounts and of their manufacturers ('' stands for a whole manufacturer). */
    pauses: (manufacturers: ReadonlyArray<string>, accountIds: ReadonlyArray<string>) =>
      query(sql<{ readonly manufacturer: string; readonly accountId: string; readonly until: Date }>`
        SELECT manufacturer, account_id AS "accountId", until FROM manufacturer_pauses
        WHERE manufacturer = ANY(${manufacturers}::text[]) AND account_id = ANY(${["", ...accountIds]}::text[])
          AND until > now()`),
    /** Deletes pauses that have ended and counts of accounts that are gone. */
    clear: query(sql`WITH ended AS (DELETE FROM manufacturer_pauses WHERE until < now())
      DELETE FROM manufacturer_calls c WHERE account_id <> ''
        AND NOT EXISTS (SELECT FROM accounts WHERE id = c.account_id)`)
  }
})

/** Calls that were made to manufacturers, over all instances, and pauses that they asked for. */
export class CallQuotasRepository extends Context.Service<CallQuotasRepository, Effect.Success<typeof make>>()(
  "@edp/server/accounts/CallQuotasRepository"
) {
  static readonly layer = Layer.effect(CallQuotasRepository, make)
}
