import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { decodeRows } from "../../platform/sql/rows.ts"

const UntilRow = Schema.Struct({ until: Schema.NullOr(Schema.Date) })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const hour = sql.literal(`date_trunc('hour', now(), 'UTC')`)
  return {
    /**
     * Counts a message to a recipient in the current hour of the database's clock. Returns null, or when the next hour begins
     * if the cap is reached.
     */
    take: (workspaceId: string, recipient: string, limit: number) =>
      query(
        decodeRows(UntilRow)(sql`WITH granted AS (
          INSERT INTO recipient_hours AS known (workspace_id, recipient, hour, sent)
          VALUES (${workspaceId}, ${recipient}, ${hour}, 1)
          ON CONFLICT (workspace_id, recipient) DO UPDATE SET hour = greatest(known.hour, excluded.hour),
            sent = CASE WHEN known.hour < excluded.hour THEN 1 ELSE known.sent + 1 END
          WHERE known.hour < excluded.hour OR known.sent < ${limit}
          RETURNING 1
        )
        SELECT CASE WHEN EXISTS (SELECT FROM granted) THEN NULL ELSE ${hour} + interval '1 hour' END AS until`)
      ).pipe(Effect.map(([row]) => row!.until)),
    /** Deletes a batch of past hours. Returns whether there may be more. */
    clearOld: (limit: number) =>
      query(sql`DELETE FROM recipient_hours WHERE (workspace_id, recipient) IN (
          SELECT workspace_id, recipient FROM recipient_hours WHERE hour < ${hour} - interval '1 hour' ORDER BY hour
          LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        RETURNING 1`).pipe(Effect.map((gone) => gone.length === limit))
  }
})

export class RecipientHoursRepository extends Context.Service<RecipientHoursRepository, Effect.Success<typeof make>>()(
  "@edp/server/RecipientHoursRepository"
) {
  static readonly layer = Layer.effect(RecipientHoursRepository, make)
}
