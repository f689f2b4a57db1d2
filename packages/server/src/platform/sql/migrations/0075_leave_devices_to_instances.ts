import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The instance that holds a device's connection: the others leave the device to it until `avoided_until`. Instances have text ids.
  `ALTER TABLE device_work
    ALTER COLUMN avoided_by TYPE text COLLATE "C",
    ADD COLUMN left_to text COLLATE "C"`,
  `CREATE INDEX device_work_left ON device_work (left_to, due_at) WHERE left_to IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
