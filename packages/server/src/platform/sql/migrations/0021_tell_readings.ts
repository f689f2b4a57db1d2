import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * An event of a new current state has no payload: it is told from the reading of its device at `reading_at`, whose id it
 * has, and from the records of the device.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`ALTER TABLE events ADD COLUMN reading_at timestamptz`)
})
