import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { decodeRows } from "../../platform/sql/rows.ts"

const RecordRow = Schema.Struct({ key: Schema.String, value: Schema.Unknown, version: Schema.Finite })
type RecordRow = typeof RecordRow.Type

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    get: (adapter: string, key: string) =>
      query(
        decodeRows(RecordRow)(
          sql`SELECT key, value, version FROM adapter_records WHERE adapter = ${adapter} AND key = ${key}`
        )
      ).pipe(Effect.map(([row]) => row)),
    /** In the order of keys. */
    list: (adapter: string, prefix: string, limit: number, after: string) =>
      query(
        decodeRows(RecordRow)(sql`SELECT key, value, version FROM adapter_records
        WHERE adapter = ${adapter} AND key > ${after} AND key >= ${prefix} AND starts_with(key, ${prefix})
          AND key < ${prefix} || chr(1114111)
        ORDER BY key LIMIT ${limit}`)
      ),
    insert: (adapter: string, key: string, value: string, now: Date) =>
      query(sql`INSERT INTO adapter_records (adapter, key, version, value, updated_at)
        VALUES (${adapter}, ${key}, 1, ${value}::jsonb, ${now}) ON CONFLICT DO NOTHING RETURNING key`).pipe(
        Effect.map((rows) => rows.length > 0)
      ),
    update: (adapter: string, key: string, version: number, value: string, now: Date) =>
      query(sql`UPDATE adapter_records SET version = version + 1, value = ${value}::jsonb, updated_at = ${now}
        WHERE adapter = ${adapter} AND key = ${key} AND version = ${version} RETURNING key`).pipe(
        Effect.map((rows) => rows.length > 0)
      ),
    remove: (adapter: string, key: string) =>
      query(sql`DELETE FROM adapter_records WHERE adapter = ${adapter} AND key = ${key}`)
  }
})

/** Records of adapters: JSON under a key, with a version. */
export class AdapterRecordsRepository extends Context.Service<AdapterRecordsRepository, Effect.Success<typeof make>>()(
  "@edp/server/accounts/AdapterRecordsRepository"
) {
  static readonly layer = Layer.effect(AdapterRecordsRepository, make)
}
