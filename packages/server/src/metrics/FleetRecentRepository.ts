import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { QUARTER } from "../energy/intervals.ts"
import { IdRow, queryRows } from "../platform/sql/rows.ts"
import { query } from "../platform/sql/transaction.ts"
import { fleetBlocks } from "./fleetBlockTable.ts"
import type { Fleet } from "./FleetRepository.ts"
import { type Step, steps } from "./recentDays.ts"
import { rollupLimits } from "./rollupLimits.ts"

/** The progress of the sums of a fleet's recent energy. */
export const RecentProgress = Schema.Struct({
  /** Every reading that was taken by then is in the sums. Milliseconds since 1970. */
  asOf: Schema.NullOr(Schema.Finite),
  /** UTC days since 1970. */
  days: Schema.Array(Schema.Finite),
  timezone: Schema.NullOr(Schema.String)
})
export type RecentProgress = typeof RecentProgress.Type

/** The present devices of a block against those of its sums. */
export const RecentBlock = Schema.Struct({
  block: Schema.Finite,
  signature: Schema.String,
  devices: Schema.Finite,
  /** Null without sums of these very devices. */
  asOf: Schema.NullOr(Schema.Finite),
  days: Schema.Array(Schema.Finite),
  /** The first quarter that readings have changed since; null for none, 0 where it is not known. */
  changedFrom: Schema.NullOr(Schema.Finite)
})
export type RecentBlock = typeof RecentBlock.Type

/** Buckets of a block's day from `first` on; those before stay. */
export interface RecentRow {
  readonly day: number
  readonly metric: string
  readonly step: Step
  readonly first: number
  /** µWh; null where nothing is known. The buckets before `first` are in the arrays, too. */
  readonly amounts: ReadonlyArray<bigint | null>
  readonly covered: ReadonlyArray<number>
}

const SummedRow = Schema.Struct({
  step: Schema.Literals(steps),
  day: Schema.Finite,
  amounts: Schema.Array(Schema.NullOr(Schema.String)),
  covered: Schema.Array(Schema.Finite)
})

const LEASE = `${rollupLimits.fleetLeaseSeconds} seconds`
/** A change that a transaction dated before the sums may have been committed after them. */
const SLACK = "2 minutes"

const iso = (at: number) => new Date(at).toISOString()
const date = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10)
const literal = (values: ReadonlyArray<bigint | number | null>) =>
  `{${values.map((value) => value ?? "NULL").join(",")}}`

/** Reads and writes the sums of the recent energy of large workspaces. */
export const FleetRecentRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blockSql, isAmong, milliseconds, site } = fleetBlocks(sql)
  const dayNumbers = (column: string) =>
    sql`ARRAY(SELECT (day - date '1970-01-01')::float8 FROM unnest(${sql(column)}) AS day)`

  return {
    progress: (workspaceId: string) =>
      queryRows(
        RecentProgress
      )(sql`SELECT ${milliseconds(sql`as_of`)} AS "asOf", ${dayNumbers("days")} AS days, timezone
        FROM fleet_recent WHERE workspace_id = ${workspaceId}`).pipe(Effect.map(([found]) => found)),
    /** Claims a fleet unless another instance has. */
    claim: (workspaceId: string, claim: string, holder: string) =>
      queryRows(RecentProgress)(sql`INSERT INTO fleet_recent AS f (workspace_id, claim, claimed_at, holder)
        VALUES (${workspaceId}, ${claim}::uuid, now(), ${holder}::uuid)
        ON CONFLICT (workspace_id) DO UPDATE SET claim = excluded.claim, claimed_at = now(), holder = excluded.holder
        WHERE f.claimed_at IS NULL OR f.claimed_at < now() - ${LEASE}::interval
        RETURNING ${milliseconds(sql`as_of`)} AS "asOf", ${dayNumbers("days")} AS days, timezone`).pipe(
        Effect.map(([found]) => found)
      ),
    /** Returns whether the claim is held. */
    renew: (workspaceId: string, claim: string) =>
      query(sql`UPDATE fleet_recent SET claimed_at = now() WHERE workspace_id = ${workspaceId} AND claim = ${claim}::uuid
        RETURNING 1`).pipe(Effect.map((rows) => rows.length > 0)),
    release: (workspaceId: string, claim: string) =>
      query(sql`UPDATE fleet_recent SET claimed_at = NULL, claim = NULL
        WHERE workspace_id = ${workspaceId} AND claim = ${claim}::uuid`),
    /** Ends the claims of a process that is gone. */
    endLeases: (holder: string) =>
      query(sql`UPDATE fleet_recent SET claimed_at = NULL, claim = NULL
        WHERE holder = ${holder}::uuid AND claim IS NOT NULL`),
    /** The blocks with devices, only those from the first to the last of a list if one is given. */
    blocks: ({ blocks, workspaceId }: Fleet, among?: ReadonlyArray<number>) =>
      queryRows(RecentBlock)(
        sql`WITH device AS (
          SELECT ${blockSql(site, blocks)} AS block, s.altered_at, s.altered_from,
            hash_record_extended(ROW(d.id, d.type, d.site_id, least(s.first_at, s.first_dropped_at), d.disconnected_at), 0) AS hash,
            CASE WHEN NOT isempty(s.stale) OR NOT isempty(s.rolling) THEN timestamptz 'epoch'
              WHEN s.at > s.rolled_until OR s.rolled_until IS NULL AND s.at IS NOT NULL
              THEN coalesce(s.settled_until, timestamptz 'epoch') END AS open_from
          FROM devices d LEFT JOIN device_states s ON s.device_id = d.id
          WHERE d.workspace_id = ${workspaceId} AND ${among === undefined ? sql.literal("true") : isAmong(blocks, among)}
        ), present AS (
          SELECT device.block, sum(hash) AS signature, count(*)::int AS devices,
            min(least(open_from, CASE WHEN altered_at >= b.as_of - interval '${sql.literal(SLACK)}' THEN altered_from END)) AS changed_from
          FROM device LEFT JOIN fleet_blocks b ON b.workspace_id = ${workspaceId} AND b.block = device.block
          GROUP BY device.block
        )
        SELECT p.block, p.signature::text AS signature, p.devices, ${milliseconds(sql`b.as_of`)} AS "asOf",
          CASE WHEN b.block IS NULL THEN '{}' ELSE ${dayNumbers("b.days")} END AS days,
          ${milliseconds(sql`p.changed_from`)} AS "changedFrom"
        FROM present p LEFT JOIN fleet_blocks b ON b.workspace_id = ${workspaceId} AND b.block = p.block
          AND b.signature = p.signature
        ORDER BY p.block`.unprepared
      ),
    /** The devices of the blocks that have late readings, or a quarter of an hour of readings that is not rolled up. */
    unrolled: ({ blocks, workspaceId }: Fleet, among: ReadonlyArray<number>) =>
      queryRows(IdRow)(
        sql`SELECT d.id FROM devices d JOIN device_states s ON s.device_id = d.id
          WHERE d.workspace_id = ${workspaceId} AND ${isAmong(blocks, among)} AND ${blockSql(site, blocks)} = ANY(${among}::int[])
            AND (NOT isempty(s.stale) OR s.rolled_until IS NULL
              OR floor(date_part('epoch', s.at) / ${QUARTER / 1000}) > floor(date_part('epoch', s.rolled_until) / ${QUARTER / 1000}))
          ORDER BY d.id`.unprepared
      ).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
    /** Saves the buckets of a block; all others of its days are deleted if it is summed anew. */
    save: (
      { workspaceId }: Fleet,
      { block, signature }: RecentBlock,
      asOf: number,
      days: ReadonlyArray<number>,
      rows: ReadonlyArray<RecentRow>,
      isWhole: boolean
    ) =>
      Effect.gen(function* () {
        if (isWhole) {
          yield* query(sql`DELETE FROM fleet_block_quarters WHERE workspace_id = ${workspaceId} AND block = ${block}`)
        }
        yield* query(sql`INSERT INTO fleet_blocks (workspace_id, block, signature, as_of, days)
          VALUES (${workspaceId}, ${block}, ${signature}::numeric, ${iso(asOf)}, ${days.map(date)}::date[])
          ON CONFLICT (workspace_id, block) DO UPDATE SET signature = excluded.signature, as_of = excluded.as_of, days = excluded.days`)
        if (rows.length === 0) return
        yield* query(sql`WITH row AS MATERIALIZED (
            SELECT day, metric, step, first, amounts::bigint[] AS amounts, covered::float8[] AS covered FROM unnest(
              ${rows.map(({ day }) => date(day))}::date[], ${rows.map(({ metric }) => metric)}::text[],
              ${rows.map(({ step }) => step)}::text[], ${rows.map(({ first }) => first)}::int[],
              ${rows.map(({ amounts }) => literal(amounts))}::text[], ${rows.map(({ covered }) => literal(covered))}::text[]
            ) AS row (day, metric, step, first, amounts, covered)
          )
          INSERT INTO fleet_block_quarters AS f (workspace_id, day, block, metric, step, amounts, covered)
          SELECT ${workspaceId}, row.day, ${block}, row.metric, row.step,
            coalesce(known.amounts[1:first], row.amounts[1:first]) || row.amounts[first + 1:],
            coalesce(known.covered[1:first], row.covered[1:first]) || row.covered[first + 1:]
          FROM row LEFT JOIN fleet_block_quarters known ON known.workspace_id = ${workspaceId} AND known.day = row.day
            AND known.block = ${block} AND known.metric = row.metric AND known.step = row.step
          ON CONFLICT (workspace_id, day, block, metric, step) DO UPDATE
            SET amounts = excluded.amounts, covered = excluded.covered`)
      }),
    /** Deletes the sums of blocks without devices. Returns whether there were any. */
    dropBlocks: ({ workspaceId }: Fleet, present: ReadonlyArray<number>) =>
      Effect.gen(function* () {
        const gone = yield* query(sql`DELETE FROM fleet_blocks
          WHERE workspace_id = ${workspaceId} AND block <> ALL(${present}::int[]) RETURNING 1`)
        if (gone.length === 0) return false
        yield* query(sql`DELETE FROM fleet_block_quarters
          WHERE workspace_id = ${workspaceId} AND block <> ALL(${present}::int[])`)
        return true
      }),
    /** Adds the blocks on some days, and makes them what queries read. Returns whether the claim was held. */
    publish: (
      { timezone, workspaceId }: Fleet,
      claim: string,
      asOf: number,
      days: ReadonlyArray<number>,
      changed: ReadonlyArray<number>
    ) =>
      Effect.gen(function* () {
        // East of Greenwich the present local day may have its noon on the next UTC day.
        const kept = [...days, Math.max(...days) + 1].map(date)
        const held = yield* query(sql`UPDATE fleet_recent
          SET as_of = ${iso(asOf)}, days = ${days.map(date)}::date[], timezone = ${timezone}
          WHERE workspace_id = ${workspaceId} AND claim = ${claim}::uuid RETURNING 1`)
        if (held.length === 0) return false
        yield* query(sql`DELETE FROM fleet_block_quarters
          WHERE workspace_id = ${workspaceId} AND day <> ALL(${kept}::date[])`)
        yield* query(sql`DELETE FROM fleet_quarters WHERE workspace_id = ${workspaceId}
          AND (day = ANY(${changed.map(date)}::date[]) OR day <> ALL(${kept}::date[]))`)
        yield* query(
          sql`INSERT INTO fleet_quarters (workspace_id, metric, step, day, amounts, covered)
          SELECT ${workspaceId}, metric, step, day, array_agg(amount ORDER BY n), array_agg(covered ORDER BY n) FROM (
            SELECT f.metric, f.step, f.day, part.n, sum(part.amount)::bigint AS amount, sum(part.covered) AS covered
            FROM fleet_block_quarters f, unnest(f.amounts, f.covered) WITH ORDINALITY AS part (amount, covered, n)
            WHERE f.workspace_id = ${workspaceId} AND f.day = ANY(${changed.map(date)}::date[]) GROUP BY 1, 2, 3, 4
          ) AS summed GROUP BY metric, step, day`.unprepared
        )
        return true
      }),
    /** The sums of days, over all blocks. */
    totals: (workspaceId: string, metric: string, days: ReadonlyArray<number>) =>
      queryRows(
        SummedRow
      )(sql`SELECT step, (day - date '1970-01-01')::float8 AS day, amounts::text[] AS amounts, covered
        FROM fleet_quarters WHERE workspace_id = ${workspaceId} AND metric = ${metric} AND step = ANY(${steps}::text[])
          AND day = ANY(${days.map(date)}::date[])`)
  }
})
