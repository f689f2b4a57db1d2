import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Whoever deletes deliveries deletes their attempts with them: checking each attempt as it is made cost as much as storing it. */
const statement = `ALTER TABLE delivery_attempts DROP CONSTRAINT delivery_attempts_delivery_id_fkey`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(statement)
})
