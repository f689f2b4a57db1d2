import { DeviceModel, type UpdateDeviceModel } from "@edp/domain/device-models/DeviceModel"
import { DuplicateName } from "@edp/domain/errors/ApiErrors"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { conditions } from "../platform/sql/lists.ts"
import { TimestampColumn, decodeRows, queryCount, queryRows } from "../platform/sql/rows.ts"
import { manufacturerTable } from "../manufacturers/manufacturerTable.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import type { CatalogueModel } from "./catalogue/CatalogueModel.ts"
import { selectList } from "../platform/sql/selectList.ts"

export interface Filters {
  readonly manufacturer?: ReadonlyArray<string>
  readonly type?: ReadonlyArray<string>
}

const DeviceModelRow = Schema.Struct({ ...DeviceModel.fields, createdAt: TimestampColumn })

const nameTaken = uniqueTo(
  "device_models_name_key",
  () => new DuplicateName({ message: "The manufacturer has a device model of this name" })
)

const json = (value: object | null) => (value === null ? null : JSON.stringify(value))

const TypeRow = Schema.Struct({ type: Schema.String })

export const DeviceModelsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { isAnyOf } = conditions(sql)
  const columns = sql.literal(selectList(DeviceModelRow))
  const matching = (filters: Filters) =>
    sql.and([...isAnyOf("manufacturer", filters.manufacturer), ...isAnyOf("type", filters.type)])
  const manufacturers = manufacturerTable(sql)
  const rows = decodeRows(DeviceModelRow)

  return {
    list: (filters: Filters, limit: number, offset: number) =>
      query(sql`SELECT ${columns} FROM device_models WHERE ${matching(filters)}
        ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`).pipe(rows),
    count: (filters: Filters) =>
      queryCount(sql`SELECT count(*)::int AS n FROM device_models WHERE ${matching(filters)}`),
    get: (id: string) => query(sql`SELECT ${columns} FROM device_models WHERE id = ${id}`).pipe(rows),
    /** Locks the model until the transaction ends. */
    lock: (id: string) =>
      query(sql`SELECT ${columns} FROM device_models WHERE id = ${id} FOR NO KEY UPDATE`).pipe(rows),
    /** Device types with models of the manufacturer, except the given ones. */
    typesBesides: (slug: string, types: ReadonlyArray<string>) =>
      queryRows(TypeRow)(sql`SELECT DISTINCT type FROM device_models
        WHERE manufacturer = ${slug} AND type <> ALL(${types}::text[]) ORDER BY type`).pipe(
        Effect.map((found) => found.map(({ type }) => type))
      ),
    /** The manufacturer's device types, locked until the transaction ends. */
    holdManufacturer: (slug: string) => query(manufacturers.hold(slug)),
    /** No row when the manufacturer does not exist. */
    insert: (model: Omit<DeviceModel, "createdAt">, now: Date) =>
      sql`INSERT INTO device_models
          (id, manufacturer, name, type, static_state, commands, created_at, updated_at)
        ${manufacturers.values(
          model.manufacturer,
          sql`${model.id}, slug, ${model.name}, ${model.type}, ${json(model.staticState)}::jsonb,
          ${model.commands}::text[], ${now}, ${now}`
        )} RETURNING ${columns}`.pipe(nameTaken, query, rows),
    update: (id: string, changes: UpdateDeviceModel, now: Date) =>
      sql`UPDATE device_models SET ${sql.csv([
        ...(changes.name === undefined ? [] : [sql`name = ${changes.name}`]),
        ...(changes.staticState === undefined ? [] : [sql`static_state = ${json(changes.staticState)}::jsonb`]),
        ...(changes.commands === undefined ? [] : [sql`commands = ${changes.commands}::text[]`]),
        sql`updated_at = ${now}`
      ])} WHERE id = ${id} RETURNING ${columns}`.pipe(nameTaken, query, rows),
    /**
     * Models with a known key or name stay unchanged, also under concurrent inserts. Models of a missing manufacturer are
     * skipped.
     */
    insertMissing: (models: ReadonlyArray<CatalogueModel & { readonly id: string }>, now: Date) =>
      query(sql`INSERT INTO device_models
          (id, manufacturer, name, type, static_state, commands, catalogue_key, created_at, updated_at)
        SELECT id, manufacturer, given.name, type, nullif("staticState", 'null'),
          ARRAY(SELECT jsonb_array_elements_text(commands)), key, ${now}, ${now}
        FROM jsonb_to_recordset(${JSON.stringify(models)}::jsonb) AS given (id text, key text, manufacturer text,
          name text, type text, "staticState" jsonb, commands jsonb)
        ${manufacturers.join("manufacturer")}
        ORDER BY key ON CONFLICT DO NOTHING`)
  }
})
