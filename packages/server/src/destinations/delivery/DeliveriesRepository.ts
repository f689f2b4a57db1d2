import { type Delivery, DeliveryStatus } from "@edp/domain/destinations/Delivery"
import { EventType } from "@edp/domain/events/EventType"
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { firstIdAt } from "../../platform/Ids.ts"
import { conditions } from "../../platform/sql/lists.ts"
import { isReady } from "../../platform/jobs/isolation.ts"
import { query } from "../../platform/sql/transaction.ts"
import { CountRow, queryCount, queryIds, queryRows } from "../../platform/sql/rows.ts"

const DeliveryRow = Schema.Struct({
  id: Schema.String,
  destinationId: Schema.String,
  eventId: Schema.String,
  eventType: EventType,
  status: DeliveryStatus,
  nextAttemptAt: Schema.NullOr(Schema.Date),
  createdAt: Schema.Date,
  completedAt: Schema.NullOr(Schema.Date),
  attempts: Schema.Array(
    Schema.Struct({
      /** In JSON's form, with an offset. */
      attemptedAt: Schema.String,
      statusCode: Schema.NullOr(Schema.Finite),
      durationMs: Schema.Finite,
      error: Schema.NullOr(Schema.String),
      responseBody: Schema.NullOr(Schema.String)
    })
  )
})
type DeliveryRow = typeof DeliveryRow.Type

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

/** The same for destinations that are gone. */
export const ORPHANS = "deliveries of deleted destinations"

/** The work, as its failing deliveries are stored under. */
export const OLD_DELIVERIES = "retention of deliveries"

export const DeliveriesRepository = Effect.gen(function* () {
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
    sql`WITH again AS (${again}), opened AS (
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
      queryRows(DeliveryRow)(
        sql`SELECT ${columns} FROM deliveries WHERE ${matching(destinationId, statuses)}
          ${before === undefined ? sql`` : sql`AND id < ${before}`}
          ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`.unprepared
      ).pipe(rows),
    /** At most the number that pages can reach. */
    count: (destinationId: string, statuses: ReadonlyArray<DeliveryStatus> | undefined) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM (
          SELECT FROM deliveries WHERE ${matching(destinationId, statuses)} ${mostCounted}) AS counted`.unprepared
      ),
    get: (destinationId: string, id: string) =>
      queryRows(DeliveryRow)(sql`SELECT ${columns} FROM deliveries
        WHERE id = ${id} AND destination_id = ${destinationId}`).pipe(rows),
    /** The deliveries of an event to the destinations of its workspace, newest first. */
    ofEvent: (workspaceId: string, eventId: string) =>
      queryRows(DeliveryRow)(sql`SELECT ${columns} FROM deliveries
        WHERE destination_id = ANY(ARRAY(SELECT id FROM destinations WHERE workspace_id = ${workspaceId}))
          AND event_id = ${eventId} ORDER BY id DESC`).pipe(rows),
    /** Reopens a delivery under its own ordering key. Returns 0 if there is no such delivery. */
    again: (destinationId: string, id: string) =>
      queryCount(
        reopened(sql`UPDATE deliveries SET status = 'pending', failures = 0, lane = id, completed_at = NULL,
            next_attempt_at = now()
          WHERE id = ${id} AND destination_id = ${destinationId} RETURNING destination_id, lane, sequence`)
      ),
    /** Reopens a batch of the failed deliveries of a span of time, in the order of their subjects. */
    failedAgain: (destinationId: string, from: number, to: number, limit: number) =>
      queryCount(
        reopened(sql`UPDATE deliveries SET status = 'pending', failures = 0, lane = subject, completed_at = NULL,
            next_attempt_at = now()
          WHERE id IN (SELECT id FROM deliveries WHERE destination_id = ${destinationId} AND status = 'failed'
            AND id >= ${firstIdAt(from)} AND id < ${firstIdAt(to)} ORDER BY id DESC LIMIT ${limit})
          RETURNING destination_id, lane, sequence`).unprepared
      ),
    /** Deliveries that are too old. */
    old: (before: number, limit: number) =>
      queryIds(sql`SELECT id FROM deliveries WHERE id < ${firstIdAt(before)}
        AND ${isReady(sql, OLD_DELIVERIES, "deliveries.id")} ORDER BY id LIMIT ${limit}`),
    /** Deletes deliveries with their attempts. */
    clear: (ids: ReadonlyArray<string>) =>
      query(sql`WITH attempts AS (DELETE FROM delivery_attempts WHERE delivery_id = ANY(${ids}::text[]))
        DELETE FROM deliveries WHERE id = ANY(${ids}::text[])`),
    /** Deleted destinations that have left something. */
    orphaned: (limit: number) =>
      queryIds(sql`SELECT destination_id AS id FROM delivery_queues
        WHERE NOT EXISTS (SELECT FROM destinations WHERE id = delivery_queues.destination_id)
          AND ${isReady(sql, ORPHANS, "delivery_queues.destination_id")} LIMIT ${limit}`),
    /** Deletes a batch of what a deleted destination left. Returns whether there may be more. */
    clearOrphans: (destinationId: string, limit: number) =>
      queryRows(CountRow)(sql`WITH old AS MATERIALIZED (
          SELECT id FROM deliveries WHERE destination_id = ${destinationId} ORDER BY id DESC LIMIT ${limit}
        ), attempts AS (
          DELETE FROM delivery_attempts USING old WHERE delivery_id = old.id
        ), deleted AS (
          DELETE FROM deliveries USING old WHERE deliveries.id = old.id
        ), lanes AS (
          DELETE FROM delivery_lanes WHERE destination_id = ${destinationId} AND (SELECT count(*) FROM old) < ${limit}
        ), queues AS (
          DELETE FROM delivery_queues WHERE destination_id = ${destinationId} AND (SELECT count(*) FROM old) < ${limit}
        )
        SELECT count(*)::int AS n FROM old`).pipe(Effect.map(([row]) => row!.n === limit))
  }
})
