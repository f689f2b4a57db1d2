import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The origins and schemes to which connect sessions of a workspace may send people. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE workspaces ADD COLUMN connect_redirects text[] NOT NULL DEFAULT '{}'`
})
