import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Events } from "../../events/Events.ts"
import { beginningOfIds } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn, query } from "../../platform/sql/transaction.ts"
import { makeIsolation, isReady } from "../../platform/jobs/isolation.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import type { DeviceGroup } from "@edp/domain/destinations/Destination"
import { queryRows } from "../../platform/sql/rows.ts"

/** The device types of each group; ALL is every type. */
const groups: Readonly<Record<Exclude<DeviceGroup, "ALL">, ReadonlyArray<string>>> = {
  BATTERIES: ["battery"],
  CHARGERS: ["charger"],
  SOLAR_INVERTERS: ["inverter"],
  THERMOSTATS: ["thermostat"],
  VEHICLES: ["vehicle"],
  OTHER: ["meter", "water_heater", "other"],
  UNKNOWN: ["unknown"]
}

/** The branches of a CASE from device type to group; any other type is UNKNOWN. */
const groupCases = Object.entries(groups)
  .flatMap(([group, types]) => types.map((type) => `WHEN '${type}' THEN '${group}'`))
  .join(" ")

/** Digits of the counter in which the ids of one statement differ. */
export const COUNT_DIGITS = 6

/** The work, as its failing workspaces are stored under. */
const FAN_OUT = "fan-out of events"

/** How far a workspace's events have been fanned out to its destinations. */
export const Cursor = Schema.Struct({
  workspaceId: Schema.String,
  /** How many of its destinations are active. */
  destinations: Schema.Finite,
  sequence: Schema.Finite,
  since: Schema.Date
})
export type Cursor = typeof Cursor.Type

/** The result of one statement; `last` is the last sequence, or null. */
const Stored = Schema.Struct({ stored: Schema.Finite, selected: Schema.Finite, last: Schema.NullOr(Schema.Finite) })
type Stored = typeof Stored.Type

/** An event's timestamp may be this much before that of one with a lower sequence. */
const SLACK = "1 day"

const WorkspaceIdRow = Schema.Struct({ workspaceId: Schema.String })
const SequenceSinceRow = Schema.Struct({ sequence: Schema.Finite, since: Schema.Date })

export const FanOutRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const slack = sql.literal(`interval '${SLACK}'`)

  /** Events `e` and the destinations `d` that subscribe to their types, with their devices `v`. */
  const wanted =
    sql.literal(`SELECT d.id AS destination_id, e.subject, e.sequence, e.id AS event_id, e.type AS event_type
    FROM events e JOIN destinations d ON d.workspace_id = e.workspace_id AND e.type = ANY(d.event_types)
      LEFT JOIN devices v ON v.id = e.device_id`)
  const inGroup = sql.literal(`(d.device_type IS NULL OR d.device_type = 'ALL' OR e.device_id IS NULL
    OR d.device_type = CASE coalesce(v.type, (SELECT p.device_type FROM departed_devices p
      WHERE p.workspace_id = e.workspace_id AND p.device_id = e.device_id LIMIT 1)) ${groupCases} ELSE 'UNKNOWN' END)`)

  /**
   * Stores deliveries for the selected events. Their ordering keys become due; keys that wait for a retry keep waiting.
   * Planned each time: a day's partition is small when it begins.
   */
  const enqueue = (selected: Statement.Fragment, ids: string, now: Date, onConflict: Statement.Fragment) =>
    queryRows(Stored)(
      sql`WITH given AS MATERIALIZED (
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
    /** For the transaction that creates or reopens a destination: from now on the workspace's events are fanned out. */
    openCursor: (workspaceId: string) =>
      query(sql`INSERT INTO event_cursors (workspace_id, sequence, since)
        SELECT ${workspaceId}, last_value - CASE WHEN is_called THEN 0 ELSE 1 END, now() FROM event_sequence
        ON CONFLICT (workspace_id) DO UPDATE SET since = event_cursors.since`),
    /** Workspaces with new events, in random order, so that none always comes first. The scalar subquery keeps the planner from joining all events of the days. */
    waiting: (settled: number, limit: number) =>
      queryRows(WorkspaceIdRow)(sql`SELECT workspace_id AS "workspaceId" FROM event_cursors c
        WHERE sequence < ${settled}::bigint AND ${isReady(sql, FAN_OUT, "c.workspace_id")}
          AND (SELECT true FROM events e WHERE e.workspace_id = c.workspace_id AND e.sequence > c.sequence
            AND e.sequence <= ${settled}::bigint AND e.created_at >= c.since - ${slack} LIMIT 1)
        ORDER BY random() LIMIT ${limit}`).pipe(Effect.map((rows) => rows.map(({ workspaceId }) => workspaceId))),
    /** Locks those of the cursors that are behind and that no other process holds. */
    takeCursors: (workspaceIds: ReadonlyArray<string>, settled: number) =>
      queryRows(Cursor)(sql`SELECT workspace_id AS "workspaceId", sequence::float8 AS sequence, since,
          (SELECT count(*)::int FROM destinations d WHERE d.workspace_id = c.workspace_id AND d.deactivated_at IS NULL)
            AS destinations
        FROM event_cursors c WHERE workspace_id = ANY(${workspaceIds}::text[]) AND sequence < ${settled}::bigint
          AND (SELECT true FROM events e WHERE e.workspace_id = c.workspace_id AND e.sequence > c.sequence
            AND e.sequence <= ${settled}::bigint AND e.created_at >= c.since - ${slack} LIMIT 1)
        ORDER BY workspace_id FOR UPDATE SKIP LOCKED`),
    /** The last event of the next batch. Planned each time, for the index by sequence. */
    batchEnd: ({ workspaceId, sequence, since }: Cursor, settled: number, limit: number) =>
      queryRows(SequenceSinceRow)(
        sql`SELECT max(sequence)::float8 AS sequence, max(created_at) AS since FROM (
          SELECT sequence, created_at FROM events WHERE workspace_id = ${workspaceId}
            AND sequence > ${sequence}::bigint AND sequence <= ${settled}::bigint
            AND created_at >= ${since}::timestamptz - ${slack}
          ORDER BY sequence LIMIT ${limit}) AS batch`.unprepared
      ).pipe(Effect.map(([row]) => row!)),
    /**
     * Stores the deliveries of the events after the cursor, up to and including a sequence. Existing deliveries stay.
     *
     * @param ids The prefix of their ids.
     */
    store: ({ workspaceId, sequence, since }: Cursor, upTo: number, ids: string, now: Date) =>
      enqueue(
        sql`${wanted} WHERE e.workspace_id = ${workspaceId} AND e.sequence > ${sequence}::bigint
          AND e.sequence <= ${upTo}::bigint AND e.created_at >= ${since}::timestamptz - ${slack}
          AND d.deactivated_at IS NULL AND e.sequence > d.after_sequence AND ${inGroup}`,
        ids,
        now,
        sql`DO NOTHING`
      ),
    /** Deliveries of one destination for the events of a span of time after a sequence. Delivered ones are reopened. */
    storeAgain: (
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
    /** Cursors without new events, after one. */
    idle: (settled: number, after: string, limit: number) =>
      queryRows(WorkspaceIdRow)(sql`SELECT workspace_id AS "workspaceId" FROM event_cursors c
        WHERE sequence < ${settled}::bigint AND workspace_id > ${after} AND ${isReady(sql, FAN_OUT, "c.workspace_id")}
          AND (SELECT true FROM events e WHERE e.workspace_id = c.workspace_id AND e.sequence > c.sequence
            AND e.sequence <= ${settled}::bigint AND e.created_at >= c.since - ${slack} LIMIT 1) IS NULL
        ORDER BY workspace_id LIMIT ${limit}`).pipe(Effect.map((rows) => rows.map(({ workspaceId }) => workspaceId))),
    /** A recent cursor needs to look at fewer days. */
    moveIdleCursors: (workspaceIds: ReadonlyArray<string>, settled: number) =>
      query(sql`UPDATE event_cursors c SET sequence = ${settled}::bigint, since = now()
        WHERE workspace_id = ANY(${workspaceIds}::text[]) AND sequence < ${settled}::bigint AND (SELECT true FROM events e WHERE e.workspace_id = c.workspace_id
          AND e.sequence > c.sequence AND e.sequence <= ${settled}::bigint AND e.created_at >= c.since - ${slack} LIMIT 1) IS NULL`),
    /** Deletes the cursor of a workspace without active destinations; the next destination creates a new one. */
    dropCursor: (workspaceId: string) =>
      query(sql`DELETE FROM event_cursors WHERE workspace_id = ${workspaceId} AND NOT EXISTS (
          SELECT FROM destinations WHERE workspace_id = ${workspaceId} AND deactivated_at IS NULL)
        RETURNING 1`).pipe(Effect.map((rows) => rows.length > 0))
  }
})

/** Workspaces without new events of one statement. */
const IDLE = 2000

/** The number of events that cannot make more deliveries than this. */
const eventsFor = (destinations: number) =>
  Math.max(1, Math.floor(deliveryLimits.fanOutDeliveries / Math.max(1, destinations)))

/** Stores a delivery for each event and each destination that subscribes to it. */
export class FanOut extends Context.Service<
  FanOut,
  {
    /** Fans out a batch of new events, each once. Returns the number of workspaces that had some. */
    readonly next: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until there may be more: 0 while events are about to become visible, else Infinity. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
    /** Moves the cursors of workspaces without new events, so that looking for new ones stays cheap. */
    readonly skipIdle: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/destinations/delivery/FanOut") {
  static readonly layer = Layer.effect(
    FanOut,
    Effect.gen(function* () {
      const repository = yield* FanOutRepository
      const events = yield* Events
      const sql = yield* SqlClient.SqlClient
      const isolation = yield* makeIsolation(FAN_OUT)

      const fanOut = Effect.fnUntraced(function* (cursor: Cursor, settled: number) {
        if (yield* repository.dropCursor(cursor.workspaceId)) return
        const end = yield* repository.batchEnd(cursor, settled, eventsFor(cursor.destinations))
        const now = yield* Clock.currentTimeMillis
        yield* repository.store(cursor, end.sequence, beginningOfIds(now, COUNT_DIGITS), new Date(now))
        yield* repository.moveCursor(cursor.workspaceId, end.sequence, end.since)
      })

      const next = Effect.gen(function* () {
        // Read before the transaction begins, so that its statements see everything up to this sequence.
        const settled = yield* events.settled
        const batch = (workspaceIds: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            const cursors = yield* repository.takeCursors(workspaceIds, settled)
            yield* Effect.forEach(cursors, (cursor) => fanOut(cursor, settled), { discard: true })
            return cursors.length
          }).pipe(transactionsOn(sql))
        return yield* isolation.runIds(yield* repository.waiting(settled, deliveryLimits.fanOutWorkspaces), batch)
        // Polled all the time, and only statements: not worth a trace.
      }).pipe(Effect.withTracerEnabled(false))

      const skipIdle = Effect.gen(function* () {
        const settled = yield* events.settled
        for (let after: string | undefined = ""; after !== undefined;) {
          const ids: ReadonlyArray<string> = yield* repository.idle(settled, after, IDLE)
          yield* isolation.runIds(ids, (some) => Effect.as(repository.moveIdleCursors(some, settled), some.length))
          after = ids.length < IDLE ? undefined : ids.at(-1)
        }
      })

      return { next, nextDue: events.untilSettled, skipIdle: Effect.withSpan(skipIdle, "FanOut.skipIdle") }
    })
  )
}
