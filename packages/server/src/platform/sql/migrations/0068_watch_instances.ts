import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The processes of the service. Each rewrites its row every few seconds.
  `CREATE TABLE instances (
    id text COLLATE "C" PRIMARY KEY,
    role text NOT NULL,
    version text NOT NULL,
    node_version text NOT NULL,
    host_name text NOT NULL,
    pid integer NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL
  ) WITH (fillfactor = 50)`,
  // Accounts whose token ends soon.
  `CREATE INDEX accounts_expiring ON accounts (workspace_id, expires_at) WHERE status = 'connected'`,
  // The few accounts with an error.
  `CREATE INDEX accounts_troubled ON accounts (workspace_id, id) WHERE status = 'failed' OR last_error IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
