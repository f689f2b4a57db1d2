import type { AlertRules } from "@edp/domain/alerts/AlertConfiguration"
import { DeviceType, OnlineStatus } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { type FleetSelection, fleetSql } from "./FleetRepository.ts"
import { decodeRows, queryCount, queryRows } from "../../platform/sql/rows.ts"

/** The number of devices with the same properties. */
export const FleetGroup = Schema.Struct({
  type: DeviceType,
  manufacturer: Schema.String,
  manufacturerName: Schema.String,
  onlineStatus: OnlineStatus,
  connected: Schema.Boolean,
  devices: Schema.Finite
})
export type FleetGroup = typeof FleetGroup.Type

export const AlertGroup = Schema.Struct({
  severity: Schema.Literals(["CRITICAL", "WARNING", "INFO"]),
  alerts: Schema.Finite
})
export type AlertGroup = typeof AlertGroup.Type

export const WorkspaceTotals = Schema.Struct({
  sites: Schema.Finite,
  customers: Schema.Finite,
  accounts: Schema.Finite
})
export type WorkspaceTotals = typeof WorkspaceTotals.Type

/** A part of the earth in degrees. */
export interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

export const CellRow = Schema.Struct({
  lat: Schema.Finite,
  lon: Schema.Finite,
  sites: Schema.Finite,
  devices: Schema.Finite,
  online: Schema.Finite,
  alerts: Schema.Finite,
  id: Schema.String,
  /** Null for several sites. */
  name: Schema.NullOr(Schema.String)
})
export type CellRow = typeof CellRow.Type

const SitesDevicesRow = Schema.Struct({ sites: Schema.Finite, devices: Schema.Finite })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const fleet = fleetSql(sql)
  const { isFiltered, matching, openAlerts, stateJoins, statusJoins } = fleet

  const inBox = ({ east, north, south, west }: Box) => sql`st.latitude BETWEEN ${south} AND ${north}
    AND ${
      west < east
        ? sql`st.longitude BETWEEN ${west} AND ${east}`
        : sql`(st.longitude >= ${west} OR st.longitude <= ${east})`
    }`

  const cell = (size: number) =>
    sql`floor(st.latitude / ${size}::float8) AS y, floor(st.longitude / ${size}::float8) AS x`

  const sumOfSites = sql.literal(
    "avg(st.latitude) AS lat, avg(st.longitude) AS lon, count(*)::int AS sites, min(st.id) AS id"
  )

  /**
   * Sites by cell, with their devices. To sum devices by site first is what costs most of all, and only filters need it: they leave sites
   * out.
   */
  const sitesByCell = (selection: FleetSelection, box: Box, size: number) => {
    const sitesInBox = sql`st.workspace_id = ${selection.workspaceId} AND ${inBox(box)}`
    const online = sql`(count(*) FILTER (WHERE ${fleet.isAsleep} OR ${fleet.isRecent(selection.now)}))::int AS online`
    const devicesInBox = sql`devices d ${stateJoins} JOIN sites st ON st.id = d.site_id
      WHERE ${sql.and([...matching(selection), sitesInBox])}`
    return isFiltered(selection)
      ? sql`SELECT ${cell(size)}, ${sumOfSites}, sum(st.devices)::int AS devices, sum(st.online)::int AS online
          FROM (SELECT st.id, st.latitude, st.longitude, count(*) AS devices, ${online} FROM ${devicesInBox}
            GROUP BY st.id) AS st GROUP BY 1, 2`
      : sql`SELECT c.*, coalesce(n.devices, 0) AS devices, coalesce(n.online, 0) AS online
          FROM (SELECT ${cell(size)}, ${sumOfSites} FROM sites st WHERE ${sitesInBox} GROUP BY 1, 2) AS c
            LEFT JOIN (SELECT ${cell(size)}, count(*)::int AS devices, ${online} FROM ${devicesInBox} GROUP BY 1, 2) AS n
              USING (y, x)`
  }

  const alertsByCell = (selection: FleetSelection, rules: AlertRules, box: Box, size: number) =>
    sql`SELECT ${cell(size)}, count(*)::int AS alerts
      FROM (SELECT device_id FROM alerts WHERE ${openAlerts(selection.workspaceId, rules)}) AS a
        JOIN devices d ON d.id = a.device_id ${statusJoins(selection)} JOIN sites st ON st.id = d.site_id
      WHERE ${sql.and([...matching(selection), sql`st.workspace_id = ${selection.workspaceId}`, inBox(box)])} GROUP BY 1, 2`

  return {
    groups: (selection: FleetSelection) =>
      queryRows(FleetGroup)(
        sql`SELECT g.*, m.name AS "manufacturerName" FROM (${fleet.statusGroups(selection, {
          type: "d.type",
          manufacturer: "d.manufacturer",
          connected: "d.disconnected_at IS NULL"
        })}) AS g JOIN manufacturers m ON m.slug = g.manufacturer`.unprepared
      ),
    alerts: (selection: FleetSelection, rules: AlertRules) => {
      const shown = openAlerts(selection.workspaceId, rules)
      return query(
        isFiltered(selection)
          ? decodeRows(AlertGroup)(
              sql`SELECT a.severity, count(*)::int AS alerts
              FROM (SELECT severity, device_id FROM alerts WHERE ${shown}) AS a JOIN devices d ON d.id = a.device_id
              ${statusJoins(selection)} WHERE ${sql.and(matching(selection))} GROUP BY 1`.unprepared
            )
          : decodeRows(AlertGroup)(
              sql`SELECT severity, count(*)::int AS alerts FROM alerts WHERE ${shown} GROUP BY 1`.unprepared
            )
      )
    },
    totals: (workspaceId: string) =>
      queryRows(WorkspaceTotals)(sql`SELECT
          (SELECT count(*)::int FROM sites WHERE workspace_id = ${workspaceId}) AS sites,
          (SELECT count(*)::int FROM customers WHERE workspace_id = ${workspaceId}) AS customers,
          (SELECT count(*)::int FROM accounts WHERE workspace_id = ${workspaceId} AND status = 'failed') AS accounts`).pipe(
        Effect.map(([row]) => row!)
      ),
    /** Sites of a box in cells of a size in degrees. */
    cells: (selection: FleetSelection, rules: AlertRules, box: Box, size: number, limit: number) =>
      queryRows(CellRow)(
        sql`SELECT c.lat, c.lon, c.sites, c.id, c.devices, c.online, coalesce(a.alerts, 0) AS alerts,
            CASE WHEN c.sites = 1 THEN
              (SELECT coalesce(name, street_one || ', ' || city) FROM sites WHERE sites.id = c.id) END AS name
          FROM (${sitesByCell(selection, box, size)}) AS c
            LEFT JOIN (${alertsByCell(selection, rules, box, size)}) AS a USING (y, x)
          ORDER BY c.sites DESC, c.id LIMIT ${limit}`.unprepared
      ),
    /** Sites without coordinates, and the matching devices at them. With filters, only sites with a matching device. */
    unplaced: (selection: FleetSelection) => {
      const unplaced = sql`FROM sites st WHERE st.workspace_id = ${selection.workspaceId} AND st.latitude IS NULL`
      return queryRows(SitesDevicesRow)(
        sql`SELECT count(*)::int AS devices,
            ${isFiltered(selection) ? sql`count(DISTINCT d.site_id)::int` : sql`(SELECT count(*)::int ${unplaced})`} AS sites
          FROM devices d ${statusJoins(selection)}
          WHERE ${sql.and([...matching(selection), sql`d.site_id IN (SELECT st.id ${unplaced})`])}`.unprepared
      ).pipe(Effect.map(([row]) => row!))
    },
    /** Matching devices without a site. */
    withoutSite: (selection: FleetSelection) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM devices d ${statusJoins(selection)}
          WHERE ${sql.and([...matching(selection), "d.site_id IS NULL"])}`.unprepared
      )
  }
})

/** Numbers of a workspace's devices. */
export class FleetCountsRepository extends Context.Service<FleetCountsRepository, Effect.Success<typeof make>>()(
  "@edp/server/FleetCountsRepository"
) {
  static readonly layer = Layer.effect(FleetCountsRepository, make)
}
