import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A claim is renewed and released by its name: one that was lost ends nobody else's.
  `ALTER TABLE fleets ADD COLUMN claim uuid`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
