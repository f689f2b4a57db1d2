import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The beginning of the last call: a reading from before it says nothing about the command.
  `ALTER TABLE commands ADD COLUMN handed_at timestamptz`,
  // Commands whose calls were interrupted twice: only the state or the time-out can tell.
  `CREATE INDEX commands_interrupted ON commands (id) WHERE status IN ('pending', 'scheduled') AND interruptions > 1`,
  // The few commands of a device that have not ended, among all that it ever got.
  `CREATE INDEX commands_open ON commands (device_id, id) WHERE status IN ('pending', 'scheduled', 'delivered')`,
  // Commands that may get a late result.
  `CREATE INDEX commands_timed_out ON commands (executed_at, id) WHERE reason = 'timeout' AND late_result IS NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
