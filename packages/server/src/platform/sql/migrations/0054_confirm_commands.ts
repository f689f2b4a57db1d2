import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Seconds within which the devices of a manufacturer confirm a command: its adapter's, or else the time-out. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE manufacturers ADD COLUMN confirm_within integer NOT NULL DEFAULT 900`
})
