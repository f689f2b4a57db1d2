import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { deviceStateTable } from "../../devices/deviceStateTable.ts"
import { query } from "../../platform/sql/transaction.ts"
import { deviceTypes } from "@edp/domain/devices/DeviceType"
import type { DeviceScope } from "./deviceScope.ts"
import { keepEventStates } from "./EventStatesRepository.ts"
import type { SealingPlan } from "./sealingPlan.ts"
import { decodeRows, IdRow, queryIds } from "../../platform/sql/rows.ts"

const Floor = Schema.Struct({
  /** Older readings are dropped or being dropped: the start of a month, in milliseconds since 1970. */
  keptFrom: Schema.Finite,
  /** Whether the rollups are independent of all these readings. */
  sealed: Schema.Boolean
})
type Floor = typeof Floor.Type

/** Archived parts of devices whose rollups are sealed: the readings to keep, and the first ones that are not dropped. */
export interface ArchivedParts {
  readonly kept: ReadonlyArray<{ readonly deviceId: string; readonly at: number; readonly state: string }>
  readonly firstTimes: ReadonlyMap<string, number>
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

const FloorTimeRow = Schema.Struct({ at: Schema.Finite })
const OldestReadingRow = Schema.Struct({ at: Schema.NullOr(Schema.Date) })
const MonthRow = Schema.Struct({ month: Schema.String })
const DevicesExampleRow = Schema.Struct({ devices: Schema.Finite, example: Schema.NullOr(Schema.String) })
const AloneRow = Schema.Struct({ alone: Schema.Boolean })
const UnreadRow = Schema.Struct({ unread: Schema.Boolean })
/** For how many days a workspace keeps readings of a type, and the time before which none are kept, in milliseconds since 1970. */
const ScopeTimesRow = Schema.Struct({
  workspaceId: Schema.String,
  deviceType: Schema.String,
  days: Schema.NullOr(Schema.Finite),
  droppedBefore: Schema.Finite
})
const DroppedRow = Schema.Struct({ dropped: Schema.Boolean })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const states = deviceStateTable(sql)
  const keepStates = keepEventStates(sql)
  const joined = (scope: DeviceScope | undefined) =>
    scope === undefined
      ? sql``
      : sql`JOIN devices d ON d.id = s.device_id AND d.workspace_id = ${scope.workspaceId} AND d.type = ${scope.deviceType}`

  /** Whether the rollups of a device `s` are complete before `keptFrom`. */
  const isRolled = (
    keptFrom: number
  ) => sql`NOT (s.stale + s.rolling) && tstzmultirange(tstzrange(NULL, ${iso(keptFrom)}))
    AND (NOT s.unrolled OR coalesce(s.rolled_until >= ${iso(keptFrom)}, false))`

  return {
    /** Older readings are dropped: milliseconds since 1970. */
    keptFrom: query(
      decodeRows(FloorTimeRow)(sql`
      SELECT date_part('epoch', kept_from) * 1000 AS at FROM readings_floor`)
    ).pipe(Effect.map(([floor]) => floor!.at)),
    /** The limits of the workspaces that have their own. */
    scopeTimes: query(
      decodeRows(ScopeTimesRow)(sql`SELECT r.workspace_id AS "workspaceId", t.type AS "deviceType",
          coalesce((r.device_types ->> t.type)::int, r.days) AS days,
          coalesce(date_part('epoch', f.kept_from) * 1000, 0) AS "droppedBefore"
        FROM workspace_retentions r CROSS JOIN unnest(${[...deviceTypes]}::text[]) AS t (type)
        LEFT JOIN workspace_floors f ON f.workspace_id = r.workspace_id AND f.device_type = t.type
        WHERE coalesce((r.device_types ->> t.type)::int, r.days) IS NOT NULL OR f.kept_from IS NOT NULL`)
    ),
    /** The oldest reading of an organization's devices. */
    oldest: (organizationId: string) =>
      query(
        decodeRows(OldestReadingRow)(sql`
        SELECT min(greatest(s.first_at, f.kept_from, own.kept_from)) AS at FROM readings_floor f, device_states s
        JOIN devices d ON d.id = s.device_id JOIN workspaces w ON w.id = d.workspace_id
        LEFT JOIN workspace_floors own ON own.workspace_id = d.workspace_id AND own.device_type = d.type
        WHERE w.organization_id = ${organizationId} AND s.at >= greatest(f.kept_from, own.kept_from)`)
      ).pipe(Effect.map(([row]) => row!.at)),
    floor: query(
      decodeRows(Floor)(sql`SELECT date_part('epoch', kept_from) * 1000 AS "keptFrom", frozen_at IS NOT NULL AS sealed
      FROM readings_floor`)
    ).pipe(Effect.map(([floor]) => floor!)),
    /** The first days of the older months that have tables. */
    monthsBefore: (keptFrom: number) =>
      query(
        decodeRows(MonthRow)(sql`
        SELECT month::date::text AS month FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid,
          to_date(substring(relname FROM '^readings_([0-9]{6})$'), 'YYYYMM') AS month
        WHERE inhparent = 'readings'::regclass AND month < ${iso(keptFrom)!.slice(0, 10)}::date ORDER BY month`)
      ).pipe(Effect.map((rows) => rows.map(({ month }) => month))),
    /** Whether older readings may be in the archive. */
    isArchived: query(decodeRows(AloneRow)(sql`SELECT EXISTS (SELECT FROM archive_border) AS alone`)).pipe(
      Effect.map(([row]) => row!.alone)
    ),
    /** The number of devices with older readings that are not rolled up yet, and one of them. */
    unrolledBefore: (keptFrom: number, scope?: DeviceScope) =>
      query(
        decodeRows(DevicesExampleRow)(sql`
        SELECT count(*)::int AS devices, min(s.device_id) AS example
        FROM device_states s ${joined(scope)}
        WHERE s.first_at < ${iso(keptFrom)} AND NOT (${isRolled(keptFrom)})`)
      ).pipe(Effect.map(([found]) => found!)),
    /** Hides older readings from now on. The boundary never moves back. */
    raise: (keptFrom: number) =>
      query(sql`UPDATE readings_floor SET kept_from = ${iso(keptFrom)}, frozen_at = NULL
        WHERE kept_from < ${iso(keptFrom)}`),
    /** Whether no other instance is doing this; holds until the transaction ends. */
    alone: query(
      decodeRows(AloneRow)(sql`
      SELECT pg_try_advisory_xact_lock(hashtextextended('readings retention', 0)) AS alone`)
    ).pipe(Effect.map(([row]) => row!.alone)),
    /** The next devices, in id order, that have older readings. */
    devicesBefore: (keptFrom: number, after: string, limit: number, scope?: DeviceScope) =>
      queryIds(sql`SELECT s.device_id AS id FROM device_states s ${joined(scope)}
        WHERE s.device_id > ${after} ${scope === undefined ? sql`` : sql`AND d.id > ${after}`}
          AND s.first_at < ${iso(keptFrom)} ORDER BY s.device_id LIMIT ${limit}`),
    /** Locks the devices whose plan is still valid, and returns their ids. */
    hold: (keptFrom: number, devices: ReadonlyArray<SealingPlan>) =>
      query(
        decodeRows(IdRow)(sql`
        SELECT s.device_id AS id FROM device_states s JOIN unnest(
          ${devices.map(({ deviceId }) => deviceId)}::text[],
          ${devices.map(({ newest }) => iso(newest))}::timestamptz[],
          ${devices.map(({ sealedBefore }) => iso(sealedBefore) ?? "")}::text[]
        ) AS known (device_id, newest, frozen_until) ON known.device_id = s.device_id
        WHERE least(s.at, ${iso(keptFrom)}) = least(known.newest, ${iso(keptFrom)})
          AND s.frozen_until IS NOT DISTINCT FROM nullif(known.frozen_until, '')::timestamptz AND ${isRolled(keptFrom)}
        ORDER BY s.device_id FOR NO KEY UPDATE OF s`)
      ).pipe(Effect.map((rows) => new Set(rows.map(({ id }) => id)))),
    /** Moves the older readings to keep out of their months' tables, and records the others as dropped. */
    seal: Effect.fnUntraced(function* (keptFrom: number, devices: ReadonlyArray<SealingPlan>, archived: ArchivedParts) {
      const ids = devices.map(({ deviceId }) => deviceId)
      const pieces = devices.flatMap(({ deviceId, kept }) => kept.map((span) => ({ deviceId, ...span })))
      const kept = sql`unnest(
        ${pieces.map(({ deviceId }) => deviceId)}::text[],
        ${pieces.map(({ from }) => iso(from))}::timestamptz[],
        ${pieces.map(({ to }) => iso(to))}::timestamptz[]
      ) AS kept (device_id, lower, upper)`
      const toKeep = sql`r.device_id = kept.device_id AND r.at >= kept.lower AND r.at < kept.upper AND r.at < ${iso(keptFrom)}`
      yield* keepStates(sql`readings r, ${kept}`, toKeep)
      yield* query(
        sql`WITH moved AS (
            DELETE FROM readings r USING ${kept} WHERE ${toKeep}
            RETURNING r.device_id, r.at, r.state
          )
          INSERT INTO kept_readings (device_id, at, state) SELECT device_id, at, state FROM moved
          UNION ALL SELECT device_id, at, state::jsonb FROM unnest(
            ${archived.kept.map(({ deviceId }) => deviceId)}::text[],
            ${archived.kept.map(({ at }) => iso(at))}::timestamptz[],
            ${archived.kept.map(({ state }) => state)}::text[]) AS archived (device_id, at, state)
          ON CONFLICT DO NOTHING`.unprepared
      )
      yield* query(sql`DELETE FROM kept_readings r WHERE r.device_id = ANY(${ids}::text[]) AND r.at < ${iso(keptFrom)} AND NOT EXISTS (
        SELECT FROM ${kept} WHERE kept.device_id = r.device_id AND r.at >= kept.lower AND r.at < kept.upper)`)
      yield* query(sql`DELETE FROM reading_counts WHERE device_id = ANY(${ids}::text[])
        AND month < date_trunc('month', ${iso(keptFrom)!.slice(0, 10)}::timestamp)`)
      yield* query(
        states.seal(
          sql`unnest(${ids}::text[], ${devices.map(({ sealedUntil }) => iso(sealedUntil) ?? "")}::text[])
          AS sealed (device_id, until)`,
          sql`least((SELECT at FROM readings r WHERE r.device_id = s.device_id AND r.at >= ${iso(keptFrom)} ORDER BY at LIMIT 1),
            (SELECT at FROM unnest(${[...archived.firstTimes.keys()]}::text[],
              ${[...archived.firstTimes.values()].map(iso)}::timestamptz[]) AS archived (device_id, at) WHERE archived.device_id = s.device_id))`,
          iso(keptFrom)!
        )
      )
    }),
    /** Records that no rollup needs the older readings any more. */
    settle: (keptFrom: number) =>
      query(sql`UPDATE readings_floor SET frozen_at = clock_timestamp()
        WHERE kept_from = ${iso(keptFrom)} AND frozen_at IS NULL`),
    /** Whether that was `lag` seconds ago and no older transaction is left. The embedded database runs one at a time. */
    isUnread: (lag: number, floor: Statement.Fragment = sql`readings_floor`) =>
      sql.driver === "pglite"
        ? Effect.succeed(true)
        : query(
            decodeRows(UnreadRow)(sql`
            SELECT frozen_at <= now() - ${lag} * interval '1 second' AND NOT EXISTS (
              SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND backend_xmin IS NOT NULL AND xact_start < frozen_at
            ) AS unread FROM ${floor} WHERE frozen_at IS NOT NULL`)
          ).pipe(Effect.map(([row]) => row?.unread === true)),
    /** Drops a month's table and returns true, or returns false when the table is in use. */
    drop: (month: string) =>
      query(decodeRows(DroppedRow)(sql`SELECT drop_readings_partition(${month}::date) AS dropped`)).pipe(
        Effect.map(([row]) => row!.dropped)
      )
  }
})

/** The retention boundary and the months' tables. */
export class RetentionRepository extends Context.Service<RetentionRepository, Effect.Success<typeof make>>()(
  "@edp/server/RetentionRepository"
) {
  static readonly layer = Layer.effect(RetentionRepository, make)
}
