import { AlertRow, toAlert } from "@edp/server/alerts/alertRow"
import { selectList } from "@edp/server/platform/sql/selectList"
import { type CustomerRow, toCustomer } from "@edp/server/customers/customerRow"
import { type DeviceRow, listedDevice, toDevice } from "@edp/server/devices/deviceRow"
import { type SiteRow, toSite } from "@edp/server/sites/siteRow"

const device = `d.id, d.workspace_id AS "workspaceId", d.site_id AS "siteId", d.name,
  d.manufacturer_device_id AS "manufacturerDeviceId", d.serial_number AS "serialNumber",
  d.reference_id AS "referenceId", d.manufacturer, d.type, d.model, d.raw_type AS "rawType",
  d.raw_model AS "rawModel", d.model_year AS "modelYear", d.static_state AS "staticState", d.commands, d.tags,
  d.created_at AS "createdAt", d.updated_at AS "updatedAt", d.connected_at AS "connectedAt",
  d.disconnected_at AS "disconnectedAt", s.reading_id AS "readingId", s.at, s.state,
  s.reported_status AS "reportedStatus", s.latitude, s.longitude, sites.street_one AS "streetOne",
  sites.street_two AS "streetTwo", sites.city, sites.state AS "siteState", sites.postal_code AS "postalCode",
  sites.country, sites.county, sites.address_hash AS "addressHash", sites.latitude AS "siteLatitude",
  sites.longitude AS "siteLongitude", now() - m.online_window AS "onlineSince"`

const deviceTables = `JOIN manufacturers m ON m.slug = d.manufacturer
  LEFT JOIN device_states s ON s.device_id = d.id LEFT JOIN sites ON sites.id = d.site_id`

const site = `id, workspace_id AS "workspaceId", name, reference_id AS "referenceId", street_one AS "streetOne",
  street_two AS "streetTwo", city, state, postal_code AS "postalCode", country, latitude, longitude, timezone, tags,
  max_import_w AS "maxImportW", max_export_w AS "maxExportW", created_at AS "createdAt", updated_at AS "updatedAt",
  ARRAY(SELECT customer_id FROM customer_sites WHERE site_id = sites.id ORDER BY customer_id DESC) AS "customerIds",
  (SELECT count(*)::int FROM devices
    WHERE devices.site_id = sites.id AND devices.workspace_id = sites.workspace_id) AS "deviceCount"`

const customer = `id, workspace_id AS "workspaceId", reference_id AS "referenceId", first_name AS "firstName",
  last_name AS "lastName", email, email_unproven AS "emailUnconfirmed", phone, created_at AS "createdAt", updated_at AS "updatedAt",
  ARRAY(SELECT site_id FROM customer_sites WHERE customer_id = customers.id ORDER BY site_id DESC) AS "connectedSiteIds",
  ARRAY(SELECT device.id FROM (
      SELECT devices.id FROM customer_sites JOIN devices USING (site_id)
        WHERE customer_sites.customer_id = customers.id AND devices.workspace_id = customers.workspace_id
      UNION SELECT id FROM devices WHERE customer_id = customers.id AND workspace_id = customers.workspace_id
    ) AS device ORDER BY device.id DESC) AS "connectedDeviceIds"`

const alert = selectList(AlertRow)

/** One row a record, each with the exact total of the list. */
const page = (columns: string, table: string, total: string) => `SELECT page.*, (${total}) AS total
  FROM (SELECT ${columns} FROM (SELECT * FROM ${table} WHERE workspace_id = $1
    ORDER BY id DESC LIMIT $2 OFFSET $3) AS ${table} ORDER BY id DESC) AS page`

const count = (table: string) => `SELECT count(*)::int FROM ${table} WHERE workspace_id = $1`

/** Devices of the chosen ids, each with the exact total of the list. */
const devices = (ids: string, total: string) => `SELECT ${device}, (${total}) AS total
  FROM unnest(ARRAY(SELECT id FROM (${ids}) AS matching ORDER BY id DESC LIMIT $2 OFFSET $3)) AS page (id) JOIN devices d ON d.id = page.id
  ${deviceTables} ORDER BY d.id DESC`

const filtered = (name: string, condition: string) =>
  deviceList(
    name,
    `SELECT id FROM devices WHERE workspace_id = $1 AND ${condition}`,
    `SELECT count(*)::int FROM devices WHERE workspace_id = $1 AND ${condition}`
  )

const tagged = "FROM device_tags WHERE workspace_id = $1 AND tag = $4"
const members = "FROM collection_members WHERE workspace_id = $1 AND collection_id = $4"

/** Rows of a prepared statement as records of the API. */
export interface Statement<Row, Record> {
  readonly name: string
  readonly text: string
  readonly toRecord: (row: Row) => Record
}

const statement = <Row, Record>(name: string, text: string, toRecord: (row: Row) => Record) => ({
  name,
  text,
  toRecord
})

type Counted<Row> = Row & { readonly total: number }

/** `$1` is the workspace, `$2` the id. */
export const records = {
  devices: statement(
    "device",
    `SELECT ${device} FROM devices d ${deviceTables} WHERE d.id = $2 AND d.workspace_id = $1`,
    toDevice
  ),
  sites: statement("site", `SELECT ${site} FROM sites WHERE id = $2 AND workspace_id = $1`, toSite)
}

/** `$1` is the workspace, `$2` the limit, `$3` the offset, and `$4` what the list is filtered by. */
export const lists = {
  sites: statement("sites", page(site, "sites", count("sites")), (row: Counted<SiteRow>) => toSite(row)),
  customers: statement("customers", page(customer, "customers", count("customers")), (row: Counted<CustomerRow>) => {
    const { total: _, ...fields } = row
    return toCustomer(fields)
  }),
  alerts: statement("alerts", page(alert, "alerts", count("alerts")), (row: Counted<AlertRow>) => {
    const { total: _, ...fields } = row
    return toAlert(fields)
  })
}

const toListedDevice = listedDevice(undefined)

const deviceList = (name: string, ids: string, total: string) =>
  statement(name, devices(ids, total), (row: Counted<DeviceRow>) => toListedDevice(row))

/** By the name of the query parameter; the whole list is counted by the table that the platform keeps, too. */
export const deviceLists = {
  "": deviceList(
    "devices",
    "SELECT id FROM devices WHERE workspace_id = $1",
    "SELECT coalesce(sum(devices), 0)::int FROM workspace_device_counts WHERE workspace_id = $1"
  ),
  tag: deviceList("devices by tag", `SELECT device_id AS id ${tagged}`, `SELECT count(*)::int ${tagged}`),
  siteId: filtered("devices by site", "site_id = $4"),
  connected: filtered("devices by connection", "(disconnected_at IS NULL) = $4::boolean"),
  collection: deviceList("members", `SELECT member_id AS id ${members}`, `SELECT count(*)::int ${members}`)
}

/** The readings of a device, with those of the whole span counted. */
export const history = {
  name: "history",
  text: `SELECT id, at, state, (SELECT count(*)::int FROM readings
      WHERE device_id = $2 AND at >= $3::timestamptz AND at < $4::timestamptz) AS total
    FROM readings WHERE device_id = $2 AND at >= $3::timestamptz AND at < $4::timestamptz
      AND EXISTS (SELECT FROM devices WHERE id = $2 AND workspace_id = $1)
    ORDER BY at DESC LIMIT $5 OFFSET $6`
}

/** A page of events about readings. */
export const events = {
  name: "events",
  text: `SELECT page.*, readings.state, (SELECT count(*)::int FROM
      (SELECT FROM events WHERE workspace_id = $1 LIMIT 100000) AS counted) AS total
    FROM (SELECT id, sequence::float8 AS sequence, created_at AS "createdAt", device_id AS "deviceId",
        reading_at AS "readingAt" FROM events
      WHERE workspace_id = $1 ORDER BY events.sequence DESC LIMIT $2 OFFSET $3) AS page
    JOIN readings ON device_id = "deviceId" AND at = "readingAt" ORDER BY page.sequence DESC`
}

/** The other fields of events: `$1` are ids of devices. */
export const eventDevices = {
  name: "devices of events",
  text: `SELECT ${device}, (SELECT customer_id FROM customer_sites WHERE site_id = d.site_id
      ORDER BY customer_id LIMIT 1) AS "ownerId"
    FROM devices d ${deviceTables} WHERE d.id = ANY($1::text[])`
}
export const eventSites = {
  name: "sites of events",
  text: `SELECT ${site} FROM sites WHERE id IN (SELECT site_id FROM devices WHERE id = ANY($1::text[]))`
}
export const eventCustomers = {
  name: "customers of events",
  text: `SELECT ${customer} FROM customers WHERE id IN (SELECT (SELECT customer_id FROM customer_sites
    WHERE site_id = devices.site_id ORDER BY customer_id LIMIT 1) FROM devices WHERE id = ANY($1::text[]))`
}
