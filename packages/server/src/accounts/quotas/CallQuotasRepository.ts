import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import type { WindowedCall } from "./quotaWindows.ts"
import { queryRows } from "../../platform/sql/rows.ts"

const AdmittedRow = Schema.Struct({ windowSeconds: Schema.Finite, accountId: Schema.String, admitted: Schema.Finite })
const PausesRow = Schema.Struct({ manufacturer: Schema.String, accountId: Schema.String, until: Schema.Date })

/** Calls that were made to manufacturers, over all instances, and pauses that they asked for. */
export const CallQuotasRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** Counts calls in each window, as many as it has room for. Returns how many that are, of all windows with room. */
    count: Effect.fnUntraced(function* (
      manufacturer: string,
      wanted: ReadonlyArray<WindowedCall & { readonly calls: number }>
    ) {
      const given = sql`jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) AS given ("accountId" text,
        "windowSeconds" integer, "windowStart" timestamptz, "limit" integer, calls integer)`
      // The rows have to be there: those that one statement locks tell what it adds.
      yield* query(sql`INSERT INTO manufacturer_calls (manufacturer, account_id, window_seconds, window_start, calls)
        SELECT ${manufacturer}, "accountId", "windowSeconds", "windowStart", 0 FROM ${given}
        ORDER BY "accountId", "windowSeconds" ON CONFLICT DO NOTHING`)
      return yield* queryRows(AdmittedRow)(sql`WITH held AS MATERIALIZED (
          SELECT known.account_id, known.window_seconds, given."windowStart", given.calls AS wanted, given."limit",
            CASE WHEN known.window_start < given."windowStart" THEN 0 ELSE known.calls END AS counted
          FROM ${given} JOIN manufacturer_calls known ON known.manufacturer = ${manufacturer}
            AND known.account_id = given."accountId" AND known.window_seconds = given."windowSeconds"
          ORDER BY 1, 2 FOR UPDATE OF known
        ), room AS (SELECT *, least(wanted, "limit" - counted) AS admitted FROM held WHERE counted < "limit")
        UPDATE manufacturer_calls known SET calls = room.counted + room.admitted,
          window_start = greatest(known.window_start, room."windowStart")
        FROM room WHERE known.manufacturer = ${manufacturer} AND known.account_id = room.account_id
          AND known.window_seconds = room.window_seconds
        RETURNING known.window_seconds AS "windowSeconds", known.account_id AS "accountId", room.admitted`)
    }),
    /** A later end wins. */
    pause: (manufacturer: string, accountId: string, until: Date) =>
      query(sql`INSERT INTO manufacturer_pauses AS known (manufacturer, account_id, until)
        VALUES (${manufacturer}, ${accountId}, ${until})
        ON CONFLICT (manufacturer, account_id) DO UPDATE SET until = greatest(known.until, excluded.until)`),
    /** The ends of present pauses of accounts and of their manufacturers ('' stands for a whole manufacturer). */
    pauses: (manufacturers: ReadonlyArray<string>, accountIds: ReadonlyArray<string>) =>
      queryRows(PausesRow)(sql`
        SELECT manufacturer, account_id AS "accountId", until FROM manufacturer_pauses
        WHERE manufacturer = ANY(${manufacturers}::text[]) AND account_id = ANY(${["", ...accountIds]}::text[])
          AND until > now()`),
    /** Shortens pauses to the given time from now, and forgets windows that have not begun. */
    limitWaits: (now: Date, longestMs: number) =>
      query(sql`WITH long AS (
          UPDATE manufacturer_pauses SET until = ${now}::timestamptz + ${longestMs}::float8 * interval '1 millisecond'
          WHERE until > ${now}::timestamptz + ${longestMs}::float8 * interval '1 millisecond'
        )
        DELETE FROM manufacturer_calls WHERE window_start > ${now}::timestamptz + interval '5 seconds'`),
    /** Deletes pauses that have ended and counts of accounts that are gone. */
    clear: query(sql`WITH ended AS (DELETE FROM manufacturer_pauses WHERE until < now())
      DELETE FROM manufacturer_calls c WHERE account_id <> ''
        AND NOT EXISTS (SELECT FROM accounts WHERE id = c.account_id)`)
  }
})
