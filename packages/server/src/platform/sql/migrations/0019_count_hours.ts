import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Readings are counted by the hour, in running sums: how many a device has before any hour is the sum of two numbers,
 * and what is left to be counted is less than two hours. `earlier` are those before the month, `hours` those from its
 * beginning until the end of each hour. What was counted by the day is counted again when it is asked for.
 */
const statements = [
  `UPDATE device_states SET counted_until = NULL WHERE counted_until IS NOT NULL`,
  `DELETE FROM reading_counts`,
  `ALTER TABLE reading_counts
    DROP COLUMN days,
    ADD COLUMN earlier bigint NOT NULL,
    ADD COLUMN hours integer[] NOT NULL`,
  // One page holds a month's numbers: elsewhere they would be read in pieces.
  `ALTER TABLE reading_counts ALTER COLUMN hours SET STORAGE MAIN`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
