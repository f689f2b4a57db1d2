import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Few of many deliveries are superseded: those of a destination are found without reading all of its others. */
const statement = `CREATE INDEX deliveries_superseded ON deliveries (destination_id, id DESC) WHERE status = 'superseded'`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(statement)
})
