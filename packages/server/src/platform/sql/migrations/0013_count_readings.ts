import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * How many readings a device has on each UTC day of a month, so that the total of years is a sum and no count. All days
 * before `counted_until` are in it, and those without a row have none. A reading that comes late takes `counted_until`
 * back to its time; what is counted after it is counted anew before it is believed.
 */
const statements = [
  `CREATE TABLE reading_counts (
    device_id text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE,
    month date NOT NULL,
    days integer[] NOT NULL,
    PRIMARY KEY (device_id, month)
  )`,
  `ALTER TABLE device_states ADD COLUMN counted_until timestamptz`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
