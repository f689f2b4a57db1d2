import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { groupCases } from "./deviceGroups.ts"
import {
  CLAIM_SECONDS,
  type Cursor,
  type Due,
  type Lane,
  type LaneOutcome,
  type Room,
  type TakenLane
} from "./orderingKeys.ts"

/** Digits of the number by which the ids of one statement differ. */
export const COUNT_DIGITS = 6

/** What one statement has selected and stored; `last` is the last sequence, null where there is none. */
interface Given {
  readonly stored: number
  readonly selected: number
  readonly last: number | null
}

/** Workspaces that one claim looks at. */
const WORKSPACES = 100

/** An event's timestamp may be so much before that of one with a lower sequence. */
const SLACK = "1 day"

// Whoever locks several lanes takes them by destination and name, so that nobody waits for who waits for him.
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const slack = sql.literal(`interval '${SLACK}'`)
  const claimed = sql.literal(`clock_timestamp() + interval '${CLAIM_SECONDS} seconds'`)

  /** Events `e` and the destinations `d` that subscribe to their types, with their devices `v`. */
  const wanted =
    sql.literal(`SELECT d.id AS destination_id, e.subject, e.sequence, e.id AS event_id, e.type AS event_type
    FROM events e JOIN destinations d ON d.workspace_id = e.workspace_id AND e.type = ANY(d.event_types)
      LEFT JOIN devices v ON v.id = e.device_id`)
  const inGroup = sql.literal(`(d.device_type IS NULL OR d.device_type = 'ALL' OR e.device_id IS NULL
    OR d.device_type = CASE coalesce(v.type, (SELECT p.device_type FROM departed_devices p
      WHERE p.workspace_id = e.workspace_id AND p.device_id = e.device_id LIMIT 1)) ${groupCases} ELSE 'UNKNOWN' END)`)

  /**
   * Makes deliveries of what is selected. Their lanes are due, and lanes that wait for a retry go on waiting. Planned each
   * time: a day's events are few when it begins.
   */
  const enqueue = (selected: Statement.Fragment, ids: string, now: Date, onConflict: Statement.Fragment) =>
    query(
      sql<Given>`WITH given AS MATERIALIZED (
          SELECT ${ids} || lpad(row_number() OVER (ORDER BY sequence, destination_id)::text, ${COUNT_DIGITS}, '0') AS id, wanted.*
          FROM (${selected}) AS wanted
        ), stored AS (
          INSERT INTO deliveries (id, destination_id, subject, lane, sequence, event_id, event_type, created_at,
            next_attempt_at)
          SELECT id, destination_id, subject, subject, sequence, event_id, event_type, ${now}, ${now} FROM given
          ON CONFLICT (destination_id, event_id) ${onConflict}
          RETURNING destination_id, lane, sequence
        ), opened AS (
          INSERT INTO delivery_lanes (destination_id, lane, due_at, newest)
          SELECT destination_id, lane, ${now}, max(sequence) FROM stored GROUP BY destination_id, lane
          ORDER BY destination_id, lane
          ON CONFLICT (destination_id, lane) DO UPDATE SET newest = greatest(delivery_lanes.newest, excluded.newest)
        ), queued AS (
          INSERT INTO delivery_queues (destination_id) SELECT DISTINCT destination_id FROM stored ORDER BY 1
          ON CONFLICT (destination_id) DO NOTHING
        )
        SELECT (SELECT count(*)::int FROM stored) AS stored, count(*)::int AS selected, max(sequence)::float8 AS last
        FROM given`.unprepared
    ).pipe(Effect.map(([row]) => row!))

  return {
    /** For the transaction that makes or reopens a destination: from now on the workspace's events are given out. */
    openCursor: (workspaceId: string) =>
      query(sql`INSERT INTO event_cursors (workspace_id, sequence, since)
        SELECT ${workspaceId}, last_value - CASE WHEN is_called THEN 0 ELSE 1 END, now() FROM event_sequence
        ON CONFLICT (workspace_id) DO UPDATE SET since = event_cursors.since`),
    /** For a transaction: workspaces with events that nobody else is giving out, in no order, so that none is always first. */
    takeCursors: (settled: number, limit: number) =>
      query(sql<Cursor>`SELECT workspace_id AS "workspaceId", sequence::float8 AS sequence, since,
          (SELECT count(*)::int FROM destinations d WHERE d.workspace_id = c.workspace_id AND d.deactivated_at IS NULL)
            AS destinations
        FROM event_cursors c WHERE sequence < ${settled}::bigint AND EXISTS (SELECT FROM events e WHERE e.workspace_id = c.workspace_id
          AND e.sequence > c.sequence AND e.sequence <= ${settled}::bigint AND e.created_at >= c.since - ${slack})
        ORDER BY random() LIMIT ${limit} FOR UPDATE SKIP LOCKED`),
    /** The end of the next part of a workspace's events. */
    partEnd: ({ workspaceId, sequence, since }: Cursor, settled: number, limit: number) =>
      query(sql<{
        readonly sequence: number
        readonly since: Date
      }>`SELECT max(sequence)::float8 AS sequence, max(created_at) AS since FROM (
          SELECT sequence, created_at FROM events WHERE workspace_id = ${workspaceId}
            AND sequence > ${sequence}::bigint AND sequence <= ${settled}::bigint
            AND created_at >= ${since}::timestamptz - ${slack}
          ORDER BY sequence LIMIT ${limit}) AS part`).pipe(Effect.map(([row]) => row!)),
    /**
     * New deliveries: who gets what of the events between two sequences, the second included. What was delivered before is
     * left alone.
     *
     * @param ids What their ids begin with.
     */
    give: ({ workspaceId, sequence, since }: Cursor, upTo: number, ids: string, now: Date) =>
      enqueue(
        sql`${wanted} WHERE e.workspace_id = ${workspaceId} AND e.sequence > ${sequence}::bigint
          AND e.sequence <= ${upTo}::bigint AND e.created_at >= ${since}::timestamptz - ${slack}
          AND d.deactivated_at IS NULL AND e.sequence > d.after_sequence AND ${inGroup}`,
        ids,
        now,
        sql`DO NOTHING`
      ),
    /** What one destination would have got of a span of time, after a sequence: once more, where it was delivered before. */
    giveAgain: (
      { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
      {
        after,
        from,
        to,
        limit
      }: { readonly after: number; readonly from: Date; readonly to: Date; readonly limit: number },
      ids: string,
      now: Date
    ) =>
      enqueue(
        sql`${wanted} WHERE d.id = ${id} AND e.workspace_id = ${workspaceId}
          AND e.sequence > ${after}::bigint AND e.created_at >= ${from} AND e.created_at < ${to} AND ${inGroup}
          ORDER BY e.sequence LIMIT ${limit}`,
        ids,
        now,
        sql`DO UPDATE SET status = 'pending', failures = 0, lane = deliveries.subject, completed_at = NULL,
          next_attempt_at = excluded.next_attempt_at WHERE deliveries.status <> 'pending'`
      ),
    moveCursor: (workspaceId: string, sequence: number, since: Date) =>
      query(sql`UPDATE event_cursors SET sequence = ${sequence}::bigint, since = greatest(since, ${since})
        WHERE workspace_id = ${workspaceId}`),
    /** Where nothing has happened the cursor need not look at so many days. */
    moveIdleCursors: (settled: number) =>
      query(sql`UPDATE event_cursors c SET sequence = ${settled}::bigint, since = now()
        WHERE sequence < ${settled}::bigint AND NOT EXISTS (SELECT FROM events e WHERE e.workspace_id = c.workspace_id
          AND e.sequence > c.sequence AND e.sequence <= ${settled}::bigint AND e.created_at >= c.since - ${slack})`),
    /** Nobody is to be told any more; the next destination begins anew. */
    dropCursor: (workspaceId: string) =>
      query(sql`DELETE FROM event_cursors WHERE workspace_id = ${workspaceId} AND NOT EXISTS (
          SELECT FROM destinations WHERE workspace_id = ${workspaceId} AND deactivated_at IS NULL)
        RETURNING 1`).pipe(Effect.map((rows) => rows.length > 0)),
    /**
     * Lanes that are due, some of each workspace and each of its destinations in no order, so that none is always first: of a
     * destination that keeps failing a single one, as a probe. They are the worker's until the claim ends.
     */
    claim: (claim: string, { all, busy, each, except = [], held, more = { of: [], each }, only }: Room) =>
      query(sql<TakenLane>`WITH asked AS MATERIALIZED (
          SELECT q.destination_id, d.workspace_id, CASE WHEN q.failures > 2 THEN 1
              WHEN q.destination_id = ANY(${more.of}::text[]) THEN ${more.each}::int ELSE ${each}::int END - coalesce(busy.count, 0) AS room
          FROM delivery_queues q JOIN destinations d ON d.id = q.destination_id
            LEFT JOIN jsonb_to_recordset(${JSON.stringify(busy)}::jsonb)
            AS busy ("destinationId" text, count integer) ON busy."destinationId" = q.destination_id
          WHERE q.not_before <= now() AND q.destination_id <> ALL(${except}::text[])
            ${only === undefined ? sql`` : sql`AND q.destination_id = ANY(${only}::text[])`}
            AND EXISTS (SELECT FROM delivery_lanes WHERE destination_id = q.destination_id AND due_at <= now())
          ORDER BY random()
        ), sharing AS MATERIALIZED (
          SELECT workspace_id, coalesce(held.count, 0) AS held, count(*) OVER () AS workspaces
          FROM (SELECT DISTINCT workspace_id FROM asked WHERE room > 0) AS waiting
          LEFT JOIN jsonb_to_recordset(${JSON.stringify(held)}::jsonb) AS held ("workspaceId" text, count integer)
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
        UPDATE delivery_lanes SET claim = ${claim}::uuid, due_at = ${claimed} FROM due
        WHERE delivery_lanes.destination_id = due.destination_id AND delivery_lanes.lane = due.lane
        RETURNING due.destination_id AS "destinationId", due.workspace_id AS "workspaceId", due.lane,
          delivery_lanes.newest::float8 AS newest`),
    // These two are planned each time: a plan that was made while there were few lanes reads them all.
    /** Keeps lanes for a worker that still works on them. Answers those that are still its own. */
    renew: (lanes: ReadonlyArray<Lane & { readonly claim: string }>) =>
      query(
        sql<Lane>`WITH held AS MATERIALIZED (
          SELECT l.destination_id, l.lane
          FROM jsonb_to_recordset(${JSON.stringify(lanes)}::jsonb) AS given ("destinationId" text, lane text, claim uuid)
          JOIN delivery_lanes l ON l.destination_id = given."destinationId" AND l.lane = given.lane AND l.claim = given.claim
          ORDER BY 1, 2 FOR UPDATE OF l
        )
        UPDATE delivery_lanes l SET due_at = ${claimed} FROM held
        WHERE l.destination_id = held.destination_id AND l.lane = held.lane
        RETURNING l.destination_id AS "destinationId", l.lane`.unprepared
      ),
    /** Its recipient has got the messages of this hour: its lanes wait until the next one. */
    pause: (destinationId: string, until: Date) =>
      query(sql`UPDATE delivery_queues SET used_up = true, not_before = ${until}
        WHERE destination_id = ${destinationId} AND not_before <> 'infinity'`),
    /** Of destinations that waited for an hour to pass: of the updates of a device that still wait only the newest is left. */
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
    /** The first deliveries of each lane, in order. */
    heads: (lanes: ReadonlyArray<Lane>, each: number) =>
      query(sql<Due>`SELECT head.* FROM jsonb_to_recordset(${JSON.stringify(lanes)}::jsonb)
          AS given ("destinationId" text, lane text)
        CROSS JOIN LATERAL (
          SELECT destination_id AS "destinationId", lane, id, event_id AS "eventId", sequence::float8 AS sequence, failures
          FROM deliveries WHERE destination_id = given."destinationId" AND lane = given.lane AND status = 'pending'
          ORDER BY sequence LIMIT ${each}) AS head
        ORDER BY head."destinationId", head.lane, head.sequence`),
    /**
     * Lets go of lanes: a lane without anything left is no more, unless something came meanwhile. Answers whether one of
     * them may be taken again at once.
     */
    release: (outcomes: ReadonlyArray<LaneOutcome>) =>
      query(
        sql<{ readonly due: boolean }>`WITH held AS MATERIALIZED (
          SELECT l.destination_id, l.lane, given."isEmpty" AND l.newest <= given.done AS empty, given."dueAt" AS due_at
          FROM jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) AS given ("destinationId" text, lane text,
            claim uuid, "isEmpty" boolean, "dueAt" timestamptz, done bigint)
          JOIN delivery_lanes l ON l.destination_id = given."destinationId" AND l.lane = given.lane AND l.claim = given.claim
          ORDER BY 1, 2 FOR UPDATE OF l
        ), emptied AS (
          DELETE FROM delivery_lanes l USING held
          WHERE l.destination_id = held.destination_id AND l.lane = held.lane AND held.empty
        )
        UPDATE delivery_lanes l SET claim = NULL, due_at = coalesce(held.due_at, now()) FROM held
        WHERE l.destination_id = held.destination_id AND l.lane = held.lane AND NOT held.empty
        RETURNING l.due_at <= clock_timestamp() AS due`.unprepared
      ).pipe(Effect.map((left) => left.some(({ due }) => due)))
  }
})

export class LanesRepository extends Context.Service<LanesRepository, Effect.Success<typeof make>>()(
  "@edp/server/LanesRepository"
) {
  static readonly layer = Layer.effect(LanesRepository, make)
}
