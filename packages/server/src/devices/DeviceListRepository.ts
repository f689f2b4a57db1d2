import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { type PageWindow, limited } from "../platform/sql/lists.ts"
import { customerDeviceIds } from "./deviceTable.ts"
import { DevicesRepository } from "./DevicesRepository.ts"
import type { DeviceSelection } from "./deviceSelection.ts"
import { queryCount, queryIds } from "../platform/sql/rows.ts"

/** The index that a list is read by: it has the devices that meet one condition in the list's order. */
export interface LeadingIndex {
  readonly from: "devices" | "device_tags" | "customer_sites" | "collection_members"
  /** The column of the condition; undefined for all devices, or all (dis)connected ones. */
  readonly column: string | undefined
  /** A device matches if its column equals any of them. */
  readonly values: ReadonlyArray<string>
  readonly connected: boolean | undefined
  /** Whether there is no other condition, so that every device in the index range belongs to the list. */
  readonly alone: boolean
}

/** All devices of a workspace. */
export const everyDevice: LeadingIndex = {
  from: "devices",
  column: undefined,
  values: [],
  connected: undefined,
  alone: true
}

export const chooseIndex = (selection: DeviceSelection): LeadingIndex => {
  const { keyed, customerIds, collectionId, memberships, criteria, tags, connected, statuses, q } = selection
  const conditions = [customerIds, collectionId, memberships, criteria, tags, connected, statuses, q]
  const others = conditions.filter((condition) => condition !== undefined).length
  const alone = keyed.length + others <= 1
  const [first] = keyed
  // A customer has few devices, and no index on the other conditions contains the customer.
  if (customerIds?.length === 1) {
    return { ...everyDevice, from: "customer_sites", column: "customer_id", values: customerIds, alone }
  }
  if (collectionId !== undefined) {
    return { ...everyDevice, from: "collection_members", column: "collection_id", values: [collectionId], alone }
  }
  if (first !== undefined) return { ...everyDevice, ...first, alone }
  if (tags !== undefined) return { ...everyDevice, from: "device_tags", column: "tag", values: tags, alone }
  const whole = [customerIds, memberships, criteria, statuses, q].every((condition) => condition === undefined)
  return whole && connected === undefined ? everyDevice : { ...everyDevice, connected, alone: whole }
}

const connection = (connected: boolean | undefined) =>
  connected === undefined ? [] : [`disconnected_at IS ${connected ? "" : "NOT "}NULL`]

/** The column that holds the device id in each table. */
const idColumns = { devices: "id", device_tags: "device_id", collection_members: "member_id" } as const

/** Lists that one index returns from the newest device to the oldest. */
export const DeviceListRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DevicesRepository

  /** The workspace of a set was checked when the set was looked up, and its index contains all members. */
  const place = (workspaceId: string, { from }: LeadingIndex) =>
    from === "collection_members" ? [] : [sql`workspace_id = ${workspaceId}`]

  /** The index range of one value, or of every device without a value. */
  const indexRange = (
    workspaceId: string,
    index: LeadingIndex,
    value: Statement.Fragment | undefined
  ) => sql`${sql(index.from)}
    WHERE ${sql.and([
      ...place(workspaceId, index),
      ...connection(index.connected),
      ...(value === undefined ? [] : [sql`${sql(index.column!)} = ${value}`])
    ])}`

  const single = ({ values: [value] }: LeadingIndex) => (value === undefined ? undefined : sql`${value}`)

  /** The newest devices of each of the customer's sites and of those that the customer connected, merged. */
  const ofCustomer = (workspaceId: string, customerId: string, { limit, offset, before }: PageWindow) => {
    const newest = (condition: Statement.Fragment) => sql`SELECT id FROM devices
      WHERE ${condition} AND workspace_id = ${workspaceId} ${before === undefined ? sql`` : sql`AND id < ${before}`}
      ORDER BY id DESC ${limited(sql, offset + limit)}`
    return sql`SELECT id FROM (
        SELECT at_site.id FROM customer_sites
          CROSS JOIN LATERAL (${newest(sql`site_id = customer_sites.site_id`)}) AS at_site
          WHERE customer_sites.customer_id = ${customerId}
        UNION (${newest(sql`customer_id = ${customerId}`)})
      ) AS newest ORDER BY id DESC ${limited(sql, limit, offset)}`
  }

  /** Ids, newest first. The newest of each value are merged. */
  const inOrder = (workspaceId: string, index: LeadingIndex, window: PageWindow) => {
    const { limit, offset, before } = window
    if (index.from === "customer_sites") return ofCustomer(workspaceId, index.values[0]!, window)
    const id = sql(idColumns[index.from])
    const below = before === undefined ? sql`` : sql`AND ${id} < ${before}`
    const newest = (value: Statement.Fragment | undefined, rows: Statement.Fragment) =>
      sql`SELECT ${id} AS id FROM ${indexRange(workspaceId, index, value)} ${below} ORDER BY ${id} DESC ${rows}`
    if (index.values.length < 2) return newest(single(index), limited(sql, limit, offset))
    return sql`SELECT DISTINCT newest.id FROM unnest(${index.values}::text[]) AS given (value)
      CROSS JOIN LATERAL (${newest(sql`given.value`, limited(sql, offset + limit))}) AS newest
      ORDER BY newest.id DESC ${limited(sql, limit, offset)}`
  }

  const counting = (workspaceId: string, index: LeadingIndex) => {
    if (index.from === "customer_sites") {
      const ids = customerDeviceIds(sql, sql`${workspaceId}`, sql`${index.values[0]!}`)
      return sql`SELECT count(*)::int AS n FROM (${ids}) AS devices`
    }
    if (index === everyDevice) {
      return sql`SELECT coalesce(sum(devices), 0)::int AS n FROM workspace_device_counts
        WHERE workspace_id = ${workspaceId}`
    }
    if (index.values.length < 2)
      return sql`SELECT count(*)::int AS n FROM ${indexRange(workspaceId, index, single(index))}`
    // A device has one value of a column, but any number of tags.
    return index.from === "devices"
      ? sql`SELECT sum(each.n)::int AS n FROM unnest(${index.values}::text[]) AS given (value) CROSS JOIN LATERAL
          (SELECT count(*) AS n FROM ${indexRange(workspaceId, index, sql`given.value`)}) AS each`
      : sql`SELECT count(*)::int AS n FROM (SELECT DISTINCT device_id FROM device_tags
          WHERE workspace_id = ${workspaceId} AND tag = ANY(${index.values}::text[])) AS tagged`
  }

  return {
    inOrder,
    ids: (workspaceId: string, index: LeadingIndex, window: PageWindow) =>
      queryIds(sql`${inOrder(workspaceId, index, window)}`.unprepared),
    list: (workspaceId: string, index: LeadingIndex, window: PageWindow, now: Date) =>
      devices.chosen(inOrder(workspaceId, index, window), now),
    /** A page with the list's total, which is undefined beyond the last page. */
    page: (workspaceId: string, index: LeadingIndex, window: PageWindow, now: Date) =>
      devices.readChosen(inOrder(workspaceId, index, window), counting(workspaceId, index), now),
    count: (workspaceId: string, index: LeadingIndex) => queryCount(counting(workspaceId, index))
  }
})
