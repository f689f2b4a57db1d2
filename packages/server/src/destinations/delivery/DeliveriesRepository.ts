import type { Delivery, DeliveryStatus } from "@edp/domain/destinations/Delivery"
import type { EventType } from "@edp/domain/events/EventType"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { firstIdAt } from "../../platform/Ids.ts"
import { conditions } from "../../platform/sql/lists.ts"
import { query } from "../../platform/sql/transaction.ts"

interface DeliveryRow {
  readonly id: string
  readonly destinationId: string
  readonly eventId: string
  readonly eventType: EventType
  readonly status: DeliveryStatus
  readonly nextAttemptAt: Date | null
  readonly createdAt: Date
  readonly completedAt: Date | null
  readonly attempts: ReadonlyArray<{
    /** In JSON's form, with an offset. */
    readonly attemptedAt: string
    readonly statusCode: number | null
    readonly durationMs: number
    readonly error: string | null
    readonly responseBody: string | null
  }>
}

const isoOrNull = (date: Date | null) => date?.toISOString() ?? null

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  destinationId: row.destinationId,
  eventId: row.eventId,
  eventType: row.eventType,
  status: row.status,
  nextAttemptAt: row.status === "pending" ? isoOrNull(row.nextAttemptAt) : null,
  attempts: row.attempts.map((attempt) => ({ ...attempt, attemptedAt: new Date(attempt.attemptedAt).toISOString() })),
  createdAt: row.createdAt.toISOString(),
  completedAt: isoOrNull(row.completedAt)
})

/** Attempts that are shown with a delivery. */
const SHOWN = 20

/** Lists have at most 1000 pages of 100; rows beyond are not counted. */
const MOST_COUNTED = 100_000

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { is, isAnyOf } = conditions(sql)
  const rows = Effect.map((found: ReadonlyArray<DeliveryRow>) => found.map(toDelivery))
  const columns = sql.literal(`id, destination_id AS "destinationId", event_id AS "eventId", event_type AS "eventType",
    status, next_attempt_at AS "nextAttemptAt", created_at AS "createdAt", completed_at AS "completedAt",
    (SELECT coalesce(json_agg(a ORDER BY a."attemptedAt" DESC), '[]') FROM (
      SELECT attempted_at AS "attemptedAt", status_code AS "statusCode", duration_ms AS "durationMs", error,
        response_body AS "responseBody" FROM delivery_attempts WHERE delivery_id = deliveries.id
      ORDER BY attempted_at DESC LIMIT ${SHOWN}) AS a) AS attempts`)
  const mostCounted = sql.literal(`LIMIT ${MOST_COUNTED}`)
  const matching = (destinationId: string, statuses: ReadonlyArray<DeliveryStatus> | undefined) =>
    sql.and([...is("destination_id", destinationId), ...isAnyOf("status", statuses)])

  /** Makes the ordering keys and queues of reopened deliveries due. `again` is the statement that reopens them. */
  const reopened = (again: Statement.Fragment) =>
    sql<{ readonly n: number }>`WITH again AS (${again}), opened AS (
        INSERT INTO delivery_lanes (destination_id, lane, due_at, newest)
        SELECT destination_id, lane, now(), max(sequence) FROM again GROUP BY destination_id, lane ORDER BY lane
        ON CONFLICT (destination_id, lane) DO UPDATE SET newest = greatest(delivery_lanes.newest, excluded.newest),
          due_at = CASE WHEN delivery_lanes.claim IS NULL THEN excluded.due_at ELSE delivery_lanes.due_at END
      ), queued AS (
        INSERT INTO delivery_queues (destination_id) SELECT DISTINCT destination_id FROM again
        ON CONFLICT (destination_id) DO NOTHING
      )
      SELECT count(*)::int AS n FROM again`

  return {
    // Planned for these values: nearly all deliveries may have a status, or nearly none.
    list: (
      destinationId: string,
      statuses: ReadonlyArray<DeliveryStatus> | undefined,
      before: string | undefined,
      limit: number,
      offset: number
    ) =>
      query(
        sql<DeliveryRow>`SELECT ${columns} FROM deliveries WHERE ${matching(destinationId, statuses)}
          ${before === undefined ? sql`` : sql`AND id < ${before}`}
          ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`.unprepared
      ).pipe(rows),
    /** At most the number that pages can reach. */
    count: (destinationId: string, statuses: ReadonlyArray<DeliveryStatus> | undefined) =>
      query(
        sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM (
          SELECT FROM deliveries WHERE ${matching(destinationId, statuses)} ${mostCounted}) AS counted`.unprepared
      ).pipe(Effect.map(([row]) => row!.n)),
    get: (destinationId: string, id: string) =>
      query(sql<DeliveryRow>`SELECT ${columns} FROM deliveries
        WHERE id = ${id} AND destination_id = ${destinationId}`).pipe(rows),
    /** The deliveries of an event to the destinations of its workspace, newest first. */
    ofEvent: (workspaceId: string, eventId: string) =>
      query(sql<DeliveryRow>`SELECT ${columns} FROM deliveries
        WHERE destination_id = ANY(ARRAY(SELECT id FROM destinations WHERE workspace_id = ${workspaceId}))
          AND event_id = ${eventId} ORDER BY id DESC`).pipe(rows),
    /** Reopens a delivery under its own ordering key. Returns 0 if there is no such delivery. */
    again: (destinationId: string, id: string) =>
      query(
        reopened(sql`UPDATE deliveries SET status = 'pending', failures = 0, lane = id, completed_at = NULL,
            next_attempt_at = now()
          WHERE id = ${id} AND destination_id = ${destinationId} RETURNING destination_id, lane, sequence`)
      ).pipe(Effect.map(([row]) => row!.n)),
    /** Reopens a batch of the failed deliveries of a span of time, in the order of their subjects. */
    failedAgain: (destinationId: string, from: number, to: number, limit: number) =>
      query(
        reopened(sql`UPDATE deliveries SET status = 'pending', failures = 0, lane = subject, completed_at = NULL,
            next_attempt_at = now()
          WHERE id IN (SELECT id FROM deliveries WHERE destination_id = ${destinationId} AND status = 'failed'
            AND id >= ${firstIdAt(from)} AND id < ${firstIdAt(to)} ORDER BY id DESC LIMIT ${limit})
          RETURNING destination_id, lane, sequence`).unprepared
      ).pipe(Effect.map(([row]) => row!.n)),
    /** Deletes a batch of deliveries that are too old. Returns whether there may be more. */
    clearOld: (before: number, limit: number) =>
      query(sql`WITH old AS (
          SELECT id FROM deliveries WHERE id < ${firstIdAt(before)} ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ), attempts AS (
          DELETE FROM delivery_attempts USING old WHERE delivery_id = old.id
        )
        DELETE FROM deliveries USING old WHERE deliveries.id = old.id RETURNING 1`).pipe(
        Effect.map((gone) => gone.length === limit)
      ),
    /** Deletes a batch of what deleted destinations left. Returns whether there may be more. */
    clearOrphans: (limit: number) =>
      query(sql<{ readonly n: number }>`WITH gone AS MATERIALIZED (
          SELECT destination_id FROM (SELECT DISTINCT destination_id FROM delivery_queues) AS queues
          WHERE NOT EXISTS (SELECT FROM destinations WHERE id = queues.destination_id) LIMIT 1
        ), old AS MATERIALIZED (
          SELECT d.id FROM gone CROSS JOIN LATERAL (
            SELECT id FROM deliveries WHERE destination_id = gone.destination_id ORDER BY id DESC LIMIT ${limit}) AS d
        ), attempts AS (
          DELETE FROM delivery_attempts USING old WHERE delivery_id = old.id
        ), deleted AS (
          DELETE FROM deliveries USING old WHERE deliveries.id = old.id
        ), lanes AS (
          DELETE FROM delivery_lanes l USING gone WHERE l.destination_id = gone.destination_id
            AND (SELECT count(*) FROM old) < ${limit}
        ), queues AS (
          DELETE FROM delivery_queues q USING gone WHERE q.destination_id = gone.destination_id
            AND (SELECT count(*) FROM old) < ${limit}
        )
        SELECT count(*)::int AS n FROM gone`).pipe(Effect.map(([row]) => row!.n > 0))
  }
})

export class DeliveriesRepository extends Context.Service<DeliveriesRepository, Effect.Success<typeof make>>()(
  "@edp/server/DeliveriesRepository"
) {
  static readonly layer = Layer.effect(DeliveriesRepository, make)
}
