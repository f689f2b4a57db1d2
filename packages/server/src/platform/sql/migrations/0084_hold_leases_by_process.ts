import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The processes that hold leases. `missing_since`: another process has found that its session with the database is gone.
  `CREATE TABLE lease_holders (
    id uuid PRIMARY KEY,
    missing_since timestamptz
  )`,
  // The process behind each claim, so that the leases of one that is gone can be ended.
  `ALTER TABLE device_work ADD COLUMN holder uuid`,
  `ALTER TABLE account_work ADD COLUMN holder uuid`,
  `ALTER TABLE delivery_lanes ADD COLUMN holder uuid`,
  `ALTER TABLE fleets ADD COLUMN holder uuid`,
  `CREATE INDEX device_work_by_holder ON device_work (holder) WHERE claim IS NOT NULL`,
  `CREATE INDEX account_work_by_holder ON account_work (holder) WHERE claim IS NOT NULL`,
  `CREATE INDEX delivery_lanes_by_holder ON delivery_lanes (holder) WHERE claim IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
