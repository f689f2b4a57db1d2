import { Alert, type AlertFilters, alertSubtypes, alertTypes } from "@edp/domain/alerts/Alert"
import type { AlertRule, AlertRules } from "@edp/domain/alerts/AlertConfiguration"
import { AlertSeverity } from "@edp/domain/alerts/AlertStatus"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Effect, Record, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { conditions, limited } from "../platform/sql/lists.ts"
import { firstIdAt } from "../platform/Ids.ts"
import { siteTable } from "../sites/siteTable.ts"
import { type AlertChange, AlertRow, toColumn, toAlert } from "./alertRow.ts"
import { severitiesFrom, shownBy } from "./alertRules.ts"
import { selectList } from "../platform/sql/selectList.ts"
import { countedRow, queryCount, queryRows } from "../platform/sql/rows.ts"

export interface Filters extends Omit<Schema.Struct.Type<typeof AlertFilters>, "page" | "perPage"> {
  /** Restricts the list to one device, in addition to the filters. */
  readonly ofDevice?: string
  /** The order of the list: newest first by default. */
  readonly sort?: "newest" | "severity"
}

/** The fields that an alert copies from its device, and the device's site and reference. */
export const AlertDevice = Schema.Struct({
  siteId: Schema.NullOr(Schema.String),
  referenceId: Schema.String,
  manufacturer: Schema.String,
  manufacturerDeviceId: Schema.String,
  deviceName: Schema.String,
  deviceType: Schema.String,
  deviceModel: Schema.String,
  deviceSerialNumber: Schema.NullOr(Schema.String)
})
export type AlertDevice = typeof AlertDevice.Type

const CountedAlertRow = countedRow(AlertRow)
const SeverityNRow = Schema.Struct({ severity: Alert.fields.severity, n: Schema.Finite })

export const AlertsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(AlertRow))
  const rows = Effect.map((found: ReadonlyArray<AlertRow>) => found.map(toAlert))

  const { is, isAnyOf } = conditions(sql)
  /** The id contains `created_at`, so a range of time is a range of ids, which every index has in order. */
  const isPast = (operator: string, time: string | undefined) =>
    time === undefined ? [] : [sql`id ${sql.literal(operator)} ${firstIdAt(parseTimestamp(time)!)}`]

  const follows = (column: string, rule: AlertRule | null, codes?: ReadonlyArray<string>) => {
    if (rule === null) return []
    const shown = shownBy(rule, codes)
    if (rule.mode === "SHOW") return isAnyOf(column, shown)
    const isShown = sql.and(shown ? isAnyOf(column, shown) : [sql`${sql(column)} <> ALL(${rule.values}::text[])`])
    return [column === "subtype" ? sql`(subtype IS NULL OR ${isShown})` : isShown]
  }

  const matching = (workspaceId: string, filters: Filters, rules: AlertRules) => [
    ...is("workspace_id", workspaceId),
    ...isAnyOf("severity", severitiesFrom(rules.minimumSeverity)),
    ...follows("type", rules.types, alertTypes),
    ...follows("subtype", rules.subtypes, alertSubtypes),
    ...follows("source_system", rules.sourceSystems),
    ...is("device_id", filters.ofDevice),
    ...isAnyOf("id", filters.id),
    ...isAnyOf("external_id", filters.externalId),
    ...isAnyOf("severity", filters.severity),
    ...isAnyOf("status", filters.status),
    ...isAnyOf("type", filters.type),
    ...isAnyOf("site_id", filters.siteId),
    ...isAnyOf("device_id", filters.deviceId),
    ...isAnyOf("source_system", filters.sourceSystem),
    ...isAnyOf("manufacturer_device_id", filters.manufacturerDeviceId),
    ...isPast(">=", filters.from),
    ...isPast("<", filters.to)
  ]

  /** The newest alerts of each severity, with its place: every part is read along an index. */
  const bySeverity = (conditions: ReadonlyArray<Statement.Fragment>, most: number) => {
    const parts = AlertSeverity.literals.map(
      (severity, place) => sql`(SELECT *, ${sql.literal(String(place))} AS place FROM alerts
        WHERE ${sql.and([...conditions, ...is("severity", severity)])} ORDER BY id DESC ${limited(sql, most)})`
    )
    return sql.join(" UNION ALL ", false)(parts)
  }

  return {
    requireGivenSite: siteTable(sql).requireGivenSite,
    /**
     * A page, each row with the total. Filtered lists are planned with their values. Prepared, their many combinations of
     * filters would evict other statements.
     */
    list: (workspaceId: string, filters: Filters, rules: AlertRules, limit: number, offset: number) => {
      const conditions = matching(workspaceId, filters, rules)
      const total = sql`(SELECT count(*)::int FROM alerts WHERE ${sql.and(conditions)}) AS total`
      const statement =
        filters.sort === "severity"
          ? sql`SELECT ${columns}, ${total} FROM (${bySeverity(conditions, limit + offset)}) AS found
              ORDER BY place, id DESC ${limited(sql, limit, offset)}`
          : // The columns of the page alone are read, not those of the rows before it.
            sql`SELECT ${columns}, ${total} FROM (SELECT * FROM alerts
              WHERE ${sql.and(conditions)} ORDER BY id DESC ${limited(sql, limit, offset)}) AS found ORDER BY id DESC`
      return queryRows(CountedAlertRow)(
        conditions.length === 1 && filters.sort !== "severity" ? statement : statement.unprepared
      )
    },
    count: (workspaceId: string, filters: Filters, rules: AlertRules) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM alerts
          WHERE ${sql.and(matching(workspaceId, filters, rules))}`.unprepared
      ),
    /** The open alerts that the rules show, by severity. */
    countOpen: (workspaceId: string, rules: AlertRules) =>
      queryRows(SeverityNRow)(
        sql`SELECT severity, count(*)::int AS n FROM alerts
          WHERE ${sql.and(matching(workspaceId, { status: ["OPEN"] }, rules))} GROUP BY severity`.unprepared
      ),
    get: (workspaceId: string, id: string) =>
      queryRows(AlertRow)(sql`SELECT ${columns} FROM alerts WHERE id = ${id} AND workspace_id = ${workspaceId}`).pipe(
        rows
      ),
    insert: (alert: AlertRow) =>
      queryRows(AlertRow)(
        sql`INSERT INTO alerts ${sql.insert(Record.mapKeys(alert, toColumn))} RETURNING ${columns}`
      ).pipe(rows),
    change: (workspaceId: string, id: string, change: AlertChange) =>
      queryRows(AlertRow)(sql`UPDATE alerts SET ${sql.update(Record.mapKeys(change, toColumn))}
        WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING ${columns}`).pipe(rows),
    device: (workspaceId: string, id: string) =>
      queryRows(AlertDevice)(sql`SELECT site_id AS "siteId", reference_id AS "referenceId", manufacturer,
          manufacturer_device_id AS "manufacturerDeviceId", name AS "deviceName", type AS "deviceType",
          model AS "deviceModel", serial_number AS "deviceSerialNumber"
        FROM devices WHERE id = ${id} AND workspace_id = ${workspaceId}`)
  }
})
