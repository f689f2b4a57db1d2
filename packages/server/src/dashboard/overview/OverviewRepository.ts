import type { AlertRules } from "@edp/domain/alerts/AlertConfiguration"
import { OVERVIEW_ITEMS } from "@edp/domain/dashboard/Overview"
import { DestinationType } from "@edp/domain/destinations/Destination"
import { DeviceType } from "@edp/domain/devices/DeviceType"
import { DispatchStatus } from "@edp/domain/dispatches/Dispatch"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { BY_OPERATOR } from "../../destinations/destinationRules.ts"
import { reachabilitySql } from "../../devices/criteria/reachabilitySql.ts"
import { TimestampColumn, queryRows } from "../../platform/sql/rows.ts"
import { fleetSql } from "../fleet/FleetRepository.ts"
import { powerSql } from "./powerSql.ts"
import { PowerRow } from "./overviewFigures.ts"

const counted = { total: Schema.Finite }
const text = Schema.String
const textOrNull = Schema.NullOr(Schema.String)

const AlertItem = Schema.Struct({
  ...counted,
  id: text,
  title: text,
  deviceId: textOrNull,
  deviceName: textOrNull,
  siteName: textOrNull,
  createdAt: TimestampColumn
})
const AccountItem = Schema.Struct({
  ...counted,
  id: text,
  name: text,
  manufacturer: text,
  since: Schema.NullOr(TimestampColumn)
})
const DestinationItem = Schema.Struct({
  ...counted,
  id: text,
  label: textOrNull,
  destinationType: DestinationType,
  failingSince: Schema.NullOr(TimestampColumn),
  deactivated: Schema.Boolean
})
const DeviceItem = Schema.Struct({
  ...counted,
  id: text,
  name: text,
  type: DeviceType,
  siteName: textOrNull,
  lastReportedAt: TimestampColumn
})
const DispatchItem = Schema.Struct({
  id: text,
  name: text,
  status: DispatchStatus,
  startsAt: TimestampColumn,
  endsAt: TimestampColumn
})
const ScheduleItem = Schema.Struct({
  ...counted,
  id: text,
  name: text,
  deviceId: textOrNull,
  deviceType: DeviceType,
  nextTransitionAt: TimestampColumn
})
const WorkspaceRow = Schema.Struct({ devices: Schema.Finite, timezone: Schema.String })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { openAlerts, stateJoins } = fleetSql(sql)
  const { isNotAsleep, isRecent } = reachabilitySql(sql)
  const siteName = sql.literal("coalesce(sites.name, sites.street_one || ', ' || sites.city)")

  return {
    power: (workspaceId: string, now: Date) =>
      queryRows(PowerRow)(powerSql(sql, workspaceId, now).unprepared).pipe(Effect.map(([row]) => row!)),
    workspace: (workspaceId: string) =>
      queryRows(WorkspaceRow)(sql`SELECT timezone, (SELECT coalesce(sum(devices), 0)::int FROM workspace_device_counts
          WHERE workspace_id = ${workspaceId}) AS devices
        FROM workspaces WHERE id = ${workspaceId}`).pipe(Effect.map(([row]) => row)),
    alerts: (workspaceId: string, rules: AlertRules) =>
      queryRows(AlertItem)(sql`SELECT a.*, ${siteName} AS "siteName"
        FROM (SELECT id, title, device_id AS "deviceId", device_name AS "deviceName", site_id, created_at AS "createdAt",
            (count(*) OVER ())::int AS total
          FROM alerts WHERE ${openAlerts(workspaceId, rules)} AND severity = 'CRITICAL'
          ORDER BY id DESC LIMIT ${OVERVIEW_ITEMS}) AS a
        LEFT JOIN sites ON sites.id = a.site_id ORDER BY a.id DESC`),
    accounts: (workspaceId: string) =>
      queryRows(AccountItem)(sql`SELECT id, left(name, 1000) AS name, manufacturer, disconnected_at AS since,
          (count(*) OVER ())::int AS total
        FROM accounts WHERE workspace_id = ${workspaceId} AND status = 'failed'
        ORDER BY disconnected_at DESC NULLS LAST, id LIMIT ${OVERVIEW_ITEMS}`),
    /** Nobody needs to look at those that an operator has deactivated. */
    destinations: (workspaceId: string) =>
      queryRows(DestinationItem)(sql`SELECT id, label, destination_type AS "destinationType",
          failing_since AS "failingSince", deactivated_at IS NOT NULL AS deactivated, (count(*) OVER ())::int AS total
        FROM destinations WHERE workspace_id = ${workspaceId}
          AND (deactivated_at IS NOT NULL OR failing_since IS NOT NULL)
          AND deactivated_reason IS DISTINCT FROM ${BY_OPERATOR}
        ORDER BY deactivated_at IS NULL, failing_since, id LIMIT ${OVERVIEW_ITEMS}`),
    /**
     * Devices that have reported once, are connected, and are offline. They are collected before they are sorted (OFFSET 0): the planner
     * would take most for offline, walk all states in the order of their times, and look up each device.
     */
    silentDevices: (workspaceId: string, now: Date) =>
      queryRows(DeviceItem)(
        sql`SELECT d.id, d.name, d.type, ${siteName} AS "siteName", d.at AS "lastReportedAt", d.total
        FROM (SELECT *, (count(*) OVER ())::int AS total
          FROM (SELECT d.id, d.name, d.type, d.site_id, s.at FROM devices d ${stateJoins}
            WHERE d.workspace_id = ${workspaceId} AND d.disconnected_at IS NULL
              AND NOT (${isRecent(now)}) AND ${isNotAsleep} OFFSET 0) AS silent
          ORDER BY at, id LIMIT ${OVERVIEW_ITEMS}) AS d
        LEFT JOIN sites ON sites.id = d.site_id ORDER BY d.at, d.id`.unprepared
      ),
    dispatches: (workspaceId: string, now: Date) =>
      queryRows(DispatchItem)(sql`SELECT id, name, status, starts_at AS "startsAt", ends_at AS "endsAt" FROM dispatches
        WHERE workspace_id = ${workspaceId} AND status IN ('running', 'scheduled') AND ends_at > ${now}
        ORDER BY starts_at, id LIMIT ${OVERVIEW_ITEMS}`),
    schedules: (workspaceId: string) =>
      queryRows(ScheduleItem)(sql`SELECT id, name, device_id AS "deviceId", device_type AS "deviceType",
          next_transition_at AS "nextTransitionAt", (count(*) OVER ())::int AS total
        FROM schedules WHERE workspace_id = ${workspaceId} AND enabled AND isfinite(next_transition_at)
        ORDER BY next_transition_at, id LIMIT ${OVERVIEW_ITEMS}`)
  }
})

/** Reads what the overview of a workspace shows. */
export class OverviewRepository extends Context.Service<OverviewRepository, Effect.Success<typeof make>>()(
  "@edp/server/dashboard/OverviewRepository"
) {
  static readonly layer = Layer.effect(OverviewRepository, make)
}
