import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // An enrollment that a visitor of the hosted page began: SHA-256 of the token with which the person goes on, and the connect
  // session that the page leads into.
  `ALTER TABLE enrollments ADD COLUMN page_token_hash bytea, ADD COLUMN page_session_id text COLLATE "C"`,
  `CREATE UNIQUE INDEX enrollments_page_token_key ON enrollments (page_token_hash) WHERE page_token_hash IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
