import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Span } from "../../energy/intervals.ts"
import { departedDeviceTable } from "../../devices/departedDeviceTable.ts"
import { eventTable } from "../../platform/outbox/EventPartitions.ts"
import { queryIds, queryRows } from "../../platform/sql/rows.ts"
import { query } from "../../platform/sql/transaction.ts"
import type { SealingPlan } from "../retention/sealingPlan.ts"
import type { ArchivedReading, DayDigest, ReadingKey } from "../archive/archiveRows.ts"

/** A month with a partition, or one that is being moved. */
const MonthRow = Schema.Struct({
  /** The first day. */
  month: Schema.String,
  /** Null unless it is being moved. */
  copiedDevice: Schema.NullOr(Schema.String),
  shownAt: Schema.NullOr(Schema.Date)
})
export type ArchiveMonth = typeof MonthRow.Type

const ReadingRow = Schema.Struct({
  deviceId: Schema.String,
  at: Schema.Finite,
  id: Schema.String,
  state: Schema.String
})
const DigestRow = Schema.Struct({
  deviceId: Schema.String,
  day: Schema.String,
  readings: Schema.Finite,
  checksum: Schema.String
})
const ChangeRow = Schema.Struct({ deviceId: Schema.String, change: Schema.String })
export type ArchiveChange = typeof ChangeRow.Type
const WorkspaceRow = Schema.Struct({ workspaceId: Schema.NullOr(Schema.String) })
const TimeRow = Schema.Struct({ at: Schema.Finite })
const DoneRow = Schema.Struct({ done: Schema.Boolean })

const iso = (at: number) => new Date(at).toISOString()

/** Readings of a block. On the embedded database a statement stops the whole process while it runs. */
export const ArchiveBlocks = Context.Reference<(driver: string) => number>("@edp/server/readings/ArchiveBlocks", {
  defaultValue: () => (driver) => (driver === "pglite" ? 2000 : 100_000)
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const events = eventTable(sql)
  const departed = departedDeviceTable(sql)
  const maxRows = (yield* ArchiveBlocks)(sql.driver)
  const milliseconds = sql.literal("round(date_part('epoch', at) * 1000)::float8")
  const reading = sql`device_id AS "deviceId", ${milliseconds} AS at, id, state::text AS state`
  const within = ({ from, to }: Span) => sql`at >= ${iso(from)}::timestamptz AND at < ${iso(to)}::timestamptz`

  return {
    maxRows,
    /** The months before an instant that have partitions, the oldest first, except those that are no longer kept. */
    months: (before: number) =>
      queryRows(
        MonthRow
      )(sql`SELECT part.month::date::text AS month, move.copied_device AS "copiedDevice", move.shown_at AS "shownAt"
          FROM (SELECT to_date(substring(relname FROM '^readings_([0-9]{6})$'), 'YYYYMM') AS month
            FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'readings'::regclass) AS part
          LEFT JOIN archive_moves AS move ON move.month = part.month
          WHERE part.month < ${iso(before).slice(0, 10)}::date
            AND part.month >= (SELECT kept_from AT TIME ZONE 'UTC' FROM readings_floor)
          ORDER BY part.month`),
    begin: (month: string) =>
      queryRows(DoneRow)(sql`SELECT begin_archive_move(${month}::date) AS done`).pipe(Effect.map(([row]) => row!.done)),
    /** Forgets moves of months that were dropped for their age. */
    forgetDropped:
      query(sql`WITH moves AS (DELETE FROM archive_moves WHERE month < (SELECT kept_from AT TIME ZONE 'UTC' FROM readings_floor))
      DELETE FROM archive_changes WHERE month < (SELECT kept_from AT TIME ZONE 'UTC' FROM readings_floor)`),
    /** The next readings of a span after a device and time, in the order of both. */
    readings: (span: Span, after: ReadingKey, limit: number) =>
      queryRows(ReadingRow)(
        sql`SELECT ${reading} FROM readings WHERE ${within(span)}
          AND (device_id, at) > (${after.deviceId}, ${iso(after.at)}::timestamptz)
          ORDER BY device_id, readings.at LIMIT ${limit}`.unprepared
      ),
    /** Those of some devices. */
    readingsOfDevices: (span: Span, deviceIds: ReadonlyArray<string>) =>
      queryRows(ReadingRow)(
        sql`SELECT ${reading} FROM readings WHERE ${within(span)}
          AND device_id = ANY(${deviceIds}::text[]) ORDER BY device_id, readings.at`.unprepared
      ),
    /** Counts and checksums of the devices after one and up to another, as the archive computes them. */
    digests: (span: Span, after: string, until: string) =>
      queryRows(DigestRow)(
        sql`SELECT device_id AS "deviceId", to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
            count(*)::int AS readings,
            mod(mod(sum(('x' || left(md5(round(date_part('epoch', at) * 1000)::bigint || ' ' || substr(id, 2) || ' ' || state::text), 16))::bit(64)::bigint),
              18446744073709551616) + 18446744073709551616, 18446744073709551616)::text AS checksum
          FROM readings WHERE ${within(span)} AND device_id > ${after} AND device_id <= ${until}
          GROUP BY 1, 2`.unprepared
      ).pipe(Effect.map((rows): ReadonlyArray<DayDigest> => rows)),
    /** Whether a month is being copied, from the devices after one on: another instance may have gone on with it while this one was stopped. */
    isCopying: (month: string, after: string) =>
      queryRows(DoneRow)(sql`SELECT EXISTS (SELECT FROM archive_moves
          WHERE month = ${month}::date AND copied_device = ${after} AND shown_at IS NULL) AS done`).pipe(
        Effect.map(([row]) => row!.done)
      ),
    /** The database's time, in milliseconds since 1970. */
    now: queryRows(TimeRow)(sql`SELECT date_part('epoch', clock_timestamp()) * 1000 AS at`).pipe(
      Effect.map(([row]) => row!.at)
    ),
    /** Records that the devices of a month up to one are in the archive. */
    recordCopied: (month: string, deviceId: string) =>
      query(sql`UPDATE archive_moves SET copied_device = ${deviceId} WHERE month = ${month}::date`),
    /** Lets readers take a month from the archive, too. */
    show: (month: string, archivedUntil: number) =>
      query(sql`WITH shown AS (UPDATE archive_moves SET shown_at = clock_timestamp() WHERE month = ${month}::date AND shown_at IS NULL)
        INSERT INTO archive_border AS known (archived_until, raised_at) VALUES (${iso(archivedUntil)}, clock_timestamp())
        ON CONFLICT (single) DO UPDATE SET archived_until = excluded.archived_until, raised_at = excluded.raised_at
          WHERE known.archived_until < excluded.archived_until`),
    /** Whether every reader knows the border by now. */
    isKnown: (lag: number) =>
      queryRows(DoneRow)(
        sql`SELECT raised_at <= clock_timestamp() - ${lag} * interval '1 second' AS done FROM archive_border`
      ).pipe(Effect.map(([row]) => row?.done === true)),
    /** Devices with readings that arrived during the move of a month. */
    changes: (month: string) =>
      queryRows(ChangeRow)(sql`SELECT device_id AS "deviceId", change::text AS change FROM archive_changes
          WHERE month = ${month}::date ORDER BY device_id LIMIT 1`),
    /** Those of the devices with such readings. */
    changedAmong: (month: string, deviceIds: ReadonlyArray<string>) =>
      queryIds(sql`SELECT device_id AS id FROM archive_changes
          WHERE month = ${month}::date AND device_id = ANY(${deviceIds}::text[])`).pipe(
        Effect.map((ids): ReadonlySet<string> => new Set(ids))
      ),
    /** Forgets the changes that have been moved, unless others came meanwhile. */
    settle: (month: string, changes: ReadonlyArray<ArchiveChange>) =>
      query(sql`DELETE FROM archive_changes AS noted USING unnest(
          ${changes.map(({ deviceId }) => deviceId)}::text[], ${changes.map(({ change }) => change)}::bigint[]) AS done (device_id, change)
        WHERE noted.month = ${month}::date AND noted.device_id = done.device_id AND noted.change = done.change`),
    drop: (month: string) =>
      queryRows(DoneRow)(sql`SELECT drop_archived_partition(${month}::date) AS done`).pipe(
        Effect.map(([row]) => row!.done)
      ),
    /** Deletes late readings that are in the archive; those of a device that came back wait until its earlier ones are deleted there. */
    removeLate: ({ from, to }: Span, readings: ReadonlyArray<ArchivedReading>) =>
      query(
        sql`DELETE FROM readings USING unnest(${readings.map(({ deviceId }) => deviceId)}::text[],
            ${readings.map(({ at }) => iso(at))}::timestamptz[], ${readings.map(({ id }) => id)}::text[]) AS moved (device_id, at, id)
          WHERE readings.at >= ${iso(from)}::timestamptz AND readings.at < ${iso(to)}::timestamptz
            AND readings.device_id = moved.device_id AND readings.at = moved.at AND readings.id = moved.id
            AND NOT EXISTS (SELECT FROM archive_deletions WHERE archive_deletions.device_id = moved.device_id)`
          .unprepared
      ),
    /** Copies states into the events that refer to these readings. */
    keepEventStates: (readings: ReadonlyArray<ArchivedReading>) => query(events.keepStatesOfReadings(readings)),
    /** Keeps readings that later ones are paired with, so that energies of the present need no archive. */
    keep: (readings: ReadonlyArray<ReadingKey & { readonly state: string }>) =>
      query(sql`INSERT INTO kept_readings (device_id, at, state)
        SELECT device_id, at, state::jsonb FROM unnest(${readings.map(({ deviceId }) => deviceId)}::text[],
          ${readings.map(({ at }) => iso(at))}::timestamptz[], ${readings.map(({ state }) => state)}::text[]) AS kept (device_id, at, state)
        WHERE NOT EXISTS (SELECT FROM archive_deletions WHERE archive_deletions.device_id = kept.device_id)
        ON CONFLICT DO NOTHING`),
    /** Those of the devices whose rollups end before an instant: they were silent then, or are not rolled up yet. */
    silent: (deviceIds: ReadonlyArray<string>, before: number) =>
      queryIds(sql`SELECT device_id AS id FROM device_states WHERE device_id = ANY(${deviceIds}::text[])
          AND coalesce(rolled_until < ${iso(before - 1)}::timestamptz, true)`),
    /** Keeps the readings of a span that computations need of silent devices. */
    keepPieces: ({ from, to }: Span, plans: ReadonlyArray<SealingPlan>) => {
      const pieces = plans.flatMap(({ deviceId, kept }) =>
        kept.map((piece) => ({ deviceId, from: Math.max(piece.from, from), to: Math.min(piece.to, to) }))
      )
      return query(
        sql`INSERT INTO kept_readings (device_id, at, state) SELECT r.device_id, r.at, r.state FROM readings r
          JOIN unnest(${pieces.map(({ deviceId }) => deviceId)}::text[], ${pieces.map((piece) => iso(piece.from))}::timestamptz[],
            ${pieces.map((piece) => iso(piece.to))}::timestamptz[]) AS piece (device_id, lower, upper)
            ON r.device_id = piece.device_id AND r.at >= piece.lower AND r.at < piece.upper
          WHERE r.at >= ${iso(from)}::timestamptz AND r.at < ${iso(to)}::timestamptz
          ON CONFLICT DO NOTHING`.unprepared
      )
    },
    recordKept: (plans: ReadonlyArray<SealingPlan>) =>
      query(sql`INSERT INTO archive_kept (device_id, kept_from) SELECT * FROM unnest(${plans.map(({ deviceId }) => deviceId)}::text[],
          ${plans.map(({ sealedUntil }) => iso(sealedUntil ?? 0))}::timestamptz[])
        ON CONFLICT (device_id) DO UPDATE SET kept_from = excluded.kept_from`),
    /** Keeps late readings of silent devices that computations need. */
    keepLate: (readings: ReadonlyArray<ArchivedReading>) =>
      query(sql`INSERT INTO kept_readings (device_id, at, state) SELECT late.device_id, late.at, late.state::jsonb
        FROM unnest(${readings.map(({ deviceId }) => deviceId)}::text[], ${readings.map(({ at }) => iso(at))}::timestamptz[],
          ${readings.map(({ state }) => state)}::text[]) AS late (device_id, at, state)
        JOIN archive_kept ON archive_kept.device_id = late.device_id AND late.at >= archive_kept.kept_from
        ON CONFLICT DO NOTHING`),
    /** Removed devices whose archived readings are to be deleted. */
    removed: queryIds(sql`SELECT device_id AS id FROM archive_deletions ORDER BY requested_at LIMIT 1000`),
    /**
     * Their readings are gone. Returns the deleted workspaces of which none is left. A device that came back may have had new readings among
     * them in a month that is being moved, which are copied again.
     */
    settleRemoved: Effect.fnUntraced(function* (deviceIds: ReadonlyArray<string>) {
      const rows = yield* queryRows(WorkspaceRow)(sql`WITH noted AS (
            INSERT INTO archive_changes (month, device_id, change)
            SELECT month, device_id, nextval('archive_change_number') FROM archive_moves, unnest(${deviceIds}::text[]) AS gone (device_id)
            ON CONFLICT (month, device_id) DO UPDATE SET change = excluded.change
          )
          DELETE FROM archive_deletions WHERE device_id = ANY(${deviceIds}::text[]) RETURNING workspace_id AS "workspaceId"`)
      const workspaces = new Set(rows.flatMap(({ workspaceId }) => workspaceId ?? []))
      return yield* Effect.filter([...workspaces], (id) =>
        queryRows(DoneRow)(sql`SELECT NOT EXISTS (SELECT FROM archive_deletions WHERE workspace_id = ${id})
            AND NOT EXISTS (${departed.forgottenOfWorkspace(id)}) AS done`).pipe(Effect.map(([row]) => row!.done))
      )
    })
  }
})

/** The moves of readings into the archive, and what PostgreSQL knows of it. */
export class ArchiveRepository extends Context.Service<ArchiveRepository, Effect.Success<typeof make>>()(
  "@edp/server/readings/ArchiveRepository"
) {
  static readonly layer = Layer.effect(ArchiveRepository, make)
}
