import { DeviceType, deviceTypes } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows, JsonColumn, queryIds, TimestampColumn } from "../../platform/sql/rows.ts"
import { query } from "../../platform/sql/transaction.ts"
import type { DeviceScope } from "./deviceScope.ts"
import { keepEventStates } from "./EventStatesRepository.ts"

/** The retention of a type of devices in a workspace, and its progress. Times in milliseconds since 1970. */
const Floor = Schema.Struct({
  workspaceId: Schema.String,
  deviceType: DeviceType,
  /** For how many days readings are kept; null where that is not limited any more, or not known to all instances yet. */
  days: Schema.NullOr(Schema.Finite),
  /** Older readings are neither shown nor accepted; 0 if there is no such time yet. */
  keptFrom: Schema.Finite,
  isSealed: Schema.Boolean,
  isRemoved: Schema.Boolean,
  removedDevice: Schema.String
})
export type Floor = typeof Floor.Type

const ArchivedFloor = Schema.Struct({
  workspaceId: Schema.String,
  deviceType: DeviceType,
  /** Archived readings before are to be removed: the start of a month. */
  before: Schema.Finite
})

const Settings = Schema.Struct({
  days: Schema.NullOr(Schema.Finite),
  deviceTypes: JsonColumn<Readonly<Record<string, number>>>()
})
export type Settings = typeof Settings.Type

const RemovedRow = Schema.Struct({ deviceType: DeviceType, keptFrom: TimestampColumn })
const AtRow = Schema.Struct({ at: Schema.Date })
const NowRow = Schema.Struct({ at: Schema.Finite })
const FiguresRow = Schema.Struct({
  readings: Schema.Finite,
  bytes: Schema.Finite,
  oldest: Schema.NullOr(Schema.Finite),
  newest: Schema.NullOr(Schema.Finite),
  id: Schema.String
})

/** On the embedded database a statement stops the whole process while it runs, and elsewhere it holds locks. */
const MAX_DELETED = 10_000

const iso = (at: number) => new Date(at).toISOString()

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keepStates = keepEventStates(sql)
  const rowFor = ({ workspaceId, deviceType }: DeviceScope) =>
    sql`workspace_floors WHERE workspace_id = ${workspaceId} AND device_type = ${deviceType}`
  const milliseconds = (column: string) => sql.literal(`date_part('epoch', ${column}) * 1000`)

  return {
    settings: (workspaceId: string) =>
      query(
        decodeRows(Settings)(sql`SELECT days, device_types AS "deviceTypes" FROM workspace_retentions
          WHERE workspace_id = ${workspaceId} FOR UPDATE`)
      ).pipe(Effect.map(([row]): Settings => row ?? { days: null, deviceTypes: {} })),
    saveSettings: (workspaceId: string, { days, deviceTypes: types }: Settings) =>
      query(sql`INSERT INTO workspace_retentions (workspace_id, days, device_types, changed_at)
        VALUES (${workspaceId}, ${days}::integer, ${JSON.stringify(types)}::text::jsonb, clock_timestamp())
        ON CONFLICT (workspace_id) DO UPDATE SET days = excluded.days, device_types = excluded.device_types,
          changed_at = excluded.changed_at`),
    removed: (workspaceId: string) =>
      query(
        decodeRows(RemovedRow)(sql`SELECT device_type AS "deviceType", kept_from AS "keptFrom" FROM workspace_floors
          WHERE workspace_id = ${workspaceId} ORDER BY device_type`)
      ),
    /** The database's time, in milliseconds since 1970. */
    now: query(decodeRows(NowRow)(sql`SELECT date_part('epoch', clock_timestamp()) * 1000 AS at`)).pipe(
      Effect.map(([row]) => row!.at)
    ),
    /** Every type that a workspace limits, by settings that are older than `lag` seconds, or whose removal is under way. */
    floors: (lag: number) =>
      query(
        decodeRows(Floor)(sql`SELECT r.workspace_id AS "workspaceId", t.type AS "deviceType",
            CASE WHEN r.changed_at <= clock_timestamp() - ${lag} * interval '1 second'
              THEN coalesce((r.device_types ->> t.type)::int, r.days) END AS days,
            coalesce(${milliseconds("f.kept_from")}, 0) AS "keptFrom", f.frozen_at IS NOT NULL AS "isSealed",
            f.kept_from IS NULL OR f.removed_at IS NOT NULL AS "isRemoved", coalesce(f.removed_device, '') AS "removedDevice"
          FROM workspace_retentions r CROSS JOIN unnest(${[...deviceTypes]}::text[]) AS t (type)
          LEFT JOIN workspace_floors f ON f.workspace_id = r.workspace_id AND f.device_type = t.type
          WHERE coalesce((r.device_types ->> t.type)::int, r.days) IS NOT NULL
            OR f.kept_from IS NOT NULL AND f.removed_at IS NULL
          ORDER BY r.workspace_id, t.type`)
      ),
    /** Hides older readings from now on. The boundary never moves back. */
    raise: ({ workspaceId, deviceType }: DeviceScope, keptFrom: number) =>
      query(sql`INSERT INTO workspace_floors AS known (workspace_id, device_type, kept_from)
        VALUES (${workspaceId}, ${deviceType}, ${iso(keptFrom)})
        ON CONFLICT (workspace_id, device_type) DO UPDATE SET kept_from = excluded.kept_from, frozen_at = NULL,
          removed_at = NULL, removed_device = '' WHERE known.kept_from < excluded.kept_from`),
    /** Records that no rollup needs the older readings any more. */
    settle: ({ workspaceId, deviceType }: DeviceScope, keptFrom: number) =>
      query(sql`UPDATE workspace_floors SET frozen_at = clock_timestamp() WHERE workspace_id = ${workspaceId}
        AND device_type = ${deviceType} AND kept_from = ${iso(keptFrom)} AND frozen_at IS NULL`),
    /** When that was, for a FROM. */
    frozenAt: (scope: DeviceScope) => sql`(SELECT frozen_at FROM ${rowFor(scope)}) AS floor`,
    /** The next devices, in id order. */
    devicesAfter: ({ workspaceId, deviceType }: DeviceScope, after: string, limit: number) =>
      queryIds(sql`SELECT id FROM devices WHERE workspace_id = ${workspaceId} AND type = ${deviceType} AND id > ${after}
        ORDER BY id LIMIT ${limit}`),
    /** Those of the devices that have older readings in PostgreSQL. */
    withReadings: (deviceIds: ReadonlyArray<string>, before: number) =>
      queryIds(
        sql`SELECT id FROM unnest(${deviceIds}::text[]) AS wanted (id)
          WHERE EXISTS (SELECT FROM readings WHERE device_id = wanted.id AND at < ${iso(before)}::timestamptz)`
          .unprepared
      ),
    /** Deletes the oldest readings of a device, as many as one statement may, and returns whether there may be more. */
    deleteOldest: Effect.fnUntraced(function* (deviceId: string, before: number) {
      const older = sql`r.device_id = ${deviceId} AND r.at < ${iso(before)}::timestamptz`
      const [last] = yield* query(
        decodeRows(AtRow)(
          sql`SELECT at FROM readings r WHERE ${older} ORDER BY at LIMIT 1 OFFSET ${MAX_DELETED - 1}`.unprepared
        )
      )
      const oldest = last === undefined ? older : sql`${older} AND r.at <= ${last.at}`
      yield* keepStates(sql`readings r`, oldest)
      yield* query(sql`DELETE FROM readings r WHERE ${oldest}`.unprepared)
      return last !== undefined
    }),
    /** Records that the devices up to one have no older readings, unless the boundary has moved meanwhile. */
    recordRemoved: ({ workspaceId, deviceType }: DeviceScope, keptFrom: number, deviceId: string) =>
      query(sql`UPDATE workspace_floors SET removed_device = ${deviceId} WHERE workspace_id = ${workspaceId}
        AND device_type = ${deviceType} AND kept_from = ${iso(keptFrom)} AND removed_device < ${deviceId}`),
    finish: ({ workspaceId, deviceType }: DeviceScope, keptFrom: number) =>
      query(sql`UPDATE workspace_floors SET removed_at = clock_timestamp() WHERE workspace_id = ${workspaceId}
        AND device_type = ${deviceType} AND kept_from = ${iso(keptFrom)} AND removed_at IS NULL`),
    /** The types of which whole months are to be removed from the archive. PostgreSQL has none of their readings any more. */
    archived: query(
      decodeRows(ArchivedFloor)(sql`SELECT workspace_id AS "workspaceId", device_type AS "deviceType",
          date_part('epoch', date_trunc('month', kept_from, 'UTC')) * 1000 AS before
        FROM workspace_floors WHERE removed_at IS NOT NULL AND archive_removed_until < date_trunc('month', kept_from, 'UTC')
          AND EXISTS (SELECT FROM archive_border)`)
    ),
    recordArchiveRemoved: ({ workspaceId, deviceType, before }: typeof ArchivedFloor.Type) =>
      query(sql`UPDATE workspace_floors SET archive_removed_until = ${iso(before)}
        WHERE workspace_id = ${workspaceId} AND device_type = ${deviceType}`),
    /** Counts the readings of devices in a span, at most `most` of each device. */
    figures: (deviceIds: ReadonlyArray<string>, from: number, to: number, most: number) =>
      query(
        decodeRows(FiguresRow)(
          sql`SELECT wanted.id, found.* FROM unnest(${deviceIds}::text[]) AS wanted (id), LATERAL (
            SELECT count(*)::float8 AS readings, coalesce(sum(bytes), 0)::float8 AS bytes,
              round(${milliseconds("min(at)")}) AS oldest, round(${milliseconds("max(at)")}) AS newest
            FROM (SELECT r.at, pg_column_size(r.*) AS bytes FROM readings r WHERE r.device_id = wanted.id
              AND r.at >= ${iso(from)}::timestamptz AND r.at < ${iso(to)}::timestamptz LIMIT ${most}) AS part) AS found`
            .unprepared
        )
      )
  }
})

/** The retentions of workspaces, and the progress of removing what they no longer keep. */
export class WorkspaceFloorsRepository extends Context.Service<
  WorkspaceFloorsRepository,
  Effect.Success<typeof make>
>()("@edp/server/WorkspaceFloorsRepository") {
  static readonly layer = Layer.effect(WorkspaceFloorsRepository, make)
}
