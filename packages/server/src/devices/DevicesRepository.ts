import type { Device } from "@edp/domain/devices/Device"
import { SiteNotFound } from "@edp/domain/errors/ApiErrors"
import { Context, Effect, Layer } from "effect"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import { membershipsOf } from "../platform/criteria/memberSql.ts"
import { references } from "../platform/sql/references.ts"
import { query } from "../platform/sql/transaction.ts"
import type { DeviceRow } from "./toDevice.ts"

/** What PATCH and its kin change. What is absent stays. */
export interface Changes {
  readonly name?: string
  readonly siteId?: string | null
  readonly tags?: ReadonlyArray<string>
  readonly referenceId?: string
}

interface Tagged {
  readonly workspaceId: string | null
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
}

/** What `rowOf` takes, in this order. */
const columns = `d.id, d.workspace_id, d.site_id, d.name, d.manufacturer_device_id, d.serial_number, d.reference_id,
  d.manufacturer, d.type, d.model, d.raw_type, d.raw_model, d.model_year, d.static_state, d.commands, d.tags,
  d.created_at, d.updated_at, d.connected_at, d.disconnected_at, s.reading_id, s.at, s.state, s.reported_status,
  s.latitude, s.longitude, sites.street_one, sites.street_two, sites.city, sites.state, sites.postal_code,
  sites.country, sites.county, sites.address_hash, sites.latitude, sites.longitude`

/** The driver fills its rows name by name, and the engine keeps objects of so many names in a slow and large form. */
const rowOf = (values: ReadonlyArray<any>): DeviceRow => ({
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
  onlineSince: values[36]
})

/** Of all that an update changes, only the site is held by a foreign key: it was deleted after it was looked up. */
const siteGone = <A, R>(self: Effect.Effect<A, SqlError.SqlError, R>) =>
  Effect.catch(self, (failure): Effect.Effect<never, SqlError.SqlError | SiteNotFound> =>
    Effect.fail(failure.reason._tag === "ConstraintError" ? new SiteNotFound({}) : failure)
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const selected = sql.literal(columns)

  /** The devices of an array of ids, newest first. */
  const select = (ids: Statement.Fragment, now: Date) => {
    const { values } = sql`SELECT ${selected}, ${now}::timestamptz - m.online_window
      FROM unnest(${ids}) AS page (id) JOIN devices d ON d.id = page.id JOIN manufacturers m ON m.slug = d.manufacturer
      LEFT JOIN device_states s ON s.device_id = d.id LEFT JOIN sites ON sites.id = d.site_id ORDER BY d.id DESC`
    return Effect.map(query(values), (rows) => rows.map(rowOf))
  }

  return {
    ...references(sql),
    /** What makes the members of a collection of devices; undefined when the workspace has none of this id. */
    memberships: (workspaceId: string, collectionIds: ReadonlyArray<string>) =>
      membershipsOf(sql, workspaceId, "DEVICE", collectionIds),
    /** The devices whose ids a query answers. It chooses them, by a plan of its own, before anything is joined. */
    chosen: (ids: Statement.Fragment, now: Date) => select(sql`ARRAY(${ids})`, now),
    byIds: (ids: ReadonlyArray<string>, now: Date) => select(sql`${ids}::text[]`, now),
    byId: (id: string, now: Date) => Effect.map(select(sql`${[id]}::text[]`, now), ([row]) => row),
    /** Whose each device is: who connected it, else who was first associated with its site. */
    owners: (ids: ReadonlyArray<string>) =>
      query(sql<{ readonly id: string; readonly customerId: string | null }>`SELECT id, coalesce(customer_id, (
          SELECT customer_id FROM customer_sites WHERE site_id = devices.site_id ORDER BY customer_id LIMIT 1
        )) AS "customerId" FROM devices WHERE id = ANY(${ids}::text[])`),
    /** Holds the device until the end of the transaction, so that its changes come one after another. */
    hold: (workspaceId: string, id: string) =>
      query(sql`SELECT FROM devices WHERE id = ${id} AND workspace_id = ${workspaceId} FOR NO KEY UPDATE`),
    /** Some of the devices at the site, the newest first and before one where that is given; held. */
    holdAtSite: (siteId: string, limit: number, before?: string) =>
      query(sql<{ readonly id: string }>`SELECT id FROM devices
        WHERE ${sql.and([sql`site_id = ${siteId}`, ...(before === undefined ? [] : [sql`id < ${before}`])])}
        ORDER BY id DESC LIMIT ${limit} FOR NO KEY UPDATE`).pipe(Effect.map((rows) => rows.map(({ id }) => id))),
    /** The foreign key would do it too, but the devices change by it, and their time of change is to say so. */
    leaveSite: (ids: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE devices SET site_id = NULL, updated_at = ${now} WHERE id = ANY(${ids}::text[])`),
    /** Answers nothing where the workspace has no such device. */
    update: (workspaceId: string, id: string, changes: Changes, now: Date) =>
      sql`UPDATE devices SET ${sql.csv([
        ...(changes.name === undefined ? [] : [sql`name = ${changes.name}`]),
        ...(changes.siteId === undefined ? [] : [sql`site_id = ${changes.siteId}`]),
        ...(changes.tags === undefined ? [] : [sql`tags = ${changes.tags}::text[]`]),
        ...(changes.referenceId === undefined ? [] : [sql`reference_id = ${changes.referenceId}`]),
        sql`updated_at = ${now}`
      ])} WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING id`.pipe(siteGone, query),
    /** Takes the device from the site that it is at; answers nothing when that is another one. */
    unlink: (workspaceId: string, siteId: string, id: string, now: Date) =>
      query(sql`UPDATE devices SET site_id = NULL, updated_at = ${now}
        WHERE id = ${id} AND workspace_id = ${workspaceId} AND site_id = ${siteId} RETURNING id`),
    tags: (id: string) =>
      query(sql<Tagged>`SELECT workspace_id AS "workspaceId", reference_id AS "referenceId", tags
        FROM devices WHERE id = ${id}`),
    setTags: (id: string, tags: ReadonlyArray<string>, now: Date) =>
      query(sql`UPDATE devices SET tags = ${tags}::text[], updated_at = ${now} WHERE id = ${id}`),
    /** Holds the device until the end of the transaction, also against readings that are about to be stored. */
    lock: (workspaceId: string, id: string) =>
      query(sql<{ readonly direct: boolean; readonly tags: ReadonlyArray<string> }>`
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
    /** Keeps what the device is known by: its maker may bring it back. */
    disassociate: (id: string, now: Date) =>
      query(sql`WITH forgotten AS (INSERT INTO forgotten_histories (device_id) VALUES (${id}) ON CONFLICT DO NOTHING),
          states AS (DELETE FROM device_states WHERE device_id = ${id})
        UPDATE devices SET workspace_id = NULL, site_id = NULL, customer_id = NULL, disconnected_at = ${now},
          updated_at = ${now} WHERE id = ${id}`),
    remove: (id: string) => query(sql`DELETE FROM devices WHERE id = ${id}`)
  }
})

export class DevicesRepository extends Context.Service<DevicesRepository, Effect.Success<typeof make>>()(
  "@edp/server/DevicesRepository"
) {
  static readonly layer = Layer.effect(DevicesRepository, make)
}
