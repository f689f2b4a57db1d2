import type { Device } from "@edp/domain/devices/Device"
import { SiteNotFound } from "@edp/domain/errors/ApiErrors"
import { TagUse } from "@edp/domain/tags/Tag"
import { Effect, Schema } from "effect"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import { anyOf, prefixPattern } from "../platform/sql/lists.ts"
import { isReady } from "../platform/jobs/isolation.ts"
import { whileAny } from "../platform/jobs/workWait.ts"
import { query } from "../platform/sql/transaction.ts"
import { siteTable } from "../sites/siteTable.ts"
import type { SiteChange } from "../sites/siteRow.ts"
import { CollectionsOfDevices } from "./CollectionsPort.ts"
import { requireDevice } from "./deviceTable.ts"
import type { DeviceRow } from "./deviceRow.ts"
import { JsonColumn, queryCount, queryIds, queryRows } from "../platform/sql/rows.ts"

/** DeviceChanges of a device. Absent fields stay as they are. */
export interface DeviceChanges {
  readonly name?: string
  readonly siteId?: string | null
  readonly tags?: ReadonlyArray<string>
  readonly referenceId?: string
}

const Tagged = Schema.Struct({
  workspaceId: Schema.NullOr(Schema.String),
  referenceId: Schema.String,
  tags: Schema.Array(Schema.String)
})
type Tagged = typeof Tagged.Type

/** The columns that `toRow` reads, in this order. */
const columns = `d.id, d.workspace_id, d.site_id, d.name, d.manufacturer_device_id, d.serial_number, d.reference_id,
  d.manufacturer, d.type, d.model, d.raw_type, d.raw_model, d.model_year, d.static_state, d.commands, d.tags,
  d.created_at, d.updated_at, d.connected_at, d.disconnected_at, s.reading_id, s.at, s.state, s.reported_status,
  s.latitude, s.longitude, sites.street_one, sites.street_two, sites.city, sites.state, sites.postal_code,
  sites.country, sites.county, sites.address_hash, sites.latitude, sites.longitude, d.interventions, d.forced_mode,
  m.confirm_within`

/** The driver adds properties one by one, and V8 keeps objects of that many properties in its slow dictionary mode. */
const toRow = (values: ReadonlyArray<any>): DeviceRow => ({
  id: values[0],
  workspaceId: values[1],
  siteId: values[2],
  name: values[3],
  manufacturerDeviceId: values[4],
  serialNumber: values[5],
  referenceId: values[6],
  manufacturer: values[7],
  type: values[8],
  model: values[9],
  rawType: values[10],
  rawModel: values[11],
  modelYear: values[12],
  staticState: values[13],
  commands: values[14],
  tags: values[15],
  createdAt: values[16],
  updatedAt: values[17],
  connectedAt: values[18],
  disconnectedAt: values[19],
  readingId: values[20],
  at: values[21],
  state: values[22],
  reportedStatus: values[23],
  latitude: values[24],
  longitude: values[25],
  streetOne: values[26],
  streetTwo: values[27],
  city: values[28],
  siteState: values[29],
  postalCode: values[30],
  country: values[31],
  county: values[32],
  addressHash: values[33],
  siteLatitude: values[34],
  siteLongitude: values[35],
  interventions: values[36],
  forcedMode: values[37],
  confirmWithin: values[38],
  onlineSince: values[39]
})

/** Only the site of an update has a foreign key, so a violation means that the site was deleted after it was checked. */
const siteGone = <A, R>(self: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.catch(self, (failure): Effect.Effect<never, SqlError.SqlError | SiteNotFound> =>
    Effect.fail(failure.reason._tag === "ConstraintError" ? new SiteNotFound({}) : failure)
  )

/** The work, as its failing sites are stored under. */
export const SITE_CHANGES = "events of changed sites"

const IdCustomerIdRow = Schema.Struct({ id: Schema.String, customerId: Schema.NullOr(Schema.String) })
const DirectTagsRow = Schema.Struct({ direct: Schema.Boolean, tags: Schema.Array(Schema.String) })
const SiteIdRow = Schema.Struct({ siteId: Schema.String })

export const DevicesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const collections = yield* CollectionsOfDevices
  const selected = (now: Date) => sql`${sql.literal(columns)}, ${now}::timestamptz - m.online_window`
  const joined = sql.literal(`JOIN manufacturers m ON m.slug = d.manufacturer
    LEFT JOIN device_states s ON s.device_id = d.id LEFT JOIN sites ON sites.id = d.site_id`)

  /** The devices of an array of ids, newest first; a total becomes the last column of each row. */
  const select = (ids: Statement.Fragment, now: Date, total = sql``) =>
    query(
      sql`SELECT ${selected(now)}${total} FROM unnest(${ids}) AS page (id) JOIN devices d ON d.id = page.id ${joined}
      ORDER BY d.id DESC`.values
    )

  const rows = Effect.map((found: ReadonlyArray<ReadonlyArray<unknown>>) => found.map(toRow))

  return {
    ...siteTable(sql),
    requireDevice: requireDevice(sql),
    /** The memberships of collections of devices; none for a collection that the workspace does not have. */
    memberships: (workspaceId: string, collectionIds: ReadonlyArray<string>) =>
      collections.memberships(workspaceId, "DEVICE", collectionIds),
    /** The devices whose ids a query returns. The query has its own plan and runs before the joins. */
    chosen: (ids: Statement.Fragment, now: Date) => rows(select(sql`ARRAY(${ids})`, now)),
    /** The same with the total that another query counts; undefined if there are no rows. */
    readChosen: (ids: Statement.Fragment, count: Statement.Fragment, now: Date) =>
      Effect.map(select(sql`ARRAY(${ids})`, now, sql`, (${count})`), (found) => ({
        rows: found.map(toRow),
        total: found[0]?.at(-1) as number | undefined
      })),
    // The subquery hides the array's length from the planner, which would otherwise plan the statement for every request.
    byIds: (ids: ReadonlyArray<string>, now: Date) => rows(select(sql`ARRAY(SELECT unnest(${ids}::text[]))`, now)),
    byId: (id: string, now: Date) =>
      Effect.map(query(sql`SELECT ${selected(now)} FROM devices d ${joined} WHERE d.id = ${id}`.values), ([row]) =>
        row === undefined ? undefined : toRow(row)
      ),
    /** The owner of each device: the customer who connected it, else the first one associated with its site. */
    owners: (ids: ReadonlyArray<string>) =>
      queryRows(IdCustomerIdRow)(sql`SELECT id, coalesce(customer_id, (
          SELECT customer_id FROM customer_sites WHERE site_id = devices.site_id ORDER BY customer_id LIMIT 1
        )) AS "customerId" FROM devices WHERE id = ${anyOf(sql, ids)}`),
    /** Locks the device until the end of the transaction, so that changes of it run one after another. */
    hold: (workspaceId: string, id: string) =>
      query(sql`SELECT FROM devices WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`),
    /** Locks devices at the site, newest first, before an id if one is given. */
    holdAtSite: (siteId: string, limit: number, before?: string) =>
      queryIds(sql`SELECT id FROM devices
        WHERE ${sql.and([sql`site_id = ${siteId}`, ...(before === undefined ? [] : [sql`id < ${before}`])])}
        ORDER BY id DESC LIMIT ${limit} FOR NO KEY UPDATE`),
    /** The foreign key would do this as well, but would not set `updated_at`. */
    leaveSite: (ids: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE devices SET site_id = NULL, updated_at = ${now} WHERE id = ANY(${ids}::text[])`),
    /** Returns no row if the workspace has no such device. */
    update: (workspaceId: string, id: string, changes: DeviceChanges, now: Date) =>
      sql`UPDATE devices SET ${sql.csv([
        ...(changes.name === undefined ? [] : [sql`name = ${changes.name}`]),
        ...(changes.siteId === undefined ? [] : [sql`site_id = ${changes.siteId}`]),
        ...(changes.tags === undefined ? [] : [sql`tags = ${changes.tags}::text[]`]),
        ...(changes.referenceId === undefined ? [] : [sql`reference_id = ${changes.referenceId}`]),
        sql`updated_at = ${now}`
      ])} WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING id`.pipe(siteGone, query),
    /** Removes the device from the site; returns no row if it is at another one. */
    unlink: (workspaceId: string, siteId: string, id: string, now: Date) =>
      query(sql`UPDATE devices SET site_id = NULL, updated_at = ${now}
        WHERE id = ${id} AND workspace_id = ${workspaceId} AND site_id = ${siteId} RETURNING id`),
    tags: (id: string) =>
      queryRows(Tagged)(sql`SELECT workspace_id AS "workspaceId", reference_id AS "referenceId", tags
        FROM devices WHERE id = ${id}`),
    setTags: (id: string, tags: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE devices SET tags = ${tags}::text[], updated_at = ${now} WHERE id = ${id}`),
    /** Locks the device until the end of the transaction, also against readings that are being stored. */
    lock: (workspaceId: string, id: string) =>
      queryRows(DirectTagsRow)(sql`
        SELECT direct, tags FROM devices WHERE id = ${id} AND workspace_id = ${workspaceId} FOR UPDATE`),
    /**
     * For the transaction in which a device leaves its workspace, after its row was locked: keeps what is known of it for the
     * events that have no payload of their own.
     */
    keepDeparted: (workspaceId: string, device: Device, data: object, now: Date) =>
      query(sql`INSERT INTO departed_devices (workspace_id, device_id, until_sequence, departed_at, device_type, data)
        SELECT ${workspaceId}, ${device.id}, last_value - CASE WHEN is_called THEN 0 ELSE 1 END, ${now}, ${device.type},
          ${JSON.stringify(data)}::jsonb FROM event_sequence
        ON CONFLICT (workspace_id, device_id, until_sequence) DO NOTHING`),
    /** Keeps the device's identity: its manufacturer may add it again. */
    disassociate: (id: string, now: Date) =>
      query(sql`WITH forgotten AS (INSERT INTO forgotten_histories (device_id) VALUES (${id}) ON CONFLICT DO NOTHING),
          states AS (DELETE FROM device_states WHERE device_id = ${id})
        UPDATE devices SET workspace_id = NULL, site_id = NULL, customer_id = NULL, disconnected_at = ${now},
          updated_at = ${now} WHERE id = ${id}`),
    remove: (id: string) => query(sql`DELETE FROM devices WHERE id = ${id}`)
  }
})

/** How many devices and sites have each tag: `tag_counts` is kept by triggers, so no list counts them anew. */
export const TagsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const matching = (workspaceId: string, q: string | undefined) =>
    sql.and([
      sql`workspace_id = ${workspaceId}`,
      ...(q === undefined ? [] : [sql`tag_key LIKE lower(${prefixPattern(q)}::text)`])
    ])
  const sumCounts = (kind: "device" | "site") => sql`coalesce(sum(n) FILTER (WHERE kind = ${kind}), 0)::int`

  // Planned for the actual values: only then can an index serve a prefix.
  return {
    list: (workspaceId: string, q: string | undefined, limit: number, offset: number) =>
      queryRows(TagUse)(
        sql`SELECT tag, ${sumCounts("device")} AS "deviceCount", ${sumCounts("site")} AS "siteCount"
          FROM tag_counts WHERE ${matching(workspaceId, q)} GROUP BY tag_key, tag
          ORDER BY tag_key, tag LIMIT ${limit} OFFSET ${offset}`.unprepared
      ),
    count: (workspaceId: string, q: string | undefined) =>
      queryCount(
        sql`SELECT count(*)::int AS n FROM (
          SELECT FROM tag_counts WHERE ${matching(workspaceId, q)} GROUP BY tag_key, tag) AS tags`.unprepared
      )
  }
})

/** A change of a site that has not been published for all of its devices. */
export const OpenSiteChange = Schema.Struct({
  id: Schema.String,
  siteId: Schema.String,
  workspaceId: Schema.String,
  /** The change has been published for devices from this id on. */
  publishedFrom: Schema.String,
  change: JsonColumn<SiteChange>()
})
export type OpenSiteChange = typeof OpenSiteChange.Type

export const SiteChangesRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    insert: (id: string, siteId: string, publishedFrom: string, change: SiteChange) =>
      query(sql`INSERT INTO site_changes (id, site_id, told_from, change)
        VALUES (${id}, ${siteId}, ${publishedFrom}, ${JSON.stringify(change)}::jsonb)`),
    /** The site of the oldest one. The changes of a site wait together, because they are published in order. */
    nextSite: queryRows(SiteIdRow)(sql`SELECT site_id AS "siteId" FROM site_changes c
      WHERE ${isReady(sql, SITE_CHANGES, "c.site_id")} ORDER BY id LIMIT 1`).pipe(Effect.map(([row]) => row?.siteId)),
    /** 0 while there are changes, else Infinity. */
    whileAny: whileAny(sql, sql`SELECT FROM site_changes`),
    /** Locks the oldest one of a site, unless another transaction has locked it. */
    take: (siteId: string) =>
      queryRows(OpenSiteChange)(sql`
        SELECT c.id, c.site_id AS "siteId", sites.workspace_id AS "workspaceId", c.told_from AS "publishedFrom", c.change
        FROM site_changes c JOIN sites ON sites.id = c.site_id
        WHERE c.id = (SELECT id FROM site_changes WHERE site_id = ${siteId} ORDER BY id LIMIT 1)
        FOR UPDATE OF c SKIP LOCKED`).pipe(Effect.map(([row]) => row)),
    moveOn: (id: string, publishedFrom: string) =>
      query(sql`UPDATE site_changes SET told_from = ${publishedFrom} WHERE id = ${id}`),
    remove: (id: string) => query(sql`DELETE FROM site_changes WHERE id = ${id}`)
  }
})
