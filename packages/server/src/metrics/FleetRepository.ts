import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Span } from "../energy/intervals.ts"
import { fleetBlocks } from "./fleetBlockTable.ts"
import { limited } from "../platform/sql/lists.ts"
import { isReady } from "../platform/jobs/isolation.ts"
import { query } from "../platform/sql/transaction.ts"
import { MetricDeviceRow, type SelectedDevice, selected } from "./MetricsRepository.ts"
import { rollupLimits } from "./rollupLimits.ts"
import { queryRows } from "../platform/sql/rows.ts"

/** A workspace with enough devices for kept sums. */
export const Fleet = Schema.Struct({
  workspaceId: Schema.String,
  /** The number of blocks that its sites are divided into, a power of two. */
  blocks: Schema.Finite,
  timezone: Schema.String
})
export type Fleet = typeof Fleet.Type

/** The present state of a block of sites. Only devices of the requested types, and their sites, are counted. */
export const Block = Schema.Struct({
  block: Schema.Finite,
  signature: Schema.String,
  devices: Schema.Finite,
  sites: Schema.Finite,
  /** The number of sites with a device that reports throughout the span. */
  whole: Schema.Finite,
  /** The reporting times of the devices of each other site. */
  partial: Schema.Array(Schema.Array(Schema.Tuple([Schema.Finite, Schema.Finite]))),
  /** Sites with unrolled readings that may change the kept span. */
  unsettled: Schema.Array(Schema.String),
  /** The first reading of all devices, milliseconds since 1970; null without readings. */
  firstAt: Schema.NullOr(Schema.Finite)
})
export type Block = typeof Block.Type

export interface BlockQuestion {
  readonly fleet: Fleet
  readonly types: ReadonlyArray<DeviceType>
  /** The requested span. */
  readonly span: Span
  /** The part of it that kept sums may cover. */
  readonly kept: Span
  readonly now: number
  /** Only blocks from the first to the last of these; all by default. */
  readonly among?: ReadonlyArray<number>
}

/** The sum of a bucket: the amount in µWh, the covered milliseconds, and the number of terms in each. */
export const FleetSum = Schema.Struct({
  amount: Schema.BigInt,
  amounts: Schema.Finite,
  covered: Schema.Finite,
  covers: Schema.Finite
})
export type FleetSum = typeof FleetSum.Type

const KeptSum = Schema.Struct({
  ...Struct.omit(FleetSum.fields, ["amount"]),
  interval: Schema.Finite,
  amount: Schema.String,
  /** The blocks in the sum; null for all. */
  blocks: Schema.NullOr(Schema.Array(Schema.Finite))
})
type KeptSum = typeof KeptSum.Type

export interface BlockSum extends FleetSum, Span {
  readonly metric: MetricName
}

export interface BlockDevice extends SelectedDevice {
  readonly block: number
}

/** The work, as its failing workspaces are stored under. */
export const SUMS = "sums of fleets"

const LEASE = `${rollupLimits.fleetLeaseSeconds} seconds`

const iso = (at: number) => new Date(at).toISOString()

const DevicesWhereRow = Schema.Struct({ ...MetricDeviceRow.fields, block: Schema.Finite })
const WorkspaceIdDevicesRow = Schema.Struct({ workspaceId: Schema.String, devices: Schema.Finite })
const BlockBucketsRow = Schema.Struct({ block: Schema.Finite, buckets: Schema.Finite })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { blockSql, isAmong, milliseconds, site } = fleetBlocks(sql)

  const devicesWhere = (
    { blocks, workspaceId }: Fleet,
    types: ReadonlyArray<DeviceType>,
    condition: Statement.Fragment
  ) =>
    queryRows(DevicesWhereRow)(
      sql`SELECT d.id, d.type, d.site_id AS "siteId", ${blockSql(site, blocks)} AS block,
          ${milliseconds(sql`least(s.first_at, s.first_dropped_at)`)} AS "firstAt",
          ${milliseconds(sql`d.disconnected_at`)} AS "disconnectedAt"
        FROM devices d LEFT JOIN device_states s ON s.device_id = d.id
        WHERE d.workspace_id = ${workspaceId} AND d.type = ANY(${types}::text[]) AND ${condition}`.unprepared
    )

  return {
    /** The fleet of a workspace, where sums are kept of it. */
    find: (workspaceId: string) =>
      queryRows(Fleet)(sql`SELECT workspace_id AS "workspaceId", blocks, timezone FROM fleets
        WHERE workspace_id = ${workspaceId}`).pipe(Effect.map(([fleet]) => fleet)),
    /** All fleets whose work is not put off: there are few. */
    all: queryRows(Fleet)(sql`SELECT workspace_id AS "workspaceId", blocks, timezone FROM fleets
        WHERE ${isReady(sql, SUMS, "fleets.workspace_id")} ORDER BY workspace_id LIMIT 10000`),
    /** The numbers of devices of the next workspaces after an id, of those that have had any. */
    deviceCounts: (after: string, limit: number) =>
      queryRows(WorkspaceIdDevicesRow)(sql`
        SELECT workspace_id AS "workspaceId", sum(devices)::int AS devices FROM workspace_device_counts
        WHERE workspace_id > ${after} AND ${isReady(sql, SUMS, "workspace_device_counts.workspace_id")} GROUP BY workspace_id ORDER BY workspace_id ${limited(sql, limit)}`),
    /** Claims a fleet unless another instance has. The number of blocks only changes when it is off by more than a factor of 4. */
    claim: (workspaceId: string, claim: string, holder: string, blocks: number) =>
      queryRows(Fleet)(sql`INSERT INTO fleets AS f (workspace_id, blocks, timezone, claimed_at, claim, holder)
        SELECT id, ${blocks}, timezone, now(), ${claim}::uuid, ${holder}::uuid FROM workspaces WHERE id = ${workspaceId}
        ON CONFLICT (workspace_id) DO UPDATE SET claimed_at = now(), claim = excluded.claim,
          holder = excluded.holder, timezone = excluded.timezone,
          blocks = CASE WHEN excluded.blocks BETWEEN f.blocks / 4 AND f.blocks * 4 THEN f.blocks ELSE excluded.blocks END
        WHERE f.claimed_at IS NULL OR f.claimed_at < now() - ${LEASE}::interval
        RETURNING workspace_id AS "workspaceId", blocks, timezone`).pipe(Effect.map(([fleet]) => fleet)),
    /** Ends the claims of a process that is gone. There are few fleets. */
    endLeases: (holder: string) =>
      query(
        sql`UPDATE fleets SET claimed_at = NULL, claim = NULL WHERE holder = ${holder}::uuid AND claim IS NOT NULL`
      ),
    /** Returns whether the claim is held. */
    renew: (workspaceId: string, claim: string) =>
      query(sql`UPDATE fleets SET claimed_at = now() WHERE workspace_id = ${workspaceId} AND claim = ${claim}::uuid
        RETURNING 1`).pipe(Effect.map((rows) => rows.length > 0)),
    release: (workspaceId: string, claim: string) =>
      query(sql`UPDATE fleets SET claimed_at = NULL, claim = NULL
        WHERE workspace_id = ${workspaceId} AND claim = ${claim}::uuid`),
    blocks: ({ among, fleet, kept, now, span, types }: BlockQuestion) =>
      queryRows(Block)(
        sql`WITH device AS (
          SELECT ${site} AS site, d.type = ANY(${types}::text[]) AS counted, first_ever,
            hash_record_extended(ROW(d.id, d.type, d.site_id, first_ever, d.disconnected_at, s.rollup_revision), 0) AS hash,
            least(d.disconnected_at, ${iso(now)}::timestamptz) AS until,
            s.at >= ${iso(kept.from)} AND NOT (isempty(s.stale) AND isempty(s.rolling)
              AND coalesce(s.settled_until >= ${iso(kept.to)}, false)) AS unsettled
          FROM devices d LEFT JOIN device_states s ON s.device_id = d.id,
            LATERAL (SELECT least(s.first_at, s.first_dropped_at) AS first_ever) AS ever
          WHERE d.workspace_id = ${fleet.workspaceId} AND ${among === undefined ? sql.literal("true") : isAmong(fleet.blocks, among)}
        ), site AS (
          SELECT site, sum(hash) AS hash, min(first_ever) AS first_ever, count(*) FILTER (WHERE counted) AS devices,
            coalesce(bool_or(counted AND first_ever <= ${iso(span.from)} AND until >= ${iso(Math.min(span.to, now))}), false) AS whole,
            coalesce(bool_or(counted AND unsettled), false) AS unsettled,
            jsonb_agg(jsonb_build_array(${milliseconds(sql`first_ever`)}, ${milliseconds(sql`until`)}))
              FILTER (WHERE counted AND first_ever IS NOT NULL
                AND NOT (first_ever <= ${iso(span.from)} AND until >= ${iso(Math.min(span.to, now))})) AS partial
          FROM device GROUP BY site
        )
        SELECT ${blockSql(sql`site`, fleet.blocks)} AS block, sum(hash)::text AS signature, sum(devices)::int AS devices,
          (count(*) FILTER (WHERE devices > 0))::int AS sites, (count(*) FILTER (WHERE whole))::int AS whole,
          coalesce(jsonb_agg(partial) FILTER (WHERE NOT whole AND partial IS NOT NULL), '[]') AS partial,
          coalesce(array_agg(site) FILTER (WHERE unsettled), '{}') AS unsettled, ${milliseconds(sql`min(first_ever)`)} AS "firstAt"
        FROM site GROUP BY 1 ORDER BY 1`.unprepared
      ),
    /** The kept sums of the buckets between neighbouring bounds, over blocks with an unchanged signature. */
    sums: ({ workspaceId }: Fleet, metric: MetricName, blocks: ReadonlyArray<Block>, bounds: ReadonlyArray<number>) =>
      queryRows(KeptSum)(
        sql`SELECT bucket.n::int - 1 AS interval, sum(f.amount)::text AS amount, sum(f.amounts)::int AS amounts,
            sum(f.covered) AS covered, sum(f.covers)::int AS covers,
            CASE WHEN count(*) < ${blocks.length} THEN array_agg(f.block) END AS blocks
          FROM unnest(${bounds.slice(0, -1).map(iso)}::timestamptz[], ${bounds.slice(1).map(iso)}::timestamptz[])
              WITH ORDINALITY AS bucket (starts_at, ends_at, n)
            JOIN fleet_sums f ON f.workspace_id = ${workspaceId} AND f.metric = ${metric}
              AND f.starts_at = bucket.starts_at AND f.ends_at = bucket.ends_at
            JOIN unnest(${blocks.map(({ block }) => block)}::int[], ${blocks.map(({ signature }) => signature)}::numeric[])
              AS block (block, signature) ON f.block = block.block AND f.signature = block.signature
          GROUP BY bucket.n`.unprepared
      ),
    /** The number of buckets of which each block has valid sums. All metrics of a block are saved together. */
    complete: ({ workspaceId }: Fleet, blocks: ReadonlyArray<Block>, bounds: ReadonlyArray<number>) =>
      queryRows(BlockBucketsRow)(
        sql`
        SELECT f.block, count(DISTINCT f.starts_at)::int AS buckets
        FROM unnest(${bounds.slice(0, -1).map(iso)}::timestamptz[], ${bounds.slice(1).map(iso)}::timestamptz[])
            AS bucket (starts_at, ends_at)
          JOIN fleet_sums f ON f.workspace_id = ${workspaceId} AND f.starts_at = bucket.starts_at AND f.ends_at = bucket.ends_at
          JOIN unnest(${blocks.map(({ block }) => block)}::int[], ${blocks.map(({ signature }) => signature)}::numeric[])
            AS block (block, signature) ON f.block = block.block AND f.signature = block.signature
        GROUP BY f.block`.unprepared
      ),
    devicesOfBlocks: (fleet: Fleet, types: ReadonlyArray<DeviceType>, blocks: ReadonlyArray<number>, now: number) =>
      devicesWhere(
        fleet,
        types,
        sql`${isAmong(fleet.blocks, blocks)} AND ${blockSql(site, fleet.blocks)} = ANY(${blocks}::int[])`
      ).pipe(
        Effect.map((rows) => rows.map(({ block, ...row }): BlockDevice => ({ block, ...selected(row, new Date(now)) })))
      ),
    devicesOfSites: (fleet: Fleet, types: ReadonlyArray<DeviceType>, sites: ReadonlyArray<string>, now: number) =>
      devicesWhere(
        fleet,
        types,
        sql`(d.site_id = ANY(${sites}::text[]) OR d.site_id IS NULL AND d.id = ANY(${sites}::text[]))`
      ).pipe(
        Effect.map((rows) => rows.map(({ block, ...row }): BlockDevice => ({ block, ...selected(row, new Date(now)) })))
      ),
    save: ({ workspaceId }: Fleet, { block, signature }: Block, sums: ReadonlyArray<BlockSum>) =>
      query(sql`INSERT INTO fleet_sums (workspace_id, metric, starts_at, ends_at, block, signature, amount, amounts, covered, covers)
        SELECT ${workspaceId}, metric, starts_at, ends_at, ${block}, ${signature}::numeric, amount, amounts, covered, covers FROM unnest(
          ${sums.map(({ metric }) => metric)}::text[],
          ${sums.map(({ from }) => iso(from))}::timestamptz[],
          ${sums.map(({ to }) => iso(to))}::timestamptz[],
          ${sums.map(({ amount }) => `${amount}`)}::numeric[],
          ${sums.map(({ amounts }) => amounts)}::int[],
          ${sums.map(({ covered }) => `${covered}`)}::float8[],
          ${sums.map(({ covers }) => covers)}::int[]
        ) AS sum (metric, starts_at, ends_at, amount, amounts, covered, covers)
        ON CONFLICT (workspace_id, metric, starts_at, ends_at, block) DO UPDATE SET signature = excluded.signature,
          amount = excluded.amount, amounts = excluded.amounts, covered = excluded.covered, covers = excluded.covers`),
    /** Deletes sums that are not kept any more. */
    dropOld: ({ blocks, workspaceId }: Fleet, before: number) =>
      query(sql`DELETE FROM fleet_sums WHERE workspace_id = ${workspaceId}
        AND (starts_at < ${iso(before)} OR block >= ${blocks})`)
  }
})

/** Reads and writes the kept sums of large workspaces. */
export class FleetRepository extends Context.Service<FleetRepository, Effect.Success<typeof make>>()(
  "@edp/server/metrics/FleetRepository"
) {
  static readonly layer = Layer.effect(FleetRepository, make)
}
