import type { DeliveryStatus } from "@edp/domain/destinations/Delivery"
import type { EventType } from "@edp/domain/events/EventType"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { conditions } from "../sql/conditions.ts"
import { query } from "../sql/transaction.ts"
import { type DeliveryRow, toDelivery } from "./deliveryRow.ts"

export interface Filters {
  readonly status?: DeliveryStatus
  readonly eventType?: EventType
}

/** So many tries of a delivery are shown. */
const SHOWN = 20

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is } = conditions(sql)
  const rows = Effect.map((found: ReadonlyArray<DeliveryRow>) => found.map(toDelivery))
  const columns = sql.literal(`id, destination_id AS "destinationId", event_id AS "eventId", event_type AS "eventType",
    status, next_attempt_at AS "nextAttemptAt", created_at AS "createdAt", completed_at AS "completedAt",
    (SELECT coalesce(json_agg(a ORDER BY a."attemptedAt" DESC), '[]') FROM (
      SELECT attempted_at AS "attemptedAt", status_code AS "statusCode", duration_ms AS "durationMs", error,
        response_body AS "responseBody" FROM delivery_attempts WHERE delivery_id = deliveries.id
      ORDER BY attempted_at DESC LIMIT ${SHOWN}) AS a) AS attempts`)
  const matching = (destinationId: string, { eventType, status }: Filters) =>
    sql.and([...is("destination_id", destinationId), ...is("status", status), ...is("event_type", eventType)])

  return {
    list: (destinationId: string, filters: Filters, before: string | undefined, limit: number, offset: number) =>
      query(sql<DeliveryRow>`SELECT ${columns} FROM deliveries WHERE ${matching(destinationId, filters)}
        ${before === undefined ? sql`` : sql`AND id < ${before}`}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`).pipe(rows),
    count: (destinationId: string, filters: Filters) =>
      query(sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM deliveries
        WHERE ${matching(destinationId, filters)}`).pipe(Effect.map(([row]) => row!.n)),
    /** Sends it again, apart from its subject's others. */
    again: (destinationId: string, id: string, now: Date) =>
      query(sql<DeliveryRow>`WITH again AS (
          UPDATE deliveries SET status = 'pending', failures = 0, lane = id, completed_at = NULL, next_attempt_at = ${now}
          WHERE id = ${id} AND destination_id = ${destinationId} RETURNING *
        ), opened AS (
          INSERT INTO delivery_lanes (destination_id, lane, due_at, newest)
          SELECT destination_id, id, ${now}, sequence FROM again
          ON CONFLICT (destination_id, lane) DO UPDATE SET due_at = excluded.due_at
        ), queued AS (
          INSERT INTO delivery_queues (destination_id) SELECT destination_id FROM again
          ON CONFLICT (destination_id) DO NOTHING
        )
        SELECT ${columns} FROM again AS deliveries`).pipe(rows),
    /** Sends again what was given up of a span of time, in the order of the events. */
    failedAgain: (destinationId: string, from: Date, to: Date, now: Date) =>
      query(sql<{ readonly n: number }>`WITH again AS (
          UPDATE deliveries SET status = 'pending', failures = 0, lane = subject, completed_at = NULL,
            next_attempt_at = ${now}
          WHERE destination_id = ${destinationId} AND status = 'failed' AND created_at >= ${from} AND created_at < ${to}
          RETURNING destination_id, lane, sequence
        ), opened AS (
          INSERT INTO delivery_lanes (destination_id, lane, due_at, newest)
          SELECT destination_id, lane, ${now}, max(sequence) FROM again GROUP BY destination_id, lane ORDER BY lane
          ON CONFLICT (destination_id, lane) DO UPDATE SET newest = greatest(delivery_lanes.newest, excluded.newest)
        ), queued AS (
          INSERT INTO delivery_queues (destination_id) SELECT DISTINCT destination_id FROM again
          ON CONFLICT (destination_id) DO NOTHING
        )
        SELECT count(*)::int AS n FROM again`).pipe(Effect.map(([row]) => row!.n)),
    /** A part of what is older than deliveries are kept, or of destinations that are no more. Answers whether there is more. */
    clear: (before: Date, limit: number) =>
      query(sql`WITH old AS (
          SELECT id FROM deliveries WHERE created_at < ${before} AND status <> 'pending' ORDER BY created_at LIMIT ${limit}
        )
        DELETE FROM deliveries USING old WHERE deliveries.id = old.id RETURNING 1`).pipe(
        Effect.map((gone) => gone.length === limit)
      )
  }
})

export class DeliveriesRepository extends Context.Service<DeliveriesRepository, Effect.Success<typeof make>>()(
  "@edp/server/DeliveriesRepository"
) {
  static readonly layer = Layer.effect(DeliveriesRepository, make)
}
