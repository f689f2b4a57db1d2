import { DeviceType } from "@edp/domain/devices/DeviceType"
import type { SqlClient } from "effect/sql"
import { Schema } from "effect"
import { JsonColumn, decodeRows } from "../platform/sql/rows.ts"

/** The fields that a device takes from its model. */
export const ModelFields = Schema.Struct({
  id: Schema.String,
  manufacturer: Schema.String,
  name: Schema.String,
  type: DeviceType,
  staticState: Schema.NullOr(JsonColumn<Readonly<Record<string, unknown>>>()),
  commands: Schema.Array(Schema.String)
})
export type ModelFields = typeof ModelFields.Type

export const findModel = (sql: SqlClient.SqlClient, id: string) =>
  decodeRows(ModelFields)(sql`SELECT id, manufacturer, name, type, static_state AS "staticState", commands
    FROM device_models WHERE id = ${id}`)
