import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The end of a forced mode looks up the settings that users have changed meanwhile: commands other than modes that were completed. */
const takenSettings = `CREATE INDEX commands_taken ON commands (device_id, executed_at)
  WHERE source = 'user' AND status = 'completed' AND type NOT LIKE '%:set-operating-mode'`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(takenSettings)
})
