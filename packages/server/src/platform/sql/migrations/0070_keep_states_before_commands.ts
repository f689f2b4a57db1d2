import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The states with which a command's confirmation is compared: a value that was so before proves nothing. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`ALTER TABLE commands
    -- the device's state when the command was handed over, in the fields that confirm commands
    ADD COLUMN state_before jsonb,
    -- the same fields of the newest reading that was compared with it
    ADD COLUMN state_seen jsonb,
    -- the input as the device got it, where its own steps round it
    ADD COLUMN sent_input jsonb`)
})
