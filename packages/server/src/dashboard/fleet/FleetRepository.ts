import type { AlertRule, AlertRules } from "@edp/domain/alerts/AlertConfiguration"
import { alertSubtypes, alertTypes } from "@edp/domain/alerts/Alert"
import type { FleetFilters, fleetSorts } from "@edp/domain/dashboard/Fleet"
import type { OnlineStatus } from "@edp/domain/devices/DeviceType"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { severitiesFrom, shownBy } from "../../alerts/alertRules.ts"
import { reachabilitySql } from "../../devices/criteria/reachabilitySql.ts"
import { conditions, prefixPattern } from "../../platform/sql/lists.ts"
import { query } from "../../platform/sql/transaction.ts"
import { FleetRow } from "./fleetRow.ts"
import { CountRow, IdRow, decodeRows, queryIds, queryRows } from "../../platform/sql/rows.ts"

export type FleetSort = (typeof fleetSorts)[number]
type ReportSort = "last-reported" | "longest-silent"
type IndexedSort = Exclude<FleetSort, ReportSort>

/**
 * To walk an index past matches costs about five times as much for each device as to collect all matches: states are looked up one by
 * one.
 */
const WALK_COST = 5

/** The devices that a request is about. */
export interface FleetSelection {
  readonly workspaceId: string
  readonly filters: FleetFilters
  /** Only these devices. */
  readonly ids?: ReadonlyArray<string> | undefined
  /** The connection status is judged at this time. */
  readonly now: Date
}

/** Conditions on devices `d`, their states `s` and manufacturers `m`. */
export const fleetSql = (sql: SqlClient.SqlClient) => {
  const { isAnyOf } = conditions(sql)

  const { isAsleep, isNotAsleep, isRecent } = reachabilitySql(sql)

  /** The rule of `toOnlineStatus` in SQL. */
  const judge = (asleep: Statement.Fragment, recent: Statement.Fragment) => sql`CASE WHEN ${asleep} THEN 'asleep'
    WHEN ${recent} THEN 'online' WHEN NOT (${recent}) THEN 'offline' ELSE 'unknown' END`

  const onlineStatus = (now: Date) => judge(isAsleep, isRecent(now))

  /**
   * The same rule as conditions. The planner would take those on the text of a status for rare, and look up the states of most of a
   * fleet one by one.
   */
  const hasStatus = (statuses: ReadonlyArray<OnlineStatus>, now: Date) => {
    const rules: Record<OnlineStatus, Statement.Fragment | string> = {
      asleep: isAsleep,
      online: sql`(${isRecent(now)} AND ${isNotAsleep})`,
      offline: sql`(NOT (${isRecent(now)}) AND ${isNotAsleep})`,
      unknown: "s.device_id IS NULL"
    }
    return sql.or(statuses.map((status) => rules[status]))
  }

  const stateJoins = sql.literal(
    "LEFT JOIN device_states s ON s.device_id = d.id JOIN manufacturers m ON m.slug = d.manufacturer"
  )

  /** The tables that the conditions need beside the devices. */
  const statusJoins = ({ filters }: FleetSelection) => (filters.onlineStatus === undefined ? sql`` : stateJoins)

  const isFiltered = ({ filters }: FleetSelection) => Object.values(filters).some((value) => value !== undefined)

  /** Planned with its values, so that each of the three indexes can find a prefix. */
  const found = (q: string) => {
    const pattern = sql`lower(${prefixPattern(q)}::text)`
    return sql`(d.name_key LIKE ${pattern} OR lower(d.serial_number) LIKE ${pattern} OR d.id LIKE ${pattern})`
  }

  const matching = ({ workspaceId, filters, ids, now }: FleetSelection): ReadonlyArray<Statement.Fragment | string> => [
    sql`d.workspace_id = ${workspaceId}`,
    ...isAnyOf("d.id", ids),
    ...isAnyOf("d.type", filters.type),
    ...isAnyOf("d.manufacturer", filters.manufacturer),
    ...isAnyOf("d.site_id", filters.siteId),
    ...(filters.status === undefined || new Set(filters.status).size > 1
      ? []
      : [`d.disconnected_at IS ${filters.status[0] === "connected" ? "" : "NOT "}NULL`]),
    ...(filters.tag === undefined
      ? []
      : [
          sql`d.id IN (SELECT t.device_id FROM device_tags t WHERE t.workspace_id = ${workspaceId}
            AND ${sql.and(isAnyOf("t.tag", filters.tag))})`
        ]),
    ...(filters.q === undefined ? [] : [found(filters.q)]),
    ...(filters.onlineStatus === undefined ? [] : [hasStatus(filters.onlineStatus, now)])
  ]

  /**
   * The numbers of matching devices by columns and status. They are grouped by two yes-or-no columns instead of by the text of the
   * status: of those the planner knows that there are few groups, and counts in memory instead of sorting all devices.
   */
  const statusGroups = (selection: FleetSelection, columns: Readonly<Record<string, string>>) => {
    const names = Object.keys(columns)
    const list = (text: (name: string) => string) => sql.literal(names.map(text).join(", "))
    const inner = sql`SELECT ${list((name) => `${columns[name]} AS ${name}`)}, ${isAsleep} AS asleep,
        ${isRecent(selection.now)} AS recent, count(*)::int AS devices
      FROM devices d ${stateJoins} WHERE ${sql.and(matching(selection))}
      GROUP BY ${sql.literal([...names, "", ""].map((_, index) => index + 1).join(", "))}`
    return sql`SELECT ${list((name) => name)}, devices, ${judge(sql.literal("asleep"), sql.literal("recent"))} AS "onlineStatus"
      FROM (${inner}) AS counted`
  }

  const follows = (column: string, rule: AlertRule | null, codes?: ReadonlyArray<string>) => {
    if (rule === null) return []
    const shown = shownBy(rule, codes)
    if (rule.mode === "SHOW") return isAnyOf(column, shown)
    const isShown = sql.and(shown ? isAnyOf(column, shown) : [sql`${sql(column)} <> ALL(${rule.values}::text[])`])
    return [column === "subtype" ? sql`(subtype IS NULL OR ${isShown})` : isShown]
  }

  /** The open alerts that lists show. */
  const openAlerts = (workspaceId: string, rules: AlertRules) =>
    sql.and([
      sql`workspace_id = ${workspaceId} AND status IN ('OPEN', 'ACKNOWLEDGED')`,
      ...isAnyOf("severity", severitiesFrom(rules.minimumSeverity)),
      ...follows("type", rules.types, alertTypes),
      ...follows("subtype", rules.subtypes, alertSubtypes),
      ...follows("source_system", rules.sourceSystems)
    ])

  return { isAsleep, isFiltered, isRecent, matching, onlineStatus, openAlerts, stateJoins, statusGroups, statusJoins }
}

/** The columns of a row, for devices `d` with their states, manufacturers and sites. */
const columns = `d.id, d.name, d.type, d.manufacturer, m.name AS "manufacturerName", d.model,
  d.serial_number AS "serialNumber", d.disconnected_at IS NULL AS connected, d.site_id AS "siteId",
  coalesce(sites.name, sites.street_one || ', ' || sites.city) AS "siteName", d.tags, s.at, s.state`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { isFiltered, matching, onlineStatus, openAlerts, stateJoins, statusJoins } = fleetSql(sql)

  /** A single tag has an index of its own, in the order of the list. */
  const onlyTag = ({ filters: { tag, ...others } }: FleetSelection) =>
    tag?.length === 1 && Object.values(others).every((value) => value === undefined) ? tag[0] : undefined

  const orders: Record<IndexedSort, (prefix: string) => string> = {
    newest: (prefix) => `${prefix}id DESC`,
    name: (prefix) => `${prefix}name_key, ${prefix}id DESC`
  }

  const window = (limit: number, offset: number) => sql.literal(`LIMIT ${limit} OFFSET ${offset}`)

  /**
   * The ids of a window. By id or name an index has the devices in order: it is walked as long as that costs less than to collect all
   * matches, which OFFSET 0 makes the planner do, and to sort them.
   */
  const selectIds = (selection: FleetSelection, sort: FleetSort, limit: number, offset: number, total: number) => {
    const part = window(limit, offset)
    if (sort === "last-reported" || sort === "longest-silent") return byLastReport(selection, sort, part)
    const tag = onlyTag(selection)
    if (tag !== undefined && sort === "newest") {
      return sql`SELECT device_id AS id FROM device_tags
        WHERE workspace_id = ${selection.workspaceId} AND tag = ${tag} ORDER BY device_id DESC ${part}`
    }
    const order = (prefix: string) => sql.literal(`ORDER BY ${orders[sort](prefix)}`)
    if (!isFiltered(selection) || (offset + limit) * WALK_COST < total) return walked(selection, order, part)
    return sql`SELECT id FROM (SELECT d.id, d.name_key FROM devices d
        ${statusJoins(selection)} WHERE ${sql.and(matching(selection))} OFFSET 0) AS matches ${order("")} ${part}`
  }

  /**
   * No index has the devices by their last report: it would have to be written with every reading. So all are sorted, which the planner
   * can spread over processes as long as nothing stands between the join and the sort.
   */
  const byLastReport = (selection: FleetSelection, sort: ReportSort, part: Statement.Fragment) =>
    sql`SELECT d.id FROM devices d
      ${selection.filters.onlineStatus === undefined ? sql.literal("LEFT JOIN device_states s ON s.device_id = d.id") : stateJoins}
      WHERE ${sql.and(matching(selection))}
      ORDER BY s.at ${sql.literal(sort === "last-reported" ? "DESC" : "ASC")} NULLS LAST, d.id DESC ${part}`

  /**
   * The planner can't estimate how many devices are reachable, and would collect all. OFFSET 0 makes it look up their states one by one,
   * in their order, until there are enough.
   */
  const walked = (
    selection: FleetSelection,
    order: (prefix: string) => Statement.Fragment,
    part: Statement.Fragment
  ) => {
    const { onlineStatus: statuses, ...others } = selection.filters
    const candidates = sql.and(matching({ ...selection, filters: others }))
    if (statuses === undefined) {
      return sql`SELECT d.id FROM devices d WHERE ${candidates} ${order("d.")} ${part}`
    }
    return sql`SELECT d.id
      FROM (SELECT d.id, d.name_key, d.manufacturer, d.disconnected_at FROM devices d
        WHERE ${candidates} ${order("d.")}) AS d
      CROSS JOIN LATERAL (SELECT ${onlineStatus(selection.now)} AS status FROM manufacturers m
        LEFT JOIN device_states s ON s.device_id = d.id WHERE m.slug = d.manufacturer OFFSET 0) AS judged
      WHERE judged.status = ANY(${statuses}::text[]) ${order("d.")} ${part}`
  }

  const rows = (selection: FleetSelection, rules: AlertRules, chosen: ReadonlyArray<string>) =>
    queryRows(FleetRow)(sql`SELECT ${sql.literal(columns)}, ${onlineStatus(selection.now)} AS "onlineStatus",
        c.id AS "customerId",
        coalesce(nullif(concat_ws(' ', c.first_name, c.last_name), ''), c.email, c.reference_id) AS "customerName",
        (SELECT count(*)::int FROM alerts WHERE device_id = d.id AND ${openAlerts(selection.workspaceId, rules)})
          AS "openAlerts"
      FROM unnest(${chosen}::text[]) WITH ORDINALITY AS page (id, position) JOIN devices d ON d.id = page.id
        ${stateJoins} LEFT JOIN sites ON sites.id = d.site_id
        LEFT JOIN customers c ON c.id = coalesce(d.customer_id, (SELECT customer_id FROM customer_sites
          WHERE site_id = d.site_id ORDER BY customer_id LIMIT 1))
      WHERE d.workspace_id = ${selection.workspaceId} ORDER BY page.position`)

  return {
    ids: (selection: FleetSelection, sort: FleetSort, limit: number, offset: number, total: number) =>
      queryIds(selectIds(selection, sort, limit, offset, total).unprepared),
    rows,
    /** The ids of the newest devices before an id. */
    before: (selection: FleetSelection, id: string | undefined, limit: number) =>
      queryRows(IdRow)(
        sql`SELECT d.id FROM devices d ${statusJoins(selection)}
          WHERE ${sql.and([...matching(selection), ...(id === undefined ? [] : [sql`d.id < ${id}`])])}
          ORDER BY d.id DESC ${window(limit, 0)}`.unprepared
      ).pipe(Effect.map((found) => found.map((row) => row.id))),
    /** The number of matching devices, counted up to a limit. */
    count: (selection: FleetSelection, limit: number) =>
      query(
        isFiltered(selection)
          ? decodeRows(CountRow)(
              sql`SELECT count(*)::int AS n FROM (SELECT FROM devices d
              ${statusJoins(selection)} WHERE ${sql.and(matching(selection))} ${window(limit, 0)}) AS matches`
                .unprepared
            )
          : decodeRows(CountRow)(sql`SELECT least(coalesce(sum(devices), 0), ${limit})::int AS n
              FROM workspace_device_counts WHERE workspace_id = ${selection.workspaceId}`)
      ).pipe(Effect.map(([row]) => row!.n))
  }
})

/** Windows of the list of a workspace's devices. */
export class FleetRepository extends Context.Service<FleetRepository, Effect.Success<typeof make>>()(
  "@edp/server/dashboard/FleetRepository"
) {
  static readonly layer = Layer.effect(FleetRepository, make)
}
