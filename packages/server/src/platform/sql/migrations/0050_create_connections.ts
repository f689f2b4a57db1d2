import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A person's session in which devices are connected. What is only needed while the link works is cleared when it expires.
  `CREATE TABLE connect_sessions (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    created_by_id text COLLATE "C" NOT NULL,
    created_by_type text NOT NULL,
    -- SHA-256; null in headless mode, which has no link of ours
    token_hash bytea,
    status text NOT NULL,
    mode text NOT NULL,
    reference_id text NOT NULL,
    reference_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
      CASE WHEN char_length(reference_id) <= 200 THEN reference_id
        ELSE left(reference_id, 200) || md5(reference_id) END
    ) STORED,
    redirect_url text,
    client_name text,
    tags text[],
    manufacturers text[],
    device_types text[],
    params jsonb,
    language text,
    color_scheme text,
    -- what the caller gave and the person typed
    customer_info jsonb,
    -- the located address of customer_info
    place jsonb,
    customer_id text COLLATE "C" REFERENCES customers ON DELETE SET NULL,
    site_id text COLLATE "C" REFERENCES sites ON DELETE SET NULL,
    manufacturer text COLLATE "C",
    consent jsonb,
    -- the account to sign in to again
    reconnect_id text COLLATE "C" REFERENCES accounts ON DELETE CASCADE,
    -- pending until SUCCESS
    account_id text COLLATE "C" REFERENCES accounts ON DELETE SET NULL,
    discovered jsonb,
    sealed_instructions bytea,
    device_ids text[] NOT NULL DEFAULT '{}',
    key_id text COLLATE "C",
    sealed_key bytea,
    transitions jsonb NOT NULL,
    last_error jsonb,
    -- whether the link still works, or the session is still to be cleared
    live boolean NOT NULL DEFAULT true,
    expires_at timestamptz NOT NULL,
    removed_at timestamptz,
    disconnected_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  ) WITH (fillfactor = 70)`,
  `CREATE UNIQUE INDEX connect_sessions_token ON connect_sessions (token_hash) WHERE token_hash IS NOT NULL`,
  `CREATE INDEX connect_sessions_by_workspace ON connect_sessions (workspace_id, id DESC)`,
  `CREATE INDEX connect_sessions_by_reference ON connect_sessions (workspace_id, reference_key, id DESC)`,
  `CREATE INDEX connect_sessions_by_status ON connect_sessions (workspace_id, status, id DESC)`,
  `CREATE INDEX connect_sessions_by_manufacturer ON connect_sessions (workspace_id, manufacturer, id DESC)`,
  `CREATE INDEX connect_sessions_by_customer ON connect_sessions (customer_id) WHERE customer_id IS NOT NULL`,
  `CREATE INDEX connect_sessions_by_site ON connect_sessions (site_id) WHERE site_id IS NOT NULL`,
  `CREATE INDEX connect_sessions_by_account ON connect_sessions (account_id) WHERE account_id IS NOT NULL`,
  `CREATE INDEX connect_sessions_by_reconnect ON connect_sessions (reconnect_id) WHERE reconnect_id IS NOT NULL`,
  `CREATE INDEX connect_sessions_due ON connect_sessions (expires_at) WHERE live`,
  // Sign-ins that were begun at manufacturers. A callback stands on the state alone.
  `CREATE TABLE connect_authorizations (
    id text COLLATE "C" PRIMARY KEY,
    session_id text COLLATE "C" NOT NULL REFERENCES connect_sessions ON DELETE CASCADE,
    manufacturer text COLLATE "C" NOT NULL,
    -- SHA-256
    state_hash bytea NOT NULL,
    -- the PKCE verifier, the URL and the token of the session's link
    sealed bytea NOT NULL,
    -- SHA-256 of the id of the browser that began it
    browser_hash bytea,
    refused_at timestamptz,
    redeemed_at timestamptz,
    created_at timestamptz NOT NULL
  )`,
  `CREATE UNIQUE INDEX connect_authorizations_state ON connect_authorizations (state_hash)`,
  `CREATE INDEX connect_authorizations_by_session ON connect_authorizations (session_id, id DESC)`
]

/** Connect sessions and the sign-ins that they begin. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
