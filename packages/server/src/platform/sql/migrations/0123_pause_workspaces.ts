import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Since when nothing leaves the service for the workspace: no command, delivery or mail, and no call to a manufacturer.
  `ALTER TABLE workspaces ADD COLUMN paused_at timestamptz`,
  `CREATE INDEX workspaces_paused ON workspaces (id) WHERE paused_at IS NOT NULL`
]

/** Lets a workspace rest while it moves to another installation. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
