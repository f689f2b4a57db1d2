import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { leaseName } from "../../platform/jobs/JobRunner.ts"
import { untilDatabaseTime } from "../../platform/jobs/workWait.ts"
import { query } from "../../platform/sql/transaction.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import { queryRows } from "../../platform/sql/rows.ts"
import { pausedWorkspaces } from "../../workspaces/workspaceTable.ts"

/**
 * Deliveries of one destination with the same ordering key are sent one after the other. The key is the event's subject,
 * or the delivery's own id once later events have overtaken it. The tables call it `lane`.
 */
export const OrderingKey = Schema.Struct({ destinationId: Schema.String, orderingKey: Schema.String })
export type OrderingKey = typeof OrderingKey.Type

/** The lease of a key. */
export const KeyLease = Schema.Struct({ ...OrderingKey.fields, claim: Schema.String })
export type KeyLease = typeof KeyLease.Type

export const keyName = ({ destinationId, orderingKey }: OrderingKey): string => `${destinationId} ${orderingKey}`

/** A key on which this process has a lease, with the newest sequence that it held when it was claimed. */
export const ClaimedKey = Schema.Struct({ ...OrderingKey.fields, workspaceId: Schema.String, newest: Schema.Finite })
export type ClaimedKey = typeof ClaimedKey.Type

/** A pending delivery of a claimed key. */
export const DueDelivery = Schema.Struct({
  ...OrderingKey.fields,
  id: Schema.String,
  eventId: Schema.String,
  sequence: Schema.Finite,
  failures: Schema.Finite
})
export type DueDelivery = typeof DueDelivery.Type

/** The end of a claim. */
export interface ReleasedKey extends KeyLease {
  /** Whether every delivery that was read is finished or was overtaken. */
  readonly isEmpty: boolean
  /** When the rest may be claimed; null for at once. */
  readonly dueAt: Date | null
  /** The newest sequence that is certainly finished or overtaken. */
  readonly done: number
}

/** The limits of one claim. */
export interface ClaimLimits {
  /** Only these destinations, or all but these. */
  readonly only?: ReadonlyArray<string>
  readonly except?: ReadonlyArray<string>
  /** Keys that this process has of each destination. */
  readonly byDestination: ReadonlyArray<{ readonly destinationId: string; readonly count: number }>
  /** Keys of one destination, those that this process has included; more for some destinations. */
  readonly each: number
  readonly more?: { readonly of: ReadonlyArray<string>; readonly each: number }
  /** Keys in total. One workspace gets at most as many as stay free after it. */
  readonly all: number
  /** Keys that this process has of each workspace. */
  readonly byWorkspace: ReadonlyArray<{ readonly workspaceId: string; readonly count: number }>
}

const nameLease = (lease: KeyLease) => leaseName(lease.claim, keyName(lease))

/** Workspaces that one claim considers. */
const WORKSPACES = 100

const ReleaseRow = Schema.Struct({ ...KeyLease.fields, due: Schema.Boolean })

// A statement that locks several rows takes them by destination and key, so that no two wait for each other.
export const OrderingKeysRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const leased = sql.literal(`clock_timestamp() + interval '${deliveryLimits.leaseSeconds} seconds'`)

  return {
    /**
     * Leases keys that are due, some of each workspace and destination, in random order, so that none always comes first. Of a
     * failing destination only one key is claimed, as a probe.
     */
    claim: (
      claim: string,
      holder: string,
      { all, byDestination, byWorkspace, each, except = [], more = { of: [], each }, only }: ClaimLimits
    ) =>
      queryRows(ClaimedKey)(sql`WITH asked AS MATERIALIZED (
          SELECT q.destination_id, d.workspace_id, CASE WHEN q.failures > 2 THEN 1
              WHEN q.destination_id = ANY(${more.of}::text[]) THEN ${more.each}::int ELSE ${each}::int END - coalesce(busy.count, 0) AS room
          FROM delivery_queues q JOIN destinations d ON d.id = q.destination_id
            LEFT JOIN jsonb_to_recordset(${JSON.stringify(byDestination)}::jsonb)
            AS busy ("destinationId" text, count integer) ON busy."destinationId" = q.destination_id
          WHERE q.not_before <= now() AND q.destination_id <> ALL(${except}::text[])
            AND d.workspace_id NOT IN (${pausedWorkspaces(sql)})
            ${only === undefined ? sql`` : sql`AND q.destination_id = ANY(${only}::text[])`}
            AND EXISTS (SELECT FROM delivery_lanes WHERE destination_id = q.destination_id AND due_at <= now())
          ORDER BY random()
        ), sharing AS MATERIALIZED (
          SELECT workspace_id, coalesce(held.count, 0) AS held, count(*) OVER () AS workspaces
          FROM (SELECT DISTINCT workspace_id FROM asked WHERE room > 0) AS waiting
          LEFT JOIN jsonb_to_recordset(${JSON.stringify(byWorkspace)}::jsonb) AS held ("workspaceId" text, count integer)
            ON held."workspaceId" = workspace_id
          ORDER BY random() LIMIT ${WORKSPACES}
        ), due AS MATERIALIZED (
          SELECT l.* FROM sharing CROSS JOIN LATERAL (
            SELECT sharing.workspace_id, l.destination_id, l.lane FROM asked CROSS JOIN LATERAL (
              SELECT destination_id, lane FROM delivery_lanes
              WHERE destination_id = asked.destination_id AND due_at <= now()
              ORDER BY due_at LIMIT greatest(0, asked.room) FOR UPDATE SKIP LOCKED) AS l
            WHERE asked.workspace_id = sharing.workspace_id
            LIMIT greatest(CASE WHEN held = 0 THEN 1 ELSE 0 END, (${all}::int - held) / (1 + workspaces))) AS l
          LIMIT ${all}
        )
        UPDATE delivery_lanes SET claim = ${claim}::uuid, holder = ${holder}::uuid, due_at = ${leased} FROM due
        WHERE delivery_lanes.destination_id = due.destination_id AND delivery_lanes.lane = due.lane
        RETURNING due.destination_id AS "destinationId", due.workspace_id AS "workspaceId", due.lane AS "orderingKey",
          delivery_lanes.newest::float8 AS newest`),
    /** Milliseconds until a key of a destination that is not paused is due. */
    nextDue: untilDatabaseTime(
      sql,
      sql`(SELECT min(greatest(q.not_before, first.due_at)) FROM delivery_queues q
        JOIN destinations d ON d.id = q.destination_id
        CROSS JOIN LATERAL (SELECT due_at FROM delivery_lanes WHERE destination_id = q.destination_id
          ORDER BY due_at LIMIT 1) AS first)`
    ),
    // `renew` and `release` are planned each time: a plan made while there were few rows would read them all.
    /** Extends leases whose claims are still held. Returns their names. */
    renew: (keys: ReadonlyArray<KeyLease>) =>
      queryRows(KeyLease)(
        sql`WITH held AS MATERIALIZED (
          SELECT l.destination_id, l.lane
          FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) AS given ("destinationId" text, "orderingKey" text, claim uuid)
          JOIN delivery_lanes l ON l.destination_id = given."destinationId" AND l.lane = given."orderingKey" AND l.claim = given.claim
          ORDER BY 1, 2 FOR UPDATE OF l
        )
        UPDATE delivery_lanes l SET due_at = ${leased} FROM held
        WHERE l.destination_id = held.destination_id AND l.lane = held.lane
        RETURNING l.destination_id AS "destinationId", l.lane AS "orderingKey", l.claim`.unprepared
      ).pipe(Effect.map((rows) => new Set(rows.map(nameLease)))),
    /** Ends the leases of a process that is gone. */
    endLeases: (holder: string) =>
      query(sql`UPDATE delivery_lanes SET claim = NULL, due_at = least(due_at, clock_timestamp())
        WHERE holder = ${holder}::uuid AND claim IS NOT NULL`),
    /** Ends a lease whose claim is still held, without a record: the key is due again after a pause. */
    putOff: ({ claim, destinationId, orderingKey }: KeyLease, pause: number) =>
      query(sql`UPDATE delivery_lanes SET claim = NULL,
          due_at = clock_timestamp() + ${pause}::float8 * interval '1 millisecond'
        WHERE destination_id = ${destinationId} AND lane = ${orderingKey} AND claim = ${claim}::uuid`),
    /** Ends the waits of keys and destinations that are longer than given, counted from now; claims last no longer than a lease. */
    limitWaits: (keyMs: number, destinationMs: number) =>
      query(sql`WITH long AS MATERIALIZED (
          SELECT destination_id, lane FROM delivery_lanes
          WHERE due_at > CASE WHEN claim IS NULL THEN now() + ${keyMs}::float8 * interval '1 millisecond'
            ELSE ${leased} + interval '1 second' END
          ORDER BY 1, 2 FOR UPDATE
        ), limited AS (
          UPDATE delivery_lanes l SET due_at = CASE WHEN claim IS NULL THEN now() ELSE ${leased} END FROM long
          WHERE l.destination_id = long.destination_id AND l.lane = long.lane
        )
        UPDATE delivery_queues SET not_before = now()
        WHERE not_before > now() + ${destinationMs}::float8 * interval '1 millisecond' AND not_before < 'infinity'`),
    /** Pauses a destination whose recipient has reached the hourly cap. */
    pause: (destinationId: string, until: Date) =>
      query(sql`UPDATE delivery_queues SET used_up = true, not_before = ${until}
        WHERE destination_id = ${destinationId} AND not_before <> 'infinity'`),
    /** After such a pause only the newest pending DEVICE_UPDATED of each device is sent; the others become `superseded`. */
    supersede: (destinationIds: ReadonlyArray<string>, now: Date) =>
      query(sql`WITH queues AS (
          UPDATE delivery_queues SET used_up = false WHERE destination_id = ANY(${destinationIds}::text[]) AND used_up
          RETURNING destination_id
        ), newest AS (
          SELECT destination_id, subject, max(sequence) AS sequence FROM deliveries JOIN queues USING (destination_id)
          WHERE status = 'pending' AND event_type = 'DEVICE_UPDATED' GROUP BY destination_id, subject
        )
        UPDATE deliveries d SET status = 'superseded', completed_at = ${now}, next_attempt_at = NULL FROM newest
        WHERE d.destination_id = newest.destination_id AND d.subject = newest.subject AND d.status = 'pending'
          AND d.event_type = 'DEVICE_UPDATED' AND d.sequence < newest.sequence`),
    /** The first pending deliveries of each key, in order. */
    heads: (keys: ReadonlyArray<OrderingKey>, each: number) =>
      queryRows(DueDelivery)(sql`SELECT head.* FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
          AS given ("destinationId" text, "orderingKey" text)
        CROSS JOIN LATERAL (
          SELECT destination_id AS "destinationId", lane AS "orderingKey", id, event_id AS "eventId", sequence::float8 AS sequence, failures
          FROM deliveries WHERE destination_id = given."destinationId" AND lane = given."orderingKey" AND status = 'pending'
          ORDER BY sequence LIMIT ${each}) AS head
        ORDER BY head."destinationId", head."orderingKey", head.sequence`),
    /**
     * Ends leases whose claims are still held, and returns these. An empty key is deleted, unless a delivery was added meanwhile; `due`: the
     * key is due again at once.
     */
    release: (keys: ReadonlyArray<ReleasedKey>) =>
      queryRows(ReleaseRow)(
        sql`WITH held AS MATERIALIZED (
          SELECT l.destination_id, l.lane, l.claim, given."isEmpty" AND l.newest <= given.done AS empty, given."dueAt" AS due_at
          FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) AS given ("destinationId" text, "orderingKey" text,
            claim uuid, "isEmpty" boolean, "dueAt" timestamptz, done bigint)
          JOIN delivery_lanes l ON l.destination_id = given."destinationId" AND l.lane = given."orderingKey" AND l.claim = given.claim
          ORDER BY 1, 2 FOR UPDATE OF l
        ), emptied AS (
          DELETE FROM delivery_lanes l USING held
          WHERE l.destination_id = held.destination_id AND l.lane = held.lane AND held.empty
        ), released AS (
          UPDATE delivery_lanes l SET claim = NULL, due_at = coalesce(held.due_at, now()) FROM held
          WHERE l.destination_id = held.destination_id AND l.lane = held.lane AND NOT held.empty
        )
        SELECT destination_id AS "destinationId", lane AS "orderingKey", claim,
          NOT empty AND coalesce(due_at, now()) <= clock_timestamp() AS due FROM held`.unprepared
      )
  }
})
