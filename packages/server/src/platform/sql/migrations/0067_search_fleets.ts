import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What the dashboard's page of the fleet looks up, and the filters that a workspace saves. */
const statements = [
  `CREATE INDEX devices_by_serial_prefix ON devices (workspace_id, lower(serial_number) text_pattern_ops)`,
  // Sites without coordinates are in it too: they are counted.
  `CREATE INDEX sites_by_place ON sites (workspace_id, latitude) INCLUDE (longitude, id)`,
  `CREATE TABLE saved_filters (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    page text COLLATE "C" NOT NULL,
    query text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT saved_filters_name_key UNIQUE (workspace_id, name, page)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
