import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The sessions of one browser, one after the other: what one of them made is listed and ended with the present one.
  `ALTER TABLE dashboard_sessions ADD COLUMN maker_id text COLLATE "C"`,
  `UPDATE dashboard_sessions SET maker_id = id`,
  `ALTER TABLE dashboard_sessions ALTER COLUMN maker_id SET NOT NULL`,
  // The browser whose session made the link of this session, or this link.
  `ALTER TABLE dashboard_sessions ADD COLUMN made_by text COLLATE "C"`,
  `ALTER TABLE dashboard_links ADD COLUMN made_by text COLLATE "C"`,
  `CREATE INDEX dashboard_sessions_made ON dashboard_sessions (made_by) WHERE made_by IS NOT NULL`,
  `CREATE INDEX dashboard_links_made ON dashboard_links (made_by) WHERE made_by IS NOT NULL`,
  // The browser in which a key or a connect session was made, and the MANAGEMENT key of its session.
  `ALTER TABLE api_keys ADD COLUMN made_by text COLLATE "C", ADD COLUMN made_with text COLLATE "C"`,
  `CREATE INDEX api_keys_made_by ON api_keys (made_by, id) WHERE made_by IS NOT NULL`,
  `CREATE INDEX api_keys_made_with ON api_keys (made_with) WHERE made_with IS NOT NULL`,
  `ALTER TABLE connect_sessions ADD COLUMN made_by text COLLATE "C"`,
  `CREATE INDEX connect_sessions_made ON connect_sessions (made_by) WHERE made_by IS NOT NULL AND live`
]

/** Credentials remember the dashboard session that made them, so that they can be ended with it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
