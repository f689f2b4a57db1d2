import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // W; null is without limit.
  `ALTER TABLE sites ADD COLUMN max_import_w double precision, ADD COLUMN max_export_w double precision`,
  // The few sites that have one: most workspaces have none, which this tells at once.
  `CREATE INDEX sites_limited ON sites (workspace_id, id) WHERE max_import_w IS NOT NULL OR max_export_w IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
