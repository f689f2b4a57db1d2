import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * These indexes are in order of time, and are only for statements that ask by time, which repeat the condition. While nothing is open they are
 * empty; analysed then, they looked cheaper to the planner than the indexes by device, and every look-up of a device read all that was open.
 */
const statements = [
  `DROP INDEX commands_deadline`,
  `CREATE INDEX commands_deadline ON commands (deadline)
    WHERE status IN ('pending', 'scheduled', 'delivered') AND deadline > '-infinity'`,
  `DROP INDEX dispatch_devices_due`,
  `CREATE INDEX dispatch_devices_due ON dispatch_devices (due_at) WHERE due_at > '-infinity'`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
