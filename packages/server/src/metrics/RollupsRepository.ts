import { DeviceType } from "@edp/domain/devices/DeviceType"
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { deviceStateTable } from "../devices/deviceStateTable.ts"
import { ROLL_AFTER } from "../readings/ingest/readingBatch.ts"
import { isReady } from "../platform/jobs/isolation.ts"
import { query } from "../platform/sql/transaction.ts"
import type { DayRow } from "./storedDays.ts"
import type { FieldSet } from "../energy/quantities.ts"
import { RollState } from "./rollState.ts"
import { rollupLimits } from "./rollupLimits.ts"
import { CountRow, IdRow, JsonColumn, queryRows } from "../platform/sql/rows.ts"

/** A device with all that its energies depend on. */
export const MeasuredDevice = Schema.Struct({
  ...RollState.fields,
  id: Schema.String,
  type: DeviceType,
  staticState: Schema.NullOr(JsonColumn<object>()),
  /** The newest reading that counts. */
  newest: Schema.Finite
})
export type MeasuredDevice = typeof MeasuredDevice.Type

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
  /** The first quarter that the pass changes; null for none. */
  readonly alteredFrom: number | null
  readonly rows: ReadonlyArray<DayRow>
}

/** The work, as its failing devices are stored under. */
export const ROLLUP = "energy rollup"

const LEASE = `${rollupLimits.leaseSeconds} seconds`

/** On the embedded database a statement stops the whole process while it runs, and elsewhere it holds locks. */
const MAX_DELETED = 10_000

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
/** A PostgreSQL array literal; empty for null, because a list of nothing but nulls has no type. */
const literal = (values: ReadonlyArray<bigint | number | null> | null) =>
  values === null ? "" : `{${values.map((value) => value ?? "NULL").join(",")}}`

interface Pass {
  readonly claim: string
  readonly devices: ReadonlyArray<Pick<MeasuredDevice, "id">>
}

const DeviceIdRow = Schema.Struct({ deviceId: Schema.String })

/** Reads and writes rollups and their progress. */
export const RollupsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const states = deviceStateTable(sql)

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

  const claimDue = (claim: string) =>
    states.claimRollups(
      sql`due`,
      claim,
      sql`${state}, ${time(sql`s.marked_until`)} AS newest, ${pieces(sql`s.rolling`)} AS invalidated`
    )

  /** Locks the devices of a pass whose claim is held. */
  const claimed = ({ claim, devices: claimedDevices }: Pass) =>
    sql`SELECT device_id FROM device_states
      WHERE device_id = ANY(${claimedDevices.map(({ id }) => id)}::text[]) AND roll_claim = ${claim}
      ORDER BY device_id FOR NO KEY UPDATE`

  return {
    /** Devices with readings in a workspace. */
    devices: (ids: ReadonlyArray<string>) =>
      queryRows(MeasuredDevice)(sql`${devices(ids)} AND d.workspace_id IS NOT NULL`),
    /** Devices with readings, including those that have left their workspace. */
    anyDevices: (ids: ReadonlyArray<string>) => queryRows(MeasuredDevice)(sql`${devices(ids)}`),
    /** Ends the claims of a process that is gone. */
    endLeases: (holder: string) => query(states.endRollupLeases(holder)),
    /** Extends the claim of a pass. Returns whether it is held. */
    renew: (pass: Pass) =>
      queryRows(IdRow)(sql`WITH held AS MATERIALIZED (${claimed(pass)}) ${states.renewRollups(sql`held`)}`).pipe(
        Effect.map((rows) => rows.length > 0)
      ),
    /** Ends the claim of a pass without a result; what it had to do is due. */
    release: (pass: Pass) =>
      query(sql`WITH held AS MATERIALIZED (${claimed(pass)}) ${states.releaseRollups(sql`held`)}`),
    /** Claims those of the devices that have no other claim. */
    claimDevices: (claim: string, ids: ReadonlyArray<string>) =>
      queryRows(MeasuredDevice)(sql`
        WITH due AS MATERIALIZED (
          SELECT device_id FROM device_states
          WHERE device_id = ANY(${ids}::text[]) AND ${isReady(sql, ROLLUP, "device_states.device_id")}
            AND (roll_claimed_at IS NULL OR roll_claimed_at < now() - ${LEASE}::interval)
          ORDER BY device_id FOR NO KEY UPDATE SKIP LOCKED
        )
        ${claimDue(claim)}`),
    /** Claims the next devices after an id that have unrolled readings and no other claim. */
    claim: (claim: string, after: string, limit: number) =>
      queryRows(MeasuredDevice)(sql`
        WITH due AS MATERIALIZED (
          SELECT device_id FROM device_states
          WHERE unrolled AND device_id > ${after} AND ${isReady(sql, ROLLUP, "device_states.device_id")}
            AND (roll_claimed_at IS NULL OR roll_claimed_at < now() - ${LEASE}::interval)
          ORDER BY device_id LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED
        )
        ${claimDue(claim)}`),
    /** Stores the results for devices that are still claimed, releases them and returns their ids. */
    store: (claim: string, rolled: ReadonlyArray<RollupResult>) => {
      const rows = rolled.flatMap((each) => each.rows)
      const done = rolled.map(
        ({ deviceId, doneUntil, watermark, sealedUntil, settledUntil, alteredFrom, isRevision, fields }) => ({
          device_id: deviceId,
          done_until: iso(doneUntil),
          rolled_until: iso(watermark),
          frozen_until: iso(sealedUntil),
          settled_until: iso(settledUntil),
          altered_from: iso(alteredFrom),
          revisions: isRevision ? 1 : 0,
          fields
        })
      )
      return queryRows(DeviceIdRow)(sql`
        WITH done AS (
          SELECT * FROM jsonb_to_recordset(${JSON.stringify(done)}::jsonb) AS done (device_id text, done_until timestamptz,
            rolled_until timestamptz, frozen_until timestamptz, settled_until timestamptz, altered_from timestamptz, revisions int, fields int)
        ), held AS MATERIALIZED (
          SELECT device_id, frozen_until FROM device_states
          WHERE device_id = ANY(ARRAY(SELECT device_id FROM done)) AND roll_claim = ${claim}
          ORDER BY device_id FOR NO KEY UPDATE
        ), finished AS (
          ${states.finishRollups(ROLL_AFTER, `${rollupLimits.alteredSeconds} seconds`)}
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
    },
    /** Deletes rollups of a device, as many as one statement may, and returns whether there may be more. */
    remove: (deviceId: string) =>
      queryRows(CountRow)(sql`
        WITH oldest AS (SELECT quantity, day FROM energy_rollups WHERE device_id = ${deviceId}
          ORDER BY quantity, day LIMIT ${MAX_DELETED}),
          deleted AS (DELETE FROM energy_rollups AS rollup USING oldest
            WHERE device_id = ${deviceId} AND rollup.quantity = oldest.quantity AND rollup.day = oldest.day RETURNING 1)
        SELECT count(*)::int AS n FROM deleted`).pipe(Effect.map(([deleted]) => deleted!.n === MAX_DELETED))
  }
})
