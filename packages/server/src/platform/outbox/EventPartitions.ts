import { issuedAt } from "../Ids.ts"
import { Clock, Context, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { logFailure } from "../logs/repeatedFailures.ts"
import type { DatabaseUnavailable } from "../sql/DatabaseUnavailable.ts"
import { ensurePartition } from "../sql/ensurePartition.ts"
import { InTransaction, query } from "../sql/transaction.ts"
import { queryRows } from "../sql/rows.ts"

const DroppedRow = Schema.Struct({ dropped: Schema.Finite })

/** Days after the current one whose partitions are created ahead. */
const daysAhead = 2

const DAY = 24 * 60 * 60 * 1000

/** A day in UTC, as "2026-03-01". */
const formatDay = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10)

/** The daily partitions of events. */
export class EventPartitions extends Context.Service<
  EventPartitions,
  {
    /**
     * Creates the partition of a time, in milliseconds since 1970, if it does not exist yet. It usually does; otherwise it is
     * created in the current transaction, if there is one, and rolled back with it.
     */
    readonly ensure: (time: number) => Effect.Effect<void, DatabaseUnavailable>
    /** Drops the partitions of all days before that of a time. Returns their number. */
    readonly dropBefore: (time: number) => Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/EventPartitions") {
  /** Creates the partitions of the current and the next days now and every few hours. */
  static readonly layer = Layer.effect(
    EventPartitions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let known: ReadonlySet<string> = new Set()

      const create = (day: string) => query(ensurePartition(sql, "events", day))
      const ahead = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const days = Array.from({ length: daysAhead + 1 }, (_, ahead) => formatDay(now + ahead * DAY))
        yield* Effect.forEach(days, create, { discard: true })
        known = new Set(days)
      })

      yield* ahead
      yield* Effect.forkScoped(
        ahead.pipe(
          Effect.catchCause((cause) =>
            logFailure("partitions of events", "The next partitions of the events could not be created", cause)
          ),
          Effect.schedule(Schedule.spaced("6 hours"))
        )
      )
      return {
        ensure: (time) => {
          const day = formatDay(time)
          return known.has(day) ? Effect.void : Effect.asVoid(create(day))
        },
        dropBefore: Effect.fn("EventPartitions.dropBefore")(function* (time) {
          if (yield* InTransaction) return yield* Effect.die(new Error("Partitions are dropped outside a transaction"))
          const [row] = yield* queryRows(DroppedRow)(
            sql`SELECT drop_events_partitions(${formatDay(time)}::date) AS dropped`
          )
          return row!.dropped
        })
      }
    })
  )
}

/** Statements on events that other concerns put into their own statements. */
export const eventTable = (sql: SqlClient.SqlClient) => ({
  /**
   * Publishes events of readings, for a common table expression; they refer to their readings and have no payload. `readings` has the columns
   * id, workspace_id, device_id, site_id, arrived_at and at. The lock of `numbering` comes before the first sequence.
   */
  publishReadings: (numbering: Statement.Fragment, readings: Statement.Fragment) =>
    sql`INSERT INTO events (id, sequence, workspace_id, type, subject, device_id, site_id, created_at, reading_at)
      SELECT id, nextval('event_sequence'), workspace_id, 'DEVICE_UPDATED', device_id, device_id, site_id, arrived_at, at
      FROM ${numbering} CROSS JOIN ${readings}`,
  /** Copies states into the events that refer to readings, before these are deleted; `readings` are those of the device. */
  keepStates: (deviceId: string, readings: Statement.Fragment, condition: Statement.Fragment) =>
    sql`UPDATE events SET state = oldest.state
      FROM (${readings}) AS oldest
      WHERE events.device_id = ${deviceId} AND events.reading_at = oldest.at AND events.id = oldest.id
        AND ${condition}`,
  /** The same for readings of any devices; events have the times at which their readings arrived. */
  keepStatesOfReadings: (
    readings: ReadonlyArray<{ readonly id: string; readonly state: string }>
  ) => sql`UPDATE events SET state = kept.state::jsonb
      FROM unnest(${readings.map(({ id }) => id)}::text[], ${readings.map(({ id }) => new Date(issuedAt(id)).toISOString())}::timestamptz[],
        ${readings.map(({ state }) => state)}::text[]) AS kept (id, arrived_at, state)
      WHERE events.created_at = kept.arrived_at AND events.id = kept.id AND events.reading_at IS NOT NULL AND events.state IS NULL`,
  /** Lets no other transaction add events until this one ends. */
  holdAll: sql`LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE`,
  /** Continues the numbering after a sequence, unless it is there already. No other transaction may add events meanwhile. */
  passSequence: (sequence: number) =>
    sql`SELECT setval('event_sequence', ${sequence}) FROM event_sequence
      WHERE last_value - CASE WHEN is_called THEN 0 ELSE 1 END < ${sequence}`,
  /** Deletes events of a workspace, as many as one statement may; returns a row for each. */
  removeOf: (workspaceId: string) =>
    sql`DELETE FROM events WHERE (created_at, id) IN (
      SELECT created_at, id FROM events WHERE workspace_id = ${workspaceId} LIMIT 10000) RETURNING 1`
})
