import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"

/** How the deliveries of a destination go. */
export interface HealthRow {
  readonly id: string
  readonly pending: number
  readonly oldestPendingAt: Date | null
  readonly failed: number
  readonly failingSince: Date | null
  readonly failures: number
  readonly pausedUntil: Date | null
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** The health of destinations. Of each at most `most` deliveries are counted. Planned for the number of ids. */
    read: (ids: ReadonlyArray<string>, most: number) =>
      query(
        sql<HealthRow>`SELECT d.id, waiting.pending, waiting."oldestPendingAt", lost.failed,
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
      ).pipe(Effect.map((rows) => new Map(rows.map((row) => [row.id, row]))))
  }
})

export class HealthRepository extends Context.Service<HealthRepository, Effect.Success<typeof make>>()(
  "@edp/server/destinations/HealthRepository"
) {
  static readonly layer = Layer.effect(HealthRepository, make)
}
