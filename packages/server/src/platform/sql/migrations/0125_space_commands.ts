import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The mark before a call changes no index where its new row fits beside the old one.
  "ALTER TABLE commands SET (fillfactor = 50)"
]

/** Leaves room in new blocks of commands for the mark before a call. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
