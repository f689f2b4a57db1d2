import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  /*
   * Imports of workspaces, by the id of the export. `head` is the first entry of the archive. Until `finished_at` nothing of the workspace
   * is visible.
   */
  `CREATE TABLE workspace_imports (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
    workspace_id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    head jsonb NOT NULL,
    parts integer NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL,
    finished_at timestamptz
  )`,
  `CREATE UNIQUE INDEX workspace_imports_open ON workspace_imports (workspace_id) WHERE finished_at IS NULL`,
  // Parts that wait for the end of the import, as they are in the archive.
  `CREATE TABLE workspace_import_parts (
    import_id text COLLATE "C" NOT NULL REFERENCES workspace_imports ON DELETE CASCADE,
    part integer NOT NULL,
    table_name text NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (import_id, part)
  )`
]

/** Stores the parts of workspaces that are being imported. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
