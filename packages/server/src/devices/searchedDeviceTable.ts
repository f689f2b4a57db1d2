import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { anyOf, limited } from "../platform/sql/lists.ts"
import { decodeRows } from "../platform/sql/rows.ts"
import { type SearchedRecord, type SearchedTable, searchedText } from "../platform/sql/textSearch.ts"

const orNull = Schema.NullOr

const Row = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  manufacturer: Schema.String,
  model: Schema.String,
  manufacturerDeviceId: Schema.String,
  serialNumber: orNull(Schema.String),
  referenceId: Schema.String,
  address: orNull(Schema.String)
})

type Field = "name" | "serialNumber" | "manufacturerDeviceId" | "referenceId" | "model" | "manufacturer"
type Found = SearchedRecord<Field>

const toRecord = (row: typeof Row.Type): Found => {
  const { address, id, manufacturer, manufacturerDeviceId, model, name, referenceId, serialNumber } = row
  return {
    id,
    name,
    detail: [manufacturer, serialNumber ?? manufacturerDeviceId, address].filter((each) => each !== null).join(", "),
    fields: [
      ["name", name],
      ["serialNumber", serialNumber ?? ""],
      ["manufacturerDeviceId", manufacturerDeviceId],
      ["referenceId", referenceId],
      ["model", model],
      ["manufacturer", manufacturer]
    ]
  }
}

const columns = `devices.id, devices.name, manufacturer, model, manufacturer_device_id AS "manufacturerDeviceId",
  serial_number AS "serialNumber", devices.reference_id AS "referenceId",
  street_one || ', ' || city || ', ' || state || ' ' || postal_code AS address`

const joins = "LEFT JOIN sites ON sites.id = devices.site_id"

/** The devices of a workspace by what is written on them. */
export const searchedDevices: SearchedTable<typeof Row.Type, Field> = {
  table: "devices",
  text: searchedText(
    ["devices.name", "manufacturer", "model", "manufacturer_device_id", "devices.reference_id"],
    ["serial_number"]
  ),
  isIndexed: true,
  beginnings: [
    { value: "name_key", order: "name_key" },
    { value: "lower(serial_number)", order: "lower(serial_number) USING ~<~" }
  ],
  numbers: ["manufacturer_device_id", "reference_key"],
  columns,
  joins,
  row: Row,
  toRecord
}

/** The newest devices of sites, at most `most` of each, by the site. */
export const devicesAtSites = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  siteIds: ReadonlyArray<string>,
  most: number
) =>
  decodeRows(Schema.Struct({ ...Row.fields, siteId: Schema.String }))(sql`
    SELECT site_id AS "siteId", ${sql.literal(columns)} FROM (
      SELECT newest.* FROM sites CROSS JOIN LATERAL (
        SELECT * FROM devices WHERE devices.site_id = sites.id AND devices.workspace_id = ${workspaceId}
        ORDER BY id DESC ${limited(sql, most)}) AS newest
      WHERE sites.id = ${anyOf(sql, siteIds)}) AS devices
    ${sql.literal(joins)} ORDER BY devices.id DESC`).pipe(
    Effect.map((rows) => Map.groupBy(rows, ({ siteId }) => siteId)),
    Effect.map(
      (bySite) =>
        (siteId: string): ReadonlyArray<Found> =>
          (bySite.get(siteId) ?? []).map(toRecord)
    )
  )
