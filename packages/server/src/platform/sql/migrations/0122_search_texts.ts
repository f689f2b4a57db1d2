import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** In this file as it was when the indexes were made: a statement uses an index only with the same expression. */
const text = (required: ReadonlyArray<string>, optional: ReadonlyArray<string> = []) =>
  `lower((${[...required, ...optional.map((column) => `COALESCE(${column}, '')`)]
    .map((column) => `' ' || ${column}`)
    .join(" || ")}) COLLATE "default")`

/*
 * The workspace is an expression, which no other index has: the planner would take another one where it expects many matches, and read them all. Changes
 * wait in a list of at most 1 MB, which every search reads: one by one they take eight times as long to write.
 */
const index = (table: string, content: string) =>
  `CREATE INDEX ${table}_by_text ON ${table} USING gin ((workspace_id || ''), ${content} gin_trgm_ops) WITH (gin_pending_list_limit = 1024)`

const statements = [
  `CREATE EXTENSION IF NOT EXISTS pg_trgm`,
  `CREATE EXTENSION IF NOT EXISTS btree_gin`,
  index(
    "devices",
    text(["name", "manufacturer", "model", "manufacturer_device_id", "reference_id"], ["serial_number"])
  ),
  index("sites", text(["street_one", "city", "state", "postal_code"], ["name", "street_two", "reference_id"])),
  index("customers", text([], ["first_name", "last_name", "email", "phone", "reference_id"])),
  index("accounts", text(["name", "manufacturer", "reference_id"]))
]

/** Lets texts of records be searched by their parts. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
