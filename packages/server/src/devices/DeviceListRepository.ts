import { Context, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { customerDeviceIds } from "../platform/sql/references.ts"
import { shareEqual } from "../platform/batching/shareEqual.ts"
import { query } from "../platform/sql/transaction.ts"
import { everyDevice, type Lead } from "./deviceLead.ts"
import { DevicesRepository } from "./DevicesRepository.ts"

/** Which part of a list: the devices before an id in a cursor walk, else those after an offset. */
export interface Part {
  readonly limit: number
  readonly offset: number
  readonly before: string | undefined
}

const connection = (connected: boolean | undefined) =>
  connected === undefined ? [] : [`disconnected_at IS ${connected ? "" : "NOT "}NULL`]

/** What the tables that lead call a device's id. */
const idOf = { devices: "id", device_tags: "device_id", collection_members: "member_id" } as const

/** Lists that one index leads through from the newest device to the oldest. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const devices = yield* DevicesRepository
  const share = shareEqual<number>()

  // Written out, not a parameter: so the planner knows, whatever the other values, that few rows are wanted.
  const limited = (limit: number, offset = 0) =>
    offset === 0 ? sql.literal(`LIMIT ${limit}`) : sql`${sql.literal(`LIMIT ${limit}`)} OFFSET ${offset}`

  /** Whose a set is was told when it was looked up, and its index alone has all of its members. */
  const place = (workspaceId: string, { from }: Lead) =>
    from === "collection_members" ? [] : [sql`workspace_id = ${workspaceId}`]

  /** What the index has of one value, or of every device when there is none. */
  const ledTo = (workspaceId: string, lead: Lead, value: Statement.Fragment | undefined) => sql`${sql(lead.from)}
    WHERE ${sql.and([
      ...place(workspaceId, lead),
      ...connection(lead.connected),
      ...(value === undefined ? [] : [sql`${sql(lead.column!)} = ${value}`])
    ])}`

  const single = ({ values: [value] }: Lead) => (value === undefined ? undefined : sql`${value}`)

  /** Each site of the customer gives its newest, and so do those that the customer connected. */
  const ofCustomer = (workspaceId: string, customerId: string, { limit, offset, before }: Part) => {
    const newest = (condition: Statement.Fragment) => sql`SELECT id FROM devices
      WHERE ${condition} AND workspace_id = ${workspaceId} ${before === undefined ? sql`` : sql`AND id < ${before}`}
      ORDER BY id DESC ${limited(offset + limit)}`
    return sql`SELECT id FROM (
        SELECT at_site.id FROM customer_sites
          CROSS JOIN LATERAL (${newest(sql`site_id = customer_sites.site_id`)}) AS at_site
          WHERE customer_sites.customer_id = ${customerId}
        UNION (${newest(sql`customer_id = ${customerId}`)})
      ) AS newest ORDER BY id DESC ${limited(limit, offset)}`
  }

  /** Ids, newest first. Of several values each gives its own newest, and these are merged. */
  const inOrder = (workspaceId: string, lead: Lead, part: Part) => {
    const { limit, offset, before } = part
    if (lead.from === "customer_sites") return ofCustomer(workspaceId, lead.values[0]!, part)
    const id = sql(idOf[lead.from])
    const below = before === undefined ? sql`` : sql`AND ${id} < ${before}`
    const newest = (value: Statement.Fragment | undefined, rows: Statement.Fragment) =>
      sql`SELECT ${id} AS id FROM ${ledTo(workspaceId, lead, value)} ${below} ORDER BY ${id} DESC ${rows}`
    if (lead.values.length < 2) return newest(single(lead), limited(limit, offset))
    return sql`SELECT DISTINCT newest.id FROM unnest(${lead.values}::text[]) AS given (value)
      CROSS JOIN LATERAL (${newest(sql`given.value`, limited(offset + limit))}) AS newest
      ORDER BY newest.id DESC ${limited(limit, offset)}`
  }

  const counting = (workspaceId: string, lead: Lead) => {
    if (lead.from === "customer_sites") {
      const ids = customerDeviceIds(sql, sql`${workspaceId}`, sql`${lead.values[0]!}`)
      return sql`SELECT count(*)::int AS n FROM (${ids}) AS devices`
    }
    if (lead === everyDevice) {
      return sql`SELECT coalesce(sum(devices), 0)::int AS n FROM workspace_device_counts
        WHERE workspace_id = ${workspaceId}`
    }
    if (lead.values.length < 2) return sql`SELECT count(*)::int AS n FROM ${ledTo(workspaceId, lead, single(lead))}`
    // A device has one value of a column, but any number of tags.
    return lead.from === "devices"
      ? sql`SELECT sum(each.n)::int AS n FROM unnest(${lead.values}::text[]) AS given (value) CROSS JOIN LATERAL
          (SELECT count(*) AS n FROM ${ledTo(workspaceId, lead, sql`given.value`)}) AS each`
      : sql`SELECT count(*)::int AS n FROM (SELECT DISTINCT device_id FROM device_tags
          WHERE workspace_id = ${workspaceId} AND tag = ANY(${lead.values}::text[])) AS tagged`
  }

  return {
    inOrder,
    limited,
    list: (workspaceId: string, lead: Lead, part: Part, now: Date) =>
      devices.chosen(inOrder(workspaceId, lead, part), now),
    count: (workspaceId: string, lead: Lead) =>
      share(
        JSON.stringify([workspaceId, lead]),
        query(counting(workspaceId, lead) as Statement.Statement<{ readonly n: number }>).pipe(
          Effect.map(([row]) => row!.n)
        )
      )
  }
})

export class DeviceListRepository extends Context.Service<DeviceListRepository, Effect.Success<typeof make>>()(
  "@edp/server/DeviceListRepository"
) {
  static readonly layer = Layer.effect(DeviceListRepository, make)
}
