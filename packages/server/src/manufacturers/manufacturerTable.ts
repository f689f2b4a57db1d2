import { DeviceType } from "@edp/domain/devices/DeviceType"
import type { SqlClient, Statement } from "effect/sql"
import { decodeRows } from "../platform/sql/rows.ts"
import { Schema } from "effect"

const DeviceTypesRow = Schema.Struct({ deviceTypes: Schema.Array(DeviceType) })

/** Statements of later slices on manufacturers. */
export const manufacturerTable = (sql: SqlClient.SqlClient) => ({
  /** The manufacturer's device types, locked until the transaction ends. */
  hold: (slug: string) =>
    decodeRows(DeviceTypesRow)(sql`SELECT device_types AS "deviceTypes"
      FROM manufacturers WHERE slug = ${slug} FOR SHARE`),
  /** Joins the manufacturer that a column names. */
  join: (column: string) => sql`JOIN manufacturers ON slug = ${sql(column)}`,
  /** Whether another organization keeps the manufacturer that a column names for itself. */
  isKeptByAnother: (column: string, organizationId: string) =>
    sql`EXISTS (SELECT FROM manufacturers WHERE slug = ${sql(column)} AND organization_id <> ${organizationId})`,
  /** A query of the values, which may contain `slug`, if the manufacturer exists. */
  values: (slug: string, values: Statement.Fragment) => sql`SELECT ${values} FROM manufacturers WHERE slug = ${slug}`
})
