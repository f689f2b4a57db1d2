import { Context, Effect, Layer, Schedule, Schema, Clock, Semaphore } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { deviceStateTable } from "../../devices/deviceStateTable.ts"
import { eventTable, EventPartitions } from "../../platform/outbox/EventPartitions.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { InTransaction, query } from "../../platform/sql/transaction.ts"
import {
  type TakenTimes,
  type untimedSpans,
  BatchResponse,
  MOST_AHEAD,
  type ReadingBatch,
  ROLL_AFTER
} from "./readingBatch.ts"
import { decodeRows } from "../../platform/sql/rows.ts"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { ensurePartition } from "../../platform/sql/ensurePartition.ts"

/** A month in UTC, as "2026-03". */
export type Month = string

/** Partitions are created this many months ahead. */
const monthsAhead = 2

/** The age of a month that may be in the archive already, in milliseconds: it began at least a week before the shortest time that readings stay here. */
const MAY_BE_ARCHIVED = 7 * 86_400_000

/** The monthly partitions of the readings. */
export class Partitions extends Context.Service<
  Partitions,
  {
    /**
     * Creates the missing partitions. Must run before the transaction that writes the readings, so that a partition is
     * visible to all at once and a batch that is rolled back does not undo it.
     */
    readonly ensure: (months: Iterable<Month>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/Partitions") {
  /** Creates those of the current and the next months now, and again every day. */
  static readonly layer = Layer.effect(
    Partitions,
    Effect.gen(function* () {
      const partitions = yield* makePartitions
      const ahead = Effect.flatMap(Clock.currentTimeMillis, (now) => partitions.ensure(monthsFrom(now)))
      yield* ahead
      yield* Effect.forkScoped(
        ahead.pipe(
          Effect.catchCause((cause) =>
            logFailure("partitions of readings", "The next partitions of the readings could not be created", cause)
          ),
          Effect.schedule(Schedule.spaced("1 day"))
        )
      )
      return partitions
    })
  )
}

const NameRow = Schema.Struct({ name: Schema.String })

const makePartitions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const clock = yield* Clock.Clock
  const known = new Set(yield* query(existingMonths(sql)))
  const oneAtATime = Semaphore.makeUnsafe(1)
  /** An archived month's partition may be dropped by another instance, and needed again for late readings. */
  const reload = Effect.map(query(existingMonths(sql)), (found) => {
    for (const month of known) if (!found.includes(month)) known.delete(month)
  })
  const create = (month: Month) =>
    Effect.suspend(() =>
      known.has(month)
        ? Effect.void
        : Effect.map(query(ensurePartition(sql, "readings", `${month}-01`)), () => void known.add(month))
    )
  const createAll = (months: ReadonlyArray<Month>) =>
    InTransaction.pipe(
      Effect.filterOrElse(
        (inside) => !inside,
        () => Effect.die(new Error("Partitions must be created before a transaction, not inside one"))
      ),
      Effect.andThen(oneAtATime.withPermit(Effect.forEach(months, create, { discard: true }))),
      Effect.withSpan("Partitions.create", { attributes: { months: months.join(" ") } })
    )
  return {
    ensure: (months: Iterable<Month>) => {
      const wanted = Array.from(new Set(months))
      const create = Effect.suspend(() => {
        const missing = wanted.filter((month) => !known.has(month))
        return missing.length === 0 ? Effect.void : createAll(missing)
      })
      const begin = formatMonth(clock.currentTimeMillisUnsafe() - MAY_BE_ARCHIVED)
      if (wanted.every((month) => month >= begin)) return create
      return Effect.flatMap(InTransaction, (inside) => (inside ? create : Effect.andThen(reload, create)))
    }
  }
})

const existingMonths = (sql: SqlClient.SqlClient) =>
  Effect.map(
    decodeRows(NameRow)(sql`SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'readings'::regclass`),
    (rows) => rows.map(({ name }) => name.replace(/^readings_(\d{4})(\d{2})$/, "$1-$2"))
  )

const monthsFrom = (milliseconds: number) => {
  const now = new Date(milliseconds)
  return Array.from({ length: monthsAhead + 1 }, (_, ahead) =>
    formatMonth(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead))
  )
}

export const formatMonth = (milliseconds: number): Month => new Date(milliseconds).toISOString().slice(0, 7)

/** On the embedded database a statement stops the whole process while it runs. */
const maxRows = (driver: string) => (driver === "pglite" ? 1000 : 5000)

const FOREIGN_KEY_VIOLATION = "23503"
const CHECK_VIOLATION = "23514"

/** Worth a retry: a conflict with another instance, or a device that was deleted while the statement ran. */
const passesByItself = ({ reason }: SqlError.SqlError) =>
  reason._tag === "DeadlockError" ||
  reason._tag === "SerializationError" ||
  (reason.cause as { readonly code?: string } | undefined)?.code === FOREIGN_KEY_VIOLATION

/** The partition of an archived month was dropped after the statement was prepared for. */
const lacksPartition = ({ reason }: SqlError.SqlError) =>
  (reason.cause as { readonly code?: string } | undefined)?.code === CHECK_VIOLATION

const TAKEN_TIME = "U0001"

const isTaken = ({ reason }: SqlError.SqlError) =>
  (reason.cause as { readonly code?: string } | undefined)?.code === TAKEN_TIME

/** How far beyond the untimed readings to look for taken times, in milliseconds, and the most times of a device to return. */
const LOOKAHEAD = 1000
const MOST_TIMES = 3000

/**
 * How old a reading may be that becomes the current state in place of one from the future, in milliseconds. An imported history must not.
 */
const MOST_BEHIND = 3_600_000

const pause = Schedule.jittered(Schedule.exponential("5 millis"))

const DeviceIdTimesRow = Schema.Struct({ deviceId: Schema.String, times: Schema.Array(Schema.Finite) })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const partitions = yield* Partitions
  const eventPartitions = yield* EventPartitions
  const states = deviceStateTable(sql)
  const events = eventTable(sql)

  /**
   * One statement stores the readings and moves the current states forward, so that it needs no transaction. It locks the
   * devices, so that none is removed meanwhile, and stores a reading only if its device has the type for which the state
   * was checked and, for a reading that came by direct integration, is direct. All readings are written first, then all states, both in the order of the devices, so that instances
   * don't deadlock. Readings before the watermark of the rollups invalidate their range, under the lock that a rollup
   * takes too. Each new current state is published as an event that refers to the reading and has no payload.
   * A reading whose time is archived is a duplicate, like one whose time is stored.
   * A reading without a timestamp must not count as a duplicate: if its time is taken, nothing is stored.
   * A current state from the future was stored while the clock was wrong: the next reading of the present replaces it.
   */
  const rollAfter = sql.literal(`interval '${ROLL_AFTER}'`)
  const current = sql`SELECT device_id, id, at, first_at, state, status, latitude, longitude, at >= first_at + ${rollAfter} FROM newest
      WHERE device_id IN (SELECT id FROM associated)
      ORDER BY device_id COLLATE "C"`
  const reported = sql`(SELECT newest.id, held.workspace_id, held.id AS device_id, held.site_id, newest.arrived_at, newest.at
        FROM states JOIN newest ON newest.id = states.reading_id JOIN held ON held.id = newest.device_id) AS current`
  const boundsAt = (now: number) => ({
    rollAfter,
    present: new Date(now + MOST_AHEAD),
    earliest: new Date(now - MOST_BEHIND)
  })
  const insert = ({ rows }: ReadingBatch, now: number) =>
    decodeRows(BatchResponse)(sql`
    WITH offered AS MATERIALIZED (
      SELECT d AS device_id, to_timestamp(a / 1000) AS at, i AS id, s AS state, u AS untimed, k AS archived, t AS type, p AS direct,
        to_timestamp(f / 1000) AS first_at, to_timestamp(c / 1000) AS arrived_at, o AS status, y AS latitude, x AS longitude
      FROM jsonb_to_recordset(${rows}::jsonb)
        AS row (d text, a float8, i text, s jsonb, u boolean, k boolean, t text, p boolean, f float8, c float8, o text, y float8, x float8)
    ), newest AS MATERIALIZED (
      SELECT * FROM offered WHERE first_at IS NOT NULL
    ), held AS MATERIALIZED (
      SELECT id, type, direct, workspace_id, site_id FROM devices WHERE id = ANY (ARRAY(SELECT device_id FROM newest)) AND workspace_id IS NOT NULL
      FOR KEY SHARE
    ), associated AS MATERIALIZED (
      SELECT held.id FROM held JOIN newest ON newest.device_id = held.id AND newest.type = held.type AND (newest.direct IS NOT TRUE OR held.direct)
    ), stored AS (
      INSERT INTO readings (device_id, at, id, state)
      SELECT device_id, at, id, state FROM offered WHERE archived IS NULL AND device_id IN (SELECT id FROM associated)
      ORDER BY device_id COLLATE "C", at
      ON CONFLICT (device_id, at) DO NOTHING
      RETURNING id
    ), states AS (
      ${states.advance(current, boundsAt(now))}
    ), numbering AS MATERIALIZED (
      SELECT hold_event_sequence()
    ), reported AS (
      ${events.publishReadings(sql`numbering`, reported)}
    )
    SELECT
      CASE WHEN (SELECT count(*) FROM stored) < (SELECT count(*) FROM offered)
        THEN ARRAY(SELECT id FROM stored) END AS stored,
      CASE WHEN (SELECT count(*) FROM stored) < (SELECT count(*) FROM offered) THEN
        CASE WHEN EXISTS (SELECT FROM offered WHERE untimed AND device_id IN (SELECT id FROM associated)
          AND id NOT IN (SELECT id FROM stored)) THEN refuse_taken_times() END END AS taken,
      CASE WHEN (SELECT count(*) FROM associated) < (SELECT count(*) FROM newest)
        THEN ARRAY(SELECT id FROM associated) END AS associated,
      (SELECT jsonb_agg(jsonb_build_object('deviceId', device_id, 'id', reading_id,
          'at', round(extract(epoch FROM at) * 1000), 'state', state::text))
        FROM states WHERE NOT EXISTS (SELECT FROM newest WHERE newest.id = states.reading_id)) AS elsewhere`)

  /** Inside a transaction, a failed statement must not abort the rest. */
  const inserted = (batch: ReadingBatch, now: number) =>
    Effect.flatMap(InTransaction, (inside) => (inside ? sql.withTransaction(insert(batch, now)) : insert(batch, now)))

  return {
    maxRows: maxRows(sql.driver),
    /** Creates the partitions of the times; must run before a transaction that writes readings. */
    prepare: (times: ReadonlyArray<number>) => partitions.ensure(times.map(formatMonth)),
    /** Returns undefined if the time of a reading without a timestamp is taken; then nothing was stored. `now` is in milliseconds. */
    write: (batch: ReadingBatch, now: number): Effect.Effect<BatchResponse | undefined, DatabaseUnavailable> =>
      partitions.ensure(Array.from(batch.months, formatMonth)).pipe(
        Effect.andThen(Effect.forEach(batch.arrivals, eventPartitions.ensure, { discard: true })),
        Effect.andThen(
          inserted(batch, now).pipe(
            Effect.retry({ while: passesByItself, times: 5, schedule: pause }),
            Effect.catchIf(lacksPartition, () =>
              Effect.andThen(partitions.ensure(Array.from(batch.months, formatMonth)), inserted(batch, now))
            ),
            Effect.catch((error) =>
              SqlError.isSqlError(error) && isTaken(error) ? Effect.succeed([]) : Effect.fail(error)
            ),
            query
          )
        ),
        Effect.map(([response]) => response)
      ),
    /** Sets what a device's source reports about it without a new reading. */
    setReportedStatus: (deviceIds: ReadonlyArray<string>, status: "asleep" | "unreachable" | null) =>
      query(states.setReportedStatus(deviceIds, status)),
    /** The times at which devices have readings between two instants or shortly after. */
    takenTimes: (spans: ReturnType<typeof untimedSpans>): Effect.Effect<TakenTimes, DatabaseUnavailable> =>
      query(
        decodeRows(DeviceIdTimesRow)(sql`
        SELECT device_id AS "deviceId", ARRAY(
          SELECT round(date_part('epoch', r.at) * 1000) FROM readings r
          WHERE r.device_id = span.device_id AND r.at >= span.lower AND r.at < span.upper ORDER BY r.at LIMIT ${MOST_TIMES}
        ) AS times FROM unnest(
          ${spans.map(({ deviceId }) => deviceId)}::text[],
          ${spans.map(({ from }) => new Date(from).toISOString())}::timestamptz[],
          ${spans.map(({ to }) => new Date(to + LOOKAHEAD).toISOString())}::timestamptz[]
        ) AS span (device_id, lower, upper)`)
      ).pipe(Effect.map((rows) => new Map(rows.map(({ deviceId, times }) => [deviceId, new Set(times)]))))
  }
})

/** The only place that writes readings. */
export class TelemetryRepository extends Context.Service<TelemetryRepository, Effect.Success<typeof make>>()(
  "@edp/server/TelemetryRepository"
) {
  static readonly layer = Layer.effect(TelemetryRepository, make).pipe(
    Layer.provide(Layer.merge(Partitions.layer, EventPartitions.layer))
  )
}
