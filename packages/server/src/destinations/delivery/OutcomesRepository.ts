import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import type { Attempt } from "./attempts.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /**
     * Stores attempts and what becomes of their deliveries; one that is finished stays finished. A delivery that was overtaken
     * gets its own ordering key. Planned each time: a plan made while there were few deliveries would read them all.
     */
    record: (attempts: ReadonlyArray<Attempt>) =>
      query(
        sql`WITH given AS MATERIALIZED (
          SELECT * FROM jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) AS given ("deliveryId" text,
            "destinationId" text, "attemptedAt" timestamptz, "durationMs" integer, "statusCode" integer, error text,
            "responseBody" text, status text, failures integer, "nextAt" timestamptz, "orderingKey" text, sequence bigint)
        ), there AS MATERIALIZED (
          SELECT given.*, deliveries.status = 'pending' AS open FROM given CROSS JOIN LATERAL (
            SELECT status FROM deliveries WHERE id = given."deliveryId" FOR NO KEY UPDATE) AS deliveries
        ), changed AS (
          UPDATE deliveries d SET status = there.status, failures = there.failures, next_attempt_at = there."nextAt",
            lane = there."orderingKey", completed_at = CASE WHEN there.status = 'pending' THEN NULL
              ELSE there."attemptedAt" + there."durationMs" * interval '1 millisecond' END
          FROM there WHERE d.id = there."deliveryId" AND there.open
        ), overtaken AS (
          INSERT INTO delivery_lanes (destination_id, lane, due_at, newest)
          SELECT "destinationId", "orderingKey", "nextAt", sequence FROM there
          WHERE "orderingKey" = "deliveryId" AND status = 'pending' AND open
          ON CONFLICT (destination_id, lane) DO UPDATE SET due_at = excluded.due_at
        )
        INSERT INTO delivery_attempts (delivery_id, attempted_at, status_code, duration_ms, error, response_body)
        SELECT "deliveryId", "attemptedAt", "statusCode", "durationMs", error, "responseBody" FROM there
        ON CONFLICT DO NOTHING`.unprepared
      ),
    /**
     * Stores changes in the health of destinations. After the third failure in a row a destination is paused for 1 s, then for
     * 2 s, 4 s and so on, up to 5 minutes.
     */
    noteHealth: (succeeded: ReadonlyMap<string, boolean>, now: Date) => {
      const healths = [...succeeded].map(([destinationId, succeeded]) => ({ destinationId, succeeded }))
      return query(sql`WITH given AS MATERIALIZED (
          SELECT * FROM jsonb_to_recordset(${JSON.stringify(healths)}::jsonb)
            AS given ("destinationId" text, succeeded boolean)
        ), queues AS (
          UPDATE delivery_queues q SET
            failures = CASE WHEN succeeded THEN 0 ELSE q.failures + 1 END,
            not_before = CASE WHEN succeeded OR q.failures < 2 THEN '-infinity'
              ELSE clock_timestamp() + least(300, 2 ^ least(q.failures - 2, 9)) * interval '1 second' END
          FROM given WHERE q.destination_id = given."destinationId" AND (NOT succeeded OR q.failures > 0)
            AND q.not_before <> 'infinity'
        )
        UPDATE destinations d SET failing_since = CASE WHEN succeeded THEN NULL ELSE ${now}::timestamptz END
        FROM given WHERE d.id = given."destinationId" AND succeeded = (d.failing_since IS NOT NULL)`)
    },
    /** Deactivates destinations; with `failingSince`, only those whose every attempt has failed since then. */
    deactivate: (destinationIds: ReadonlyArray<string>, reason: string, now: Date, failingSince?: Date) =>
      query(sql`WITH stopped AS (
          UPDATE destinations SET deactivated_at = ${now}, deactivated_reason = ${reason}, updated_at = ${now}
          WHERE id = ANY(${destinationIds}::text[]) AND deactivated_at IS NULL
            ${failingSince === undefined ? sql`` : sql`AND failing_since <= ${failingSince}`}
          RETURNING id
        )
        UPDATE delivery_queues SET not_before = 'infinity' FROM stopped WHERE destination_id = stopped.id`),
    /** Makes everything that waits for a destination due now, and ends its pause. */
    resume: (destinationId: string) =>
      query(sql`WITH queue AS (
          UPDATE delivery_queues SET failures = 0, not_before = '-infinity' WHERE destination_id = ${destinationId}
        ), lanes AS (
          UPDATE delivery_lanes SET due_at = now()
          WHERE destination_id = ${destinationId} AND due_at > now() AND claim IS NULL
        )
        UPDATE destinations SET failing_since = NULL WHERE id = ${destinationId}`)
  }
})

export class OutcomesRepository extends Context.Service<OutcomesRepository, Effect.Success<typeof make>>()(
  "@edp/server/OutcomesRepository"
) {
  static readonly layer = Layer.effect(OutcomesRepository, make)
}
