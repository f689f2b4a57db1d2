import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The contact for questions of end users, and the units in which the dashboard shows temperatures and distances.
  `ALTER TABLE workspaces ADD COLUMN contact_email text, ADD COLUMN contact_phone text, ADD COLUMN contact_url text,
    ADD COLUMN temperature_unit text NOT NULL DEFAULT 'F', ADD COLUMN distance_unit text NOT NULL DEFAULT 'mi'`
]

/** Lets a workspace name a contact and the units of its dashboard. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
