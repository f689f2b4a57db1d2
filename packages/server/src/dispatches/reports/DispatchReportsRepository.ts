import { type Baseline, type DispatchInterval, DispatchStatus, ParticipantState } from "@edp/domain/dispatches/Dispatch"
import { DeviceType } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Span } from "../../energy/intervals.ts"
import { query } from "../../platform/sql/transaction.ts"
import { JsonColumn, decodeRows } from "../../platform/sql/rows.ts"

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

export const ReportedSite = Schema.Struct({
  siteId: Schema.String,
  state: ParticipantState,
  heldOut: Schema.Boolean,
  startsAt: Schema.NullOr(Schema.Date),
  timezone: Schema.String
})
export type ReportedSite = typeof ReportedSite.Type

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

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const milliseconds = (at: Statement.Fragment) => sql`round(date_part('epoch', ${at}) * 1000)::float8`
  const deviceColumns = sql`d.id, d.type, ${milliseconds(sql`least(s.first_at, s.first_dropped_at)`)} AS "firstAt",
    ${milliseconds(sql`d.disconnected_at`)} AS "disconnectedAt"`

  return {
    dispatch: (workspaceId: string, id: string) =>
      query(
        decodeRows(ReportedDispatch)(sql`SELECT id, starts_at AS "startsAt", ends_at AS "endsAt", intervals,
          nominated_power_w AS "nominatedPowerW", baseline, status, updated_at AS "updatedAt"
        FROM dispatches WHERE id = ${id} AND workspace_id = ${workspaceId}`)
      ).pipe(Effect.map(([row]) => row)),
    /** The next participants after a site, by site id, with the time zone of their days. */
    sites: (dispatchId: string, after: string, limit: number, onlyHeldOut: boolean) =>
      query(
        decodeRows(
          ReportedSite
        )(sql`SELECT p.site_id AS "siteId", p.state, p.held_out AS "heldOut", p.starts_at AS "startsAt",
          coalesce(sites.timezone, workspaces.timezone) AS timezone
        FROM dispatch_sites p JOIN dispatches ON dispatches.id = p.dispatch_id
          JOIN workspaces ON workspaces.id = dispatches.workspace_id
          LEFT JOIN sites ON sites.id = p.site_id AND sites.workspace_id = dispatches.workspace_id
        WHERE p.dispatch_id = ${dispatchId} AND p.site_id > ${after} AND (p.held_out OR NOT ${onlyHeldOut})
        ORDER BY p.site_id LIMIT ${limit}`)
      ),
    /** The devices of some types at sites. */
    devicesAt: (workspaceId: string, siteIds: ReadonlyArray<string>, types: ReadonlyArray<DeviceType>) =>
      query(
        decodeRows(ReportedDevice)(sql`SELECT ${deviceColumns}, d.site_id AS "siteId"
        FROM devices d LEFT JOIN device_states s ON s.device_id = d.id
        WHERE d.workspace_id = ${workspaceId} AND d.site_id = ANY(${siteIds}::text[]) AND d.type = ANY(${types}::text[])
        ORDER BY d.id`)
      ),
    /** The batteries that a dispatch has found at sites. */
    batteries: (workspaceId: string, dispatchId: string, siteIds: ReadonlyArray<string>) =>
      query(
        decodeRows(ReportedDevice)(sql`SELECT ${deviceColumns}, p.site_id AS "siteId"
        FROM dispatch_devices p JOIN devices d ON d.id = p.device_id LEFT JOIN device_states s ON s.device_id = d.id
        WHERE p.dispatch_id = ${dispatchId} AND p.site_id = ANY(${siteIds}::text[]) AND p.type = 'battery'
          AND d.workspace_id = ${workspaceId}
        ORDER BY d.id`)
      ),
    /**
     * The other dispatches in which sites took part, and failures of the grid, in a span. Sources note that a site has lost the grid with
     * alerts of these two types; those of severity INFO say that it may. One that is still open lasts until now.
     */
    disturbances: (workspaceId: string, dispatchId: string, siteIds: ReadonlyArray<string>, { from, to }: Span) => {
      const [start, end] = [new Date(from), new Date(to)]
      const isOutage = sql`a.type IN ('GRID_STATUS', 'ISLANDING') AND a.severity <> 'INFO' AND a.status <> 'IGNORED'
        AND a.created_at < ${end} AND (a.status <> 'RESOLVED' OR a.resolved_at > ${start})`
      const outage = sql`'outage' AS reason, ${milliseconds(sql`a.created_at`)} AS "from",
        CASE a.status WHEN 'RESOLVED' THEN ${milliseconds(sql`a.resolved_at`)} ELSE ${to}::float8 END AS "to"`
      return query(
        decodeRows(DisturbanceRow)(sql`SELECT p.site_id AS "siteId", 'dispatch' AS reason,
          ${milliseconds(sql`p.starts_at`)} AS "from", ${milliseconds(sql`coalesce(p.opted_out_at, o.ends_at)`)} AS "to"
        FROM dispatch_sites p JOIN dispatches o ON o.id = p.dispatch_id
        WHERE p.site_id = ANY(${siteIds}::text[]) AND p.dispatch_id <> ${dispatchId} AND o.workspace_id = ${workspaceId}
          AND NOT p.held_out AND p.state NOT IN ('notified', 'failed')
          AND p.starts_at < coalesce(p.opted_out_at, o.ends_at) AND p.starts_at < ${end}
          AND coalesce(p.opted_out_at, o.ends_at) > ${start}
        UNION ALL SELECT a.site_id, ${outage} FROM alerts a
        WHERE a.workspace_id = ${workspaceId} AND a.site_id = ANY(${siteIds}::text[]) AND ${isOutage}
        UNION ALL SELECT d.site_id, ${outage} FROM devices d
          JOIN alerts a ON a.device_id = d.id AND a.workspace_id = ${workspaceId} AND a.site_id IS NULL
        WHERE d.workspace_id = ${workspaceId} AND d.site_id = ANY(${siteIds}::text[]) AND ${isOutage}`)
      )
    }
  }
})

/** Reads what reports of dispatches need besides energies. */
export class DispatchReportsRepository extends Context.Service<
  DispatchReportsRepository,
  Effect.Success<typeof make>
>()("@edp/server/DispatchReportsRepository") {
  static readonly layer = Layer.effect(DispatchReportsRepository, make)
}
