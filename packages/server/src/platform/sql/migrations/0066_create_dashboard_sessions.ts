import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Browsers that are signed in to the dashboard. A session ends with its key, whether or not its row is still there.
  `CREATE TABLE dashboard_sessions (
    id text COLLATE "C" PRIMARY KEY,
    -- SHA-256 of the cookie's value
    token_hash bytea NOT NULL,
    key_id text COLLATE "C" NOT NULL REFERENCES api_keys ON DELETE CASCADE,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
    method text NOT NULL,
    address text,
    user_agent text,
    signed_in_at timestamptz NOT NULL,
    -- at most a minute late
    last_used_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX dashboard_sessions_token ON dashboard_sessions (token_hash)`,
  `CREATE INDEX dashboard_sessions_by_organization ON dashboard_sessions (organization_id, id DESC)`,
  `CREATE INDEX dashboard_sessions_by_key ON dashboard_sessions (key_id)`,
  `CREATE INDEX dashboard_sessions_due ON dashboard_sessions (expires_at)`,
  // Links that sign in once. The sign-in deletes the row.
  `CREATE TABLE dashboard_links (
    id text COLLATE "C" PRIMARY KEY,
    -- SHA-256
    token_hash bytea NOT NULL,
    key_id text COLLATE "C" NOT NULL REFERENCES api_keys ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX dashboard_links_token ON dashboard_links (token_hash)`,
  `CREATE INDEX dashboard_links_by_key ON dashboard_links (key_id)`,
  `CREATE INDEX dashboard_links_due ON dashboard_links (expires_at)`
]

/** Sessions of the dashboard, and the links by which they begin. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
