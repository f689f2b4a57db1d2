import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { ROLL_AFTER } from "../readings/ingest/readingBatch.ts"
import { query } from "../platform/sql/transaction.ts"
import type { DayRow } from "./storedDays.ts"
import type { FieldSet } from "../energy/quantities.ts"
import type { RollState } from "./rollState.ts"

/** A device with all that its energies depend on. */
export interface MeasuredDevice extends RollState {
  readonly id: string
  readonly type: DeviceType
  readonly staticState: object | null
  /** The newest reading that counts. */
  readonly newest: number
}

/** The result of a pass for a device. */
export interface RollupResult {
  readonly deviceId: string
  /** Invalidated ranges up to here are done, except those that arrived during the pass. */
  readonly doneUntil: number | null
  /** The new watermark; null keeps the present one. */
  readonly watermark: number | null
  /** The value that the pass was computed with: the result is discarded if it has changed since. */
  readonly sealedUntil: number | null
  readonly fields: FieldSet
  /** Readings newer than the watermark change no quarter before this instant; null keeps the present one. */
  readonly settledUntil: number | null
  /** Whether the pass changes days that are long over. */
  readonly isRevision: boolean
  readonly rows: ReadonlyArray<DayRow>
}

/** A claim expires after this time. A pass that finishes later finds its claim lost and stores nothing. */
const CLAIM = "1 minute"

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
/** A PostgreSQL array literal; empty for null, because a list of nothing but nulls has no type. */
const literal = (values: ReadonlyArray<bigint | number | null> | null) =>
  values === null ? "" : `{${values.map((value) => value ?? "NULL").join(",")}}`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const time = (at: Statement.Fragment) => sql`round(date_part('epoch', ${at}) * 1000)`
  const state = sql`s.device_id AS id, d.type, d.static_state AS "staticState", ${time(sql`s.first_at`)} AS "firstAt",
    ${time(sql`s.rolled_until`)} AS "watermark", ${time(sql`s.frozen_until`)} AS "sealedUntil",
    s.rolled_fields AS fields`
  const pieces = (ranges: Statement.Fragment) => sql`(SELECT
    coalesce(jsonb_agg(jsonb_build_array(${time(sql`lower(piece)`)}, ${time(sql`upper(piece)`)}) ORDER BY piece), '[]')
    FROM unnest(${ranges}) AS piece)`

  const devices = (ids: ReadonlyArray<string>) => sql`
    SELECT ${state}, ${time(sql`s.at`)} AS newest, ${pieces(sql`s.stale + s.rolling`)} AS invalidated
    FROM device_states s JOIN devices d ON d.id = s.device_id WHERE s.device_id = ANY(${ids}::text[])`

  return {
    /** Devices with readings in a workspace. */
    devices: (ids: ReadonlyArray<string>) => query(sql<MeasuredDevice>`${devices(ids)} AND d.workspace_id IS NOT NULL`),
    /** Devices with readings, including those that have left their workspace. */
    anyDevices: (ids: ReadonlyArray<string>) => query(sql<MeasuredDevice>`${devices(ids)}`),
    /** Claims the next devices after an id that have unrolled readings and no other claim. */
    claim: (claim: string, after: string, limit: number) =>
      query(sql<MeasuredDevice>`
        WITH due AS MATERIALIZED (
          SELECT device_id FROM device_states
          WHERE unrolled AND device_id > ${after}
            AND (roll_claimed_at IS NULL OR roll_claimed_at < now() - ${CLAIM}::interval)
          ORDER BY device_id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
        )
        UPDATE device_states s SET marked_until = greatest(s.at, s.marked_until), rolling = s.rolling + s.stale,
          stale = '{}', roll_claim = ${claim}, roll_claimed_at = now()
        FROM due, devices d WHERE s.device_id = due.device_id AND d.id = s.device_id
        RETURNING ${state}, ${time(sql`s.marked_until`)} AS newest, ${pieces(sql`s.rolling`)} AS invalidated`),
    /** Stores the results for devices that are still claimed, releases them and returns their ids. */
    store: (claim: string, rolled: ReadonlyArray<RollupResult>) => {
      const rows = rolled.flatMap((each) => each.rows)
      const done = rolled.map(({ deviceId, doneUntil, watermark, sealedUntil, settledUntil, isRevision, fields }) => ({
        device_id: deviceId,
        done_until: iso(doneUntil),
        rolled_until: iso(watermark),
        frozen_until: iso(sealedUntil),
        settled_until: iso(settledUntil),
        revisions: isRevision ? 1 : 0,
        fields
      }))
      return query(sql<{ readonly deviceId: string }>`
        WITH done AS (
          SELECT * FROM jsonb_to_recordset(${JSON.stringify(done)}::jsonb) AS done (device_id text, done_until timestamptz,
            rolled_until timestamptz, frozen_until timestamptz, settled_until timestamptz, revisions int, fields int)
        ), held AS MATERIALIZED (
          SELECT device_id, frozen_until FROM device_states
          WHERE device_id = ANY(ARRAY(SELECT device_id FROM done)) AND roll_claim = ${claim}
          ORDER BY device_id FOR NO KEY UPDATE
        ), finished AS (
          UPDATE device_states s SET
            rolled_until = coalesce(done.rolled_until, s.rolled_until),
            marked_until = coalesce(done.rolled_until, s.rolled_until),
            rolling = s.rolling - tstzmultirange(tstzrange(NULL, done.done_until, '[]')),
            rolled_fields = s.rolled_fields | done.fields,
            settled_until = coalesce(done.settled_until, s.settled_until),
            rollup_revision = s.rollup_revision + done.revisions,
            roll_claim = NULL, roll_claimed_at = NULL,
            unrolled = NOT isempty(s.stale) OR NOT isempty(s.rolling - tstzmultirange(tstzrange(NULL, done.done_until, '[]')))
              OR s.at >= coalesce(done.rolled_until, s.rolled_until, s.first_at) + ${ROLL_AFTER}::interval
          FROM held, done WHERE s.device_id = held.device_id AND done.device_id = held.device_id
            AND done.frozen_until IS NOT DISTINCT FROM held.frozen_until
          RETURNING s.device_id
        ), stored AS (
          INSERT INTO energy_rollups (device_id, quantity, day, amounts, covered, latest)
          SELECT device_id, quantity, day, amounts::bigint[], covered::int[], nullif(latest, '')::smallint[]
          FROM unnest(
            ${rows.map(({ deviceId }) => deviceId)}::text[],
            ${rows.map(({ quantity }) => quantity)}::int[],
            ${rows.map(({ day }) => date(day))}::date[],
            ${rows.map(({ amounts }) => literal(amounts))}::text[],
            ${rows.map(({ covered }) => literal(covered))}::text[],
            ${rows.map(({ latest }) => literal(latest))}::text[]
          ) AS row (device_id, quantity, day, amounts, covered, latest)
          WHERE device_id IN (SELECT device_id FROM finished)
          ORDER BY device_id COLLATE "C", quantity, day
          ON CONFLICT (device_id, quantity, day) DO UPDATE
            SET amounts = excluded.amounts, covered = excluded.covered, latest = excluded.latest
        )
        SELECT device_id AS "deviceId" FROM finished`)
    }
  }
})

/** Reads and writes rollups and their progress. */
export class RollupsRepository extends Context.Service<RollupsRepository, Effect.Success<typeof make>>()(
  "@edp/server/RollupsRepository"
) {
  static readonly layer = Layer.effect(RollupsRepository, make)
}
