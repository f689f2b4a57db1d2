import { type Baseline, type DispatchInterval, DispatchStatus, ParticipantState } from "@edp/domain/dispatches/Dispatch"
import { type BaselineDay, MissingResult } from "@edp/domain/dispatches/DispatchReport"
import { DeviceType } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { siteTypes } from "../../energy/formulas.ts"
import type { Span } from "../../energy/intervals.ts"
import { isReady } from "../../platform/jobs/isolation.ts"
import { query } from "../../platform/sql/transaction.ts"
import { JsonColumn, queryRows } from "../../platform/sql/rows.ts"
import { RESULTS } from "../dispatchLimits.ts"

export const ReportedDispatch = Schema.Struct({
  id: Schema.String,
  startsAt: Schema.Date,
  endsAt: Schema.Date,
  intervals: Schema.Array(JsonColumn<DispatchInterval>()),
  nominatedPowerW: Schema.NullOr(Schema.Finite),
  baseline: JsonColumn<Baseline>(),
  status: DispatchStatus,
  /** The time of the cancellation of a cancelled dispatch. */
  updatedAt: Schema.Date
})
export type ReportedDispatch = typeof ReportedDispatch.Type

/** A participant with what is kept of it. */
export const ReportedSite = Schema.Struct({
  siteId: Schema.String,
  state: ParticipantState,
  heldOut: Schema.Boolean,
  startsAt: Schema.NullOr(Schema.Date),
  timezone: Schema.String,
  /** Hashes of what the baseline, and of what baseline and use are computed from now. */
  history: Schema.String,
  signature: Schema.String,
  /** Whether the kept baseline and the kept use were computed from the same. */
  keepsBaseline: Schema.Boolean,
  keepsUse: Schema.Boolean,
  /** PostgreSQL array literals. */
  baseline: Schema.NullOr(Schema.String),
  baselineReason: Schema.NullOr(MissingResult),
  missing: Schema.NullOr(MissingResult),
  amounts: Schema.NullOr(Schema.String),
  covered: Schema.NullOr(Schema.String),
  exported: Schema.NullOr(Schema.String)
})
export type ReportedSite = typeof ReportedSite.Type

/** Participants by site id: the next ones after a site, or given ones. */
export type SitesQuestion =
  | { readonly after: string; readonly limit: number; readonly onlyHeldOut: boolean }
  | { readonly siteIds: ReadonlyArray<string> }

/** The instants and the span that results of sites depend on, besides their devices. */
export interface ResultsQuestion {
  readonly workspaceId: string
  readonly dispatchId: string
  /** The span in which other dispatches and outages count. */
  readonly disturbed: Span
  /** Readings after these instants change no baseline, and no use. */
  readonly historyUntil: number
  readonly useUntil: number
}

/** A result to keep; a part that is not final is null. Lists are PostgreSQL array literals. */
export interface KeptResult {
  readonly siteId: string
  readonly history: string | null
  /** Null keeps those that are stored with the same history. */
  readonly days: ReadonlyArray<BaselineDay> | null
  readonly baseline: string | null
  readonly baselineReason: MissingResult | null
  readonly signature: string | null
  readonly missing: MissingResult | null
  readonly amounts: string | null
  readonly covered: string | null
  readonly exported: string | null
}

const SiteDaysRow = Schema.Struct({ siteId: Schema.String, days: JsonColumn<ReadonlyArray<BaselineDay>>() })
const DueRow = Schema.Struct({ id: Schema.String, workspaceId: Schema.String })

/** A part of every hash: a higher number makes all kept results obsolete, as a change of their computation must. */
const COMPUTATION = 1

export const ReportedDevice = Schema.Struct({
  id: Schema.String,
  type: DeviceType,
  siteId: Schema.String,
  /** Milliseconds since 1970. */
  firstAt: Schema.NullOr(Schema.Finite),
  disconnectedAt: Schema.NullOr(Schema.Finite)
})
export type ReportedDevice = typeof ReportedDevice.Type

export const DisturbanceRow = Schema.Struct({
  siteId: Schema.String,
  reason: Schema.Literals(["dispatch", "outage"]),
  from: Schema.Finite,
  to: Schema.Finite
})
export type DisturbanceRow = typeof DisturbanceRow.Type

const iso = (at: number) => new Date(at).toISOString()

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const milliseconds = (at: Statement.Fragment) => sql`round(date_part('epoch', ${at}) * 1000)::float8`
  const deviceColumns = sql`d.id, d.type, ${milliseconds(sql`least(s.first_at, s.first_dropped_at)`)} AS "firstAt",
    ${milliseconds(sql`d.disconnected_at`)} AS "disconnectedAt"`

  /**
   * The other dispatches in which sites took part, and failures of the grid, in a span. Sources note that a site has lost the grid with
   * alerts of these two types; those of severity INFO say that it may. One that is still open lasts until the end of the span.
   */
  const disturbances = (workspaceId: string, dispatchId: string, sites: Statement.Fragment, { from, to }: Span) => {
    const [start, end] = [new Date(from), new Date(to)]
    const isOutage = sql`a.type IN ('GRID_STATUS', 'ISLANDING') AND a.severity <> 'INFO' AND a.status <> 'IGNORED'
      AND a.created_at < ${end} AND (a.status <> 'RESOLVED' OR a.resolved_at > ${start})`
    const outage = sql`'outage' AS reason, ${milliseconds(sql`a.created_at`)} AS "from",
      CASE a.status WHEN 'RESOLVED' THEN ${milliseconds(sql`a.resolved_at`)} ELSE ${to}::float8 END AS "to"`
    return sql`SELECT p.site_id AS "siteId", 'dispatch' AS reason,
        ${milliseconds(sql`p.starts_at`)} AS "from", ${milliseconds(sql`coalesce(p.opted_out_at, o.ends_at)`)} AS "to"
      FROM ${sites} AS site (id)
        CROSS JOIN LATERAL (SELECT * FROM dispatch_sites WHERE site_id = site.id AND dispatch_id <> ${dispatchId}
          AND NOT held_out AND state NOT IN ('notified', 'failed') AND starts_at < ${end} OFFSET 0) AS p
        JOIN dispatches o ON o.id = p.dispatch_id
      WHERE o.workspace_id = ${workspaceId} AND p.starts_at < coalesce(p.opted_out_at, o.ends_at)
        AND coalesce(p.opted_out_at, o.ends_at) > ${start}
      UNION ALL SELECT a.site_id, ${outage} FROM alerts a
      WHERE a.workspace_id = ${workspaceId} AND a.site_id IN ${sites} AND ${isOutage}
      UNION ALL SELECT d.site_id, ${outage} FROM devices d
        JOIN alerts a ON a.device_id = d.id AND a.workspace_id = ${workspaceId} AND a.site_id IS NULL
      WHERE d.workspace_id = ${workspaceId} AND d.site_id IN ${sites} AND ${isOutage}`
  }

  return {
    dispatch: (workspaceId: string, id: string) =>
      queryRows(ReportedDispatch)(sql`SELECT id, starts_at AS "startsAt", ends_at AS "endsAt", intervals,
          nominated_power_w AS "nominatedPowerW", baseline, status, updated_at AS "updatedAt"
        FROM dispatches WHERE id = ${id} AND workspace_id = ${workspaceId}`).pipe(Effect.map(([row]) => row)),
    /**
     * Participants with the time zone of their days and what is kept of them. What belongs to a site is looked up for each (OFFSET 0): by the
     * statistics, a new dispatch has a few sites, and a join would compare each site with all devices or results.
     */
    sites: (question: SitesQuestion, on: ResultsQuestion) => {
      const { dispatchId, disturbed, historyUntil, useUntil, workspaceId } = on
      const chosen =
        "siteIds" in question
          ? sql`p.site_id = ANY(${question.siteIds}::text[]) ORDER BY p.site_id`
          : sql`p.site_id > ${question.after} AND (p.held_out OR NOT ${question.onlyHeldOut})
            ORDER BY p.site_id LIMIT ${question.limit}`
      /** The newest reading counts as long as a newer one can change what lies before an instant. */
      const settled = (until: number) => sql`CASE WHEN isempty(s.stale) AND isempty(s.rolling)
        AND s.settled_until >= ${iso(until)}::timestamptz THEN NULL ELSE s.at END`
      const hashes = (part: string) => {
        const hash = (until: number) => sql`hash_record_extended(ROW(${sql.literal(`'${part}'::text`)}, d.id, d.type,
          least(s.first_at, s.first_dropped_at), d.disconnected_at, d.static_state, s.late_readings, ${settled(until)}), 0)`
        return sql`${hash(historyUntil)} AS history, ${hash(useUntil)} AS signature`
      }
      return queryRows(ReportedSite)(
        sql`WITH site AS MATERIALIZED (
          SELECT p.site_id, p.state, p.held_out, p.starts_at, coalesce(sites.timezone, workspaces.timezone) AS timezone
          FROM dispatch_sites p JOIN workspaces ON workspaces.id = ${workspaceId}
            LEFT JOIN sites ON sites.id = p.site_id AND sites.workspace_id = workspaces.id
          WHERE p.dispatch_id = ${dispatchId} AND ${chosen}
        ), device AS (
          SELECT site_id, sum(history) AS history, sum(signature) AS signature FROM (
            SELECT d.site_id, ${hashes("grid")} FROM devices d LEFT JOIN device_states s ON s.device_id = d.id
            WHERE d.site_id IN (SELECT site_id FROM site) AND d.workspace_id = ${workspaceId}
              AND d.type = ANY(${siteTypes("grid")}::text[])
            UNION ALL SELECT site.site_id, ${hashes("battery")}
            FROM site CROSS JOIN LATERAL (SELECT device_id FROM dispatch_devices
                WHERE dispatch_id = ${dispatchId} AND site_id = site.site_id AND type = 'battery' OFFSET 0) AS p
              JOIN devices d ON d.id = p.device_id LEFT JOIN device_states s ON s.device_id = d.id
            WHERE d.workspace_id = ${workspaceId}
          ) AS hashed GROUP BY site_id
        ), disturbance AS (
          SELECT "siteId" AS site_id, sum(hash_record_extended(ROW(reason, "from", "to"), 0)) AS hash
          FROM (${disturbances(workspaceId, dispatchId, sql`(SELECT site_id FROM site)`, disturbed)}) AS found GROUP BY 1
        )
        SELECT site.site_id AS "siteId", state, held_out AS "heldOut", starts_at AS "startsAt", timezone,
          present.history::text AS history, present.signature::text AS signature,
          coalesce(k.history = present.history AND k.days IS NOT NULL, false) AS "keepsBaseline",
          coalesce(k.signature = present.signature, false) AS "keepsUse",
          k.baseline::text AS baseline, k.baseline_reason AS "baselineReason", k.missing, k.amounts::text AS amounts,
          k.covered::text AS covered, k.exported::text AS exported
        FROM site LEFT JOIN device USING (site_id) LEFT JOIN disturbance USING (site_id)
          CROSS JOIN LATERAL (SELECT ${sql.literal(`${COMPUTATION}`)} AS computation) AS version
          CROSS JOIN LATERAL (SELECT
            hash_record_extended(ROW(computation, timezone, device.history, disturbance.hash), 0) AS history,
            hash_record_extended(ROW(computation, timezone, device.signature, disturbance.hash), 0) AS signature) AS present
          LEFT JOIN LATERAL (SELECT * FROM dispatch_results
            WHERE dispatch_id = ${dispatchId} AND site_id = site.site_id OFFSET 0) AS k ON true
        ORDER BY site.site_id`.unprepared
      )
    },
    /** The days that the kept baselines of sites were computed from. */
    days: (dispatchId: string, siteIds: ReadonlyArray<string>) =>
      queryRows(SiteDaysRow)(sql`SELECT site_id AS "siteId", days FROM dispatch_results
        WHERE dispatch_id = ${dispatchId} AND site_id = ANY(${siteIds}::text[]) AND days IS NOT NULL`).pipe(
        Effect.map((rows) => new Map(rows.map(({ days, siteId }) => [siteId, days])))
      ),
    keep: (dispatchId: string, results: ReadonlyArray<KeptResult>) =>
      query(
        sql`INSERT INTO dispatch_results (dispatch_id, site_id, history, days, baseline, baseline_reason, signature, missing,
          amounts, covered, exported)
        SELECT ${dispatchId}, given."siteId", history, days, baseline::bigint[], "baselineReason", signature, missing,
          amounts::bigint[], covered::int[], exported
        FROM jsonb_to_recordset(${JSON.stringify(results)}::jsonb) AS given ("siteId" text, history bigint, days json,
            baseline text, "baselineReason" text, signature bigint, missing text, amounts text, covered text, exported bigint)
          JOIN dispatch_sites p ON p.dispatch_id = ${dispatchId} AND p.site_id = given."siteId"
        ORDER BY p.site_id
        ON CONFLICT (dispatch_id, site_id) DO UPDATE SET history = excluded.history,
          days = CASE WHEN excluded.days IS NOT NULL THEN excluded.days
            WHEN dispatch_results.history = excluded.history THEN dispatch_results.days END,
          baseline = excluded.baseline, baseline_reason = excluded.baseline_reason, signature = excluded.signature,
          missing = excluded.missing, amounts = excluded.amounts, covered = excluded.covered, exported = excluded.exported`
          .unprepared
      ),
    /** Claims the dispatch whose results are due first, until an instant. */
    claimDue: (now: Date, until: Date) =>
      queryRows(DueRow)(sql`UPDATE dispatches SET results_due_at = ${until} WHERE id = (
          SELECT id FROM dispatches WHERE results_due_at <= ${now} AND ${isReady(sql, RESULTS, "dispatches.id")}
          ORDER BY results_due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING id, workspace_id AS "workspaceId"`).pipe(Effect.map(([row]) => row)),
    /** Sets when the results of a claimed dispatch are due again, unless the dispatch has begun or ended meanwhile. */
    setDue: (id: string, claimedUntil: Date, dueAt: Date | null) =>
      query(sql`UPDATE dispatches SET results_due_at = ${dueAt} WHERE id = ${id} AND results_due_at = ${claimedUntil}`),
    /** Dispatches whose results are due later than that are due now. */
    limitWaits: (now: Date, longestMs: number) =>
      query(sql`UPDATE dispatches SET results_due_at = ${now}
        WHERE results_due_at > ${now}::timestamptz + ${longestMs}::float8 * interval '1 millisecond'`),
    /** The devices of some types at sites. */
    devicesAt: (workspaceId: string, siteIds: ReadonlyArray<string>, types: ReadonlyArray<DeviceType>) =>
      queryRows(ReportedDevice)(sql`SELECT ${deviceColumns}, d.site_id AS "siteId"
        FROM devices d LEFT JOIN device_states s ON s.device_id = d.id
        WHERE d.workspace_id = ${workspaceId} AND d.site_id = ANY(${siteIds}::text[]) AND d.type = ANY(${types}::text[])
        ORDER BY d.id`),
    /** The batteries that a dispatch has found at sites. */
    batteries: (workspaceId: string, dispatchId: string, siteIds: ReadonlyArray<string>) =>
      queryRows(ReportedDevice)(sql`SELECT ${deviceColumns}, p.site_id AS "siteId"
        FROM dispatch_devices p JOIN devices d ON d.id = p.device_id LEFT JOIN device_states s ON s.device_id = d.id
        WHERE p.dispatch_id = ${dispatchId} AND p.site_id = ANY(${siteIds}::text[]) AND p.type = 'battery'
          AND d.workspace_id = ${workspaceId}
        ORDER BY d.id`),
    disturbances: (workspaceId: string, dispatchId: string, siteIds: ReadonlyArray<string>, span: Span) =>
      queryRows(DisturbanceRow)(disturbances(workspaceId, dispatchId, sql`(SELECT unnest(${siteIds}::text[]))`, span))
  }
})

/** Reads what reports of dispatches need besides energies, and keeps what they have computed of sites. */
export class DispatchReportsRepository extends Context.Service<
  DispatchReportsRepository,
  Effect.Success<typeof make>
>()("@edp/server/DispatchReportsRepository") {
  static readonly layer = Layer.effect(DispatchReportsRepository, make)
}
