import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Which alerts the lists of a workspace show; without a row, all. The index answers how many those are without touching
 * the alerts themselves, and finds the few that a narrow configuration leaves.
 */
const statements = [
  `CREATE TABLE alert_configurations (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    rules jsonb NOT NULL,
    saved_at timestamptz NOT NULL,
    saved_by text NOT NULL
  )`,
  `CREATE INDEX alerts_by_visibility ON alerts (workspace_id, severity, type, subtype, source_system, status)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
