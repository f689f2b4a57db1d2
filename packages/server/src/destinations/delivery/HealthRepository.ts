import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { decodeRows } from "../../platform/sql/rows.ts"

/** How the deliveries of a destination go. */
export const HealthRow = Schema.Struct({
  id: Schema.String,
  pending: Schema.Finite,
  oldestPendingAt: Schema.NullOr(Schema.Date),
  failed: Schema.Finite,
  failingSince: Schema.NullOr(Schema.Date),
  failures: Schema.Finite,
  pausedUntil: Schema.NullOr(Schema.Date)
})
export type HealthRow = typeof HealthRow.Type

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The health of destinations. Of each at most `most` deliveries are counted. Planned for the number of ids. */
    read: (ids: ReadonlyArray<string>, most: number) =>
      query(
        decodeRows(HealthRow)(
          sql`SELECT d.id, waiting.pending, waiting."oldestPendingAt", lost.failed,
            d.failing_since AS "failingSince", coalesce(q.failures, 0) AS failures,
            CASE WHEN isfinite(q.not_before) AND q.not_before > now() THEN q.not_before END AS "pausedUntil"
          FROM destinations d LEFT JOIN delivery_queues q ON q.destination_id = d.id
          CROSS JOIN LATERAL (
            SELECT count(*)::int AS pending, min(created_at) AS "oldestPendingAt" FROM (
              SELECT created_at FROM deliveries WHERE destination_id = d.id AND status = 'pending' LIMIT ${most}) AS counted
          ) AS waiting
          CROSS JOIN LATERAL (
            SELECT count(*)::int AS failed FROM (
              SELECT FROM deliveries WHERE destination_id = d.id AND status = 'failed' LIMIT ${most}) AS counted
          ) AS lost
          WHERE d.id = ANY(${ids}::text[])`.unprepared
        )
      ).pipe(Effect.map((rows) => new Map(rows.map((row) => [row.id, row]))))
  }
})

export class HealthRepository extends Context.Service<HealthRepository, Effect.Success<typeof make>>()(
  "@edp/server/destinations/HealthRepository"
) {
  static readonly layer = Layer.effect(HealthRepository, make)
}
