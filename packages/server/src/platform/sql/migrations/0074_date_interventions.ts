import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** When the interventions of a device were last seen: what was seen long ago decides nothing about a command. */
const dated = `ALTER TABLE devices ADD COLUMN interventions_at timestamptz`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(dated)
})
