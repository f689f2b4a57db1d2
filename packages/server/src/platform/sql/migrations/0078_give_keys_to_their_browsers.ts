import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The browsers of a connect session: its key goes to the one in which the account was linked. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE connect_sessions
    -- SHA-256, in base64url, of the ids of the browsers that have opened the link, the latest ones
    ADD COLUMN opened_by text[] NOT NULL DEFAULT '{}',
    -- SHA-256 of the id of the browser that began the sign-in, or sent the form, with which the account was linked
    ADD COLUMN linked_by bytea`
  // Sessions that are between the sign-in and the end go on.
  yield* sql`UPDATE connect_sessions s SET linked_by = (SELECT browser_hash FROM connect_authorizations a
      WHERE a.session_id = s.id AND a.redeemed_at IS NOT NULL ORDER BY a.id DESC LIMIT 1)
    WHERE live AND account_id IS NOT NULL`
})
