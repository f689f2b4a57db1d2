import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Mails and text messages of a workspace to a recipient in an hour of UTC: however many destinations lead there, and tests
 * among them. `recipient` is `EMAIL` or `SMS` and the normalised address. The hours of `delivery_queues` count no longer.
 */
const statements = [
  `CREATE TABLE recipient_hours (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    recipient text COLLATE "C" NOT NULL,
    hour timestamptz NOT NULL,
    sent integer NOT NULL,
    PRIMARY KEY (workspace_id, recipient)
  )`,
  `CREATE INDEX recipient_hours_by_hour ON recipient_hours (hour)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
