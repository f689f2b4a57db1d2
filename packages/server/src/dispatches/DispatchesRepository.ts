import type { DispatchFilters, ParticipantState } from "@edp/domain/dispatches/Dispatch"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf, conditions, fewRecords, limited } from "../platform/sql/lists.ts"
import { isReady } from "../platform/jobs/isolation.ts"
import { untilTime, whileAny } from "../platform/jobs/workWait.ts"
import { query } from "../platform/sql/transaction.ts"
import { DISPATCHES } from "./dispatchLimits.ts"
import {
  DispatchRow,
  StateCount,
  dispatchColumns,
  DeviceReason,
  DispatchSiteRow,
  REASONS_SHOWN,
  type SiteReason,
  siteColumns,
  unresponsiveReasons
} from "./dispatchRow.ts"
import { queryCount, queryIds, queryRows } from "../platform/sql/rows.ts"

export type Filters = Omit<Schema.Struct.Type<typeof DispatchFilters>, "page" | "perPage">

const ParticipantsRow = Schema.Struct({ ...StateCount.fields, dispatchId: Schema.String })

const hasBegun = ({ status }: DispatchRow) => status !== "draft" && status !== "scheduled"

export const DispatchesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { isAnyOf } = conditions(sql)
  const columns = sql.literal(dispatchColumns)
  const json = (value: unknown) => sql`${JSON.stringify(value)}::json`

  const matching = (programInstanceId: string, { from, status, test, to }: Filters) =>
    sql.and([
      sql`program_instance_id = ${programInstanceId}`,
      ...isAnyOf("status", status),
      ...(test === undefined ? [] : [sql`test = ${test === "true"}`]),
      ...(from === undefined ? [] : [sql`ends_at > ${new Date(parseTimestamp(from)!)}`]),
      ...(to === undefined ? [] : [sql`starts_at < ${new Date(parseTimestamp(to)!)}`])
    ])

  return {
    list: (programInstanceId: string, filters: Filters, limit: number, offset: number) =>
      queryRows(DispatchRow)(
        sql`SELECT ${columns} FROM dispatches WHERE ${matching(programInstanceId, filters)}
        ORDER BY id DESC ${limited(sql, limit, offset)}`.unprepared
      ),
    count: (programInstanceId: string, filters: Filters) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM dispatches
          WHERE ${matching(programInstanceId, filters)}`.unprepared
      ),
    /** The participants of each dispatch by state. */
    participants: (ids: ReadonlyArray<string>) =>
      queryRows(ParticipantsRow)(sql`SELECT dispatch_id AS "dispatchId", state,
          count(*)::int AS n
        FROM dispatch_sites WHERE dispatch_id = ${anyOf(sql, ids)} GROUP BY dispatch_id, state`),
    get: (workspaceId: string, id: string) =>
      queryRows(DispatchRow)(sql`SELECT ${columns} FROM dispatches WHERE id = ${id} AND workspace_id = ${workspaceId}`),
    /** For a transaction: locks the dispatch against other changes and against the runner. */
    hold: (workspaceId: string, id: string) =>
      queryRows(DispatchRow)(sql`SELECT ${columns} FROM dispatches WHERE id = ${id} AND workspace_id = ${workspaceId}
        FOR NO KEY UPDATE`),
    /** For a transaction: locks the dispatch against changes and the runner, but not against others that hold it so. Sites opt out at the same time. */
    holdShared: (workspaceId: string, id: string) =>
      queryRows(DispatchRow)(sql`SELECT ${columns} FROM dispatches WHERE id = ${id} AND workspace_id = ${workspaceId}
        FOR SHARE`),
    insert: (row: DispatchRow) =>
      query(sql`INSERT INTO dispatches (id, workspace_id, program_instance_id, name, starts_at, ends_at, intervals,
          priority, randomize_start_seconds, voluntary, test, nominated_power_w, baseline, status, reason, due_at,
          created_at, updated_at)
        VALUES (${row.id}, ${row.workspaceId}, ${row.programInstanceId}, ${row.name}, ${row.startsAt}, ${row.endsAt},
          ${json(row.intervals)}, ${row.priority}, ${row.randomizeStartSeconds}, ${row.voluntary}, ${row.test},
          ${row.nominatedPowerW}::float8, ${json(row.baseline)}, ${row.status}, ${row.reason}, ${row.dueAt},
          ${row.createdAt}, ${row.updatedAt})`),
    /** For a transaction that holds the dispatch: stores it as it is now. When it has begun or ended, results of its sites are to be kept. */
    save: (row: DispatchRow) =>
      query(sql`UPDATE dispatches SET name = ${row.name}, starts_at = ${row.startsAt}, ends_at = ${row.endsAt},
          intervals = ${json(row.intervals)}, priority = ${row.priority},
          randomize_start_seconds = ${row.randomizeStartSeconds}, voluntary = ${row.voluntary}, test = ${row.test},
          nominated_power_w = ${row.nominatedPowerW}::float8, baseline = ${json(row.baseline)}, status = ${row.status},
          reason = ${row.reason}, due_at = ${row.dueAt}, updated_at = ${row.updatedAt},
          results_due_at = CASE WHEN status <> ${row.status} AND ${hasBegun(row)} THEN ${row.updatedAt}::timestamptz ELSE results_due_at END
        WHERE id = ${row.id}`),
    /** Dispatches that begin, end, or have devices without their settings from before. */
    due: (now: Date, limit: number) =>
      queryIds(sql`SELECT id FROM dispatches WHERE due_at <= ${now}
          AND ${isReady(sql, DISPATCHES, "dispatches.id")} ORDER BY due_at ${limited(sql, limit)}`),
    /** Milliseconds until a dispatch or one of its devices is due. A running dispatch always is: its participants may leave. */
    nextDue: untilTime(
      sql,
      sql`least((SELECT min(due_at) FROM dispatches WHERE due_at IS NOT NULL),
        (SELECT min(due_at) FROM dispatch_devices WHERE due_at > '-infinity'),
        (SELECT timestamptz 'epoch' FROM dispatches WHERE status = 'running' LIMIT 1))`
    ),
    /** 0 while a dispatch runs, else Infinity. */
    whileRunning: whileAny(sql, sql`SELECT FROM dispatches WHERE status = 'running'`),
    /** For a transaction: locks a dispatch that is still due, unless another transaction has locked it. */
    claim: (id: string, now: Date) =>
      queryRows(DispatchRow)(sql`SELECT ${columns} FROM dispatches WHERE id = ${id} AND due_at <= ${now}
        FOR NO KEY UPDATE SKIP LOCKED`)
  }
})

export interface SiteFilters {
  readonly state?: ReadonlyArray<ParticipantState> | undefined
  readonly siteId?: ReadonlyArray<string> | undefined
}

/** An enrolled site that takes part. */
export interface TakingSite {
  readonly siteId: string
  readonly customerId: string
  readonly enrollmentId: string
}

/** A site of a dispatch. */
export const SiteKey = Schema.Struct({ dispatchId: Schema.String, siteId: Schema.String })
export type SiteKey = typeof SiteKey.Type

/** A site that leaves a dispatch, and why. */
export interface LeavingSite {
  readonly siteId: string
  readonly reason: SiteReason
}

/** The beginning of a dispatch at a site. */
export interface BegunSite {
  readonly siteId: string
  readonly startsAt: Date
  readonly heldOut: boolean
  readonly state: ParticipantState
  readonly reasons: ReadonlyArray<SiteReason>
}

const ListRow = Schema.Struct({ ...DispatchSiteRow.fields, deviceCount: Schema.Finite })

/** The participants of dispatches. */
export const DispatchSitesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { isAnyOf } = conditions(sql)
  const columns = sql.literal(siteColumns)

  const matching = (dispatchId: string, { siteId, state }: SiteFilters) =>
    sql.and([sql`s.dispatch_id = ${dispatchId}`, ...isAnyOf("s.site_id", siteId), ...isAnyOf("s.state", state)])

  return {
    /** The participants of a dispatch by site id, with the number of their devices that take part. */
    list: (dispatchId: string, filters: SiteFilters, limit: number, offset: number) =>
      queryRows(ListRow)(
        sql`SELECT ${columns}, (
            SELECT count(*)::int FROM dispatch_devices v
            WHERE v.dispatch_id = s.dispatch_id AND v.site_id = s.site_id AND v.phase <> 'skipped') AS "deviceCount"
          FROM (SELECT * FROM dispatch_sites s WHERE ${matching(dispatchId, filters)}
            ORDER BY s.site_id ${limited(sql, limit, offset)}) AS s
          ORDER BY s.site_id`.unprepared
      ),
    count: (dispatchId: string, filters: SiteFilters) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM dispatch_sites s
          WHERE ${matching(dispatchId, filters)}`.unprepared
      ),
    /** Why devices of sites take no part, as many as a participant shows. */
    reasons: (dispatchId: string, siteIds: ReadonlyArray<string>) =>
      queryRows(DeviceReason)(sql`SELECT v.site_id AS "siteId", v.device_id AS "deviceId", v.code
          FROM unnest(${siteIds}::text[]) AS given (id) CROSS JOIN LATERAL (
            SELECT * FROM dispatch_devices WHERE dispatch_id = ${dispatchId} AND site_id = given.id
              AND code IS NOT NULL ORDER BY device_id ${limited(sql, REASONS_SHOWN)}) AS v
          ORDER BY v.site_id, v.device_id`),
    all: (dispatchId: string) =>
      queryRows(DispatchSiteRow)(sql`SELECT ${columns} FROM dispatch_sites s WHERE s.dispatch_id = ${dispatchId}
        ORDER BY s.site_id`),
    /**
     * For a transaction that holds the dispatch: makes the enrolled sites its participants. Sites that are no longer enrolled vanish, unless
     * they have opted out.
     */
    announce: Effect.fnUntraced(function* (dispatchId: string, sites: ReadonlyArray<TakingSite>, now: Date) {
      const given = sql`jsonb_to_recordset(${JSON.stringify(sites)}::jsonb)
        AS given ("siteId" text, "customerId" text, "enrollmentId" text)`
      yield* query(
        sql`DELETE FROM dispatch_sites WHERE dispatch_id = ${dispatchId} AND state <> 'opted_out'
        AND site_id NOT IN (SELECT "siteId" FROM ${given})`.unprepared
      )
      yield* query(
        sql`INSERT INTO dispatch_sites (dispatch_id, site_id, customer_id, enrollment_id, state, held_out, reasons,
            updated_at)
          SELECT ${dispatchId}, "siteId", "customerId", "enrollmentId", 'notified', false, '[]', ${now} FROM ${given}
          ON CONFLICT (dispatch_id, site_id) DO UPDATE SET customer_id = excluded.customer_id,
            enrollment_id = excluded.enrollment_id
          WHERE dispatch_sites.enrollment_id <> excluded.enrollment_id`.unprepared
      )
    }),
    begin: (dispatchId: string, begun: ReadonlyArray<BegunSite>, now: Date) =>
      query(
        sql`UPDATE dispatch_sites s SET starts_at = given."startsAt", held_out = given."heldOut", state = given.state,
            reasons = given.reasons, updated_at = ${now}
          FROM jsonb_to_recordset(${JSON.stringify(begun)}::jsonb)
            AS given ("siteId" text, "startsAt" timestamptz, "heldOut" boolean, state text, reasons json)
          WHERE s.dispatch_id = ${dispatchId} AND s.site_id = given."siteId"`.unprepared
      ),
    /** Ends the part of sites of a dispatch for good. Returns those that had not opted out before. */
    optOut: (dispatchId: string, sites: ReadonlyArray<LeavingSite>, now: Date) =>
      queryIds(
        sql`UPDATE dispatch_sites s SET state = 'opted_out', opted_out_at = ${now}, updated_at = ${now},
            reasons = json_build_array(given.reason)
          FROM ${fewRecords(sql, sites, `"siteId" text, reason json`)} AS given
          WHERE s.dispatch_id = ${dispatchId} AND s.site_id = given."siteId" AND s.state <> 'opted_out'
          RETURNING s.site_id AS id`.unprepared
      ),
    /**
     * Ends a dispatch at its sites. `neverBegun` is the reason of those that got no command and have none. The devices are read once:
     * a new dispatch is not in the planner's statistics, so that a join may read them again for each site.
     */
    end: (dispatchId: string, wasCancelled: boolean, neverBegun: SiteReason, now: Date) =>
      query(
        sql`WITH found AS MATERIALIZED (
          SELECT site_id, bool_or(interval_index IS NOT NULL) AS begun FROM dispatch_devices
          WHERE dispatch_id = ${dispatchId} AND (interval_index IS NOT NULL OR code IS NOT NULL) GROUP BY site_id
        )
        UPDATE dispatch_sites s SET updated_at = ${now},
          state = CASE WHEN ${wasCancelled} OR s.held_out OR s.site_id IN (SELECT site_id FROM found WHERE begun)
            THEN 'done' ELSE 'failed' END,
          reasons = CASE WHEN ${wasCancelled} OR s.held_out OR s.reasons::text <> '[]'
            OR s.site_id IN (SELECT site_id FROM found) THEN s.reasons ELSE ${JSON.stringify([neverBegun])}::json END
        WHERE s.dispatch_id = ${dispatchId} AND s.state IN ('notified', 'running')`.unprepared
      ),
    /**
     * Derives the states of sites that have begun from what their devices did. A site takes part while a device's command is open or
     * completed; one whose devices wait for their turn keeps its state.
     */
    settle: Effect.fnUntraced(function* (keys: ReadonlyArray<SiteKey>, now: Date) {
      if (keys.length === 0) return
      const given = sql`(SELECT DISTINCT "dispatchId", "siteId" FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
        AS given ("dispatchId" text, "siteId" text)) AS given`
      // One order of locks for all callers.
      yield* query(
        sql`SELECT FROM ${given} JOIN dispatch_sites s ON s.dispatch_id = given."dispatchId"
          AND s.site_id = given."siteId" ORDER BY s.dispatch_id, s.site_id FOR NO KEY UPDATE OF s`.unprepared
      )
      yield* query(
        sql`UPDATE dispatch_sites s SET state = derived.state, updated_at = ${now}
          FROM (SELECT given."dispatchId", given."siteId", CASE
              WHEN bool_or(v.outcome = 'completed' OR (v.interval_index IS NOT NULL AND v.outcome IS NULL)) THEN 'running'
              WHEN bool_or(v.outcome IS NULL) THEN NULL
              WHEN bool_or(v.code = ANY(${[...unresponsiveReasons]}::text[])) THEN 'unresponsive'
              ELSE 'failed' END AS state
            FROM ${given} JOIN dispatches d ON d.id = given."dispatchId" AND d.status = 'running'
              JOIN dispatch_devices v ON v.dispatch_id = given."dispatchId" AND v.site_id = given."siteId"
            GROUP BY 1, 2) AS derived
          WHERE s.dispatch_id = derived."dispatchId" AND s.site_id = derived."siteId" AND s.starts_at <= ${now}
            AND s.state IN ('notified', 'running', 'unresponsive', 'failed') AND s.state <> derived.state`.unprepared
      )
    }),
    /**
     * The sites of running dispatches whose enrollments have ended since the start. Each step is hidden from the planner: from the statistics
     * of all dispatches it expects many sites, and would read all enrollments.
     */
    unenrolled: queryRows(SiteKey)(sql`SELECT d.id AS "dispatchId", s.site_id AS "siteId" FROM dispatches d
        CROSS JOIN LATERAL (SELECT e.id FROM enrollments e WHERE e.program_instance_id = d.program_instance_id
          AND e.unenrolled_at >= d.starts_at OFFSET 0) AS ended
        CROSS JOIN LATERAL (SELECT site_id FROM dispatch_sites WHERE enrollment_id = ended.id AND dispatch_id = d.id
          AND state <> 'opted_out' OFFSET 0) AS s
      WHERE d.status = 'running' AND ${isReady(sql, DISPATCHES, "d.id")} ORDER BY 1, 2`)
  }
})
