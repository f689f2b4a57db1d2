import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Always empty: a probe of readiness fills it in a transaction that it rolls back. Without compression its rows take their space.
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("CREATE TABLE write_probe (filler text NOT NULL)")
  yield* sql.unsafe("ALTER TABLE write_probe ALTER COLUMN filler SET STORAGE PLAIN")
})
