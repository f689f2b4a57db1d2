import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Attempts to connect to a host that the visitor of the link named.
  "ALTER TABLE connect_sessions ADD COLUMN device_attempts smallint NOT NULL DEFAULT 0"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
