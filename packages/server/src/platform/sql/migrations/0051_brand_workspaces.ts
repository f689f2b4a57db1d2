import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Logo and accent colour of a workspace, for the connect pages. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE workspaces ADD COLUMN logo_url text, ADD COLUMN accent_color text`
})
