import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The latest charges of a fleet are kept from each quarter of a local day on: an element of a row with the step `hour` or `day` has the sum of
 * the latest values from that quarter to the end of the hour or day. The sums with other elements are made anew.
 */
const statements = [
  "DELETE FROM fleet_block_quarters",
  "DELETE FROM fleet_blocks",
  "DELETE FROM fleet_quarters",
  "UPDATE fleet_recent SET as_of = NULL, days = '{}'"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
