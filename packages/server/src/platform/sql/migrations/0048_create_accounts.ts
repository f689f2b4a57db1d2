import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A person's account at a manufacturer, or a local device that was linked by a form. The credentials are encrypted.
  `CREATE TABLE accounts (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    manufacturer text COLLATE "C" NOT NULL REFERENCES manufacturers,
    external_id text NOT NULL,
    name text NOT NULL,
    reference_id text NOT NULL,
    reference_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
      CASE WHEN char_length(reference_id) <= 200 THEN reference_id
        ELSE left(reference_id, 200) || md5(reference_id) END
    ) STORED,
    customer_id text COLLATE "C" REFERENCES customers ON DELETE SET NULL,
    site_id text COLLATE "C" REFERENCES sites ON DELETE SET NULL,
    tags text[] NOT NULL,
    -- pending (a person is still linking it), connected, failed (only a new sign-in helps) or disconnected
    status text NOT NULL,
    sealed_credentials bytea,
    -- counts the credentials: a refresh replaces only those that it began with
    generation integer NOT NULL DEFAULT 1,
    expires_at timestamptz,
    last_error jsonb,
    -- the devices that the manufacturer last listed
    discovered jsonb,
    connected_at timestamptz,
    disconnected_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  // Two persons may be linking one account at a time; one of them finishes first.
  `CREATE UNIQUE INDEX accounts_external_key ON accounts (workspace_id, manufacturer, external_id) WHERE status <> 'pending'`,
  `CREATE INDEX accounts_by_workspace ON accounts (workspace_id, id DESC)`,
  `CREATE INDEX accounts_by_reference ON accounts (workspace_id, manufacturer, reference_key)`,
  // Devices that dial in name themselves alone.
  `CREATE INDEX accounts_by_external_id ON accounts (manufacturer, external_id) WHERE status IN ('connected', 'pending')`,
  `CREATE INDEX accounts_pending ON accounts (created_at) WHERE status = 'pending'`,
  `CREATE INDEX accounts_by_customer ON accounts (customer_id) WHERE customer_id IS NOT NULL`,
  `CREATE INDEX accounts_by_site ON accounts (site_id) WHERE site_id IS NOT NULL`,
  // The next reading of an account, beside it: a narrow row that each reading rewrites.
  `CREATE TABLE account_work (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
    manufacturer text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL,
    claim uuid,
    -- since when a worker is exchanging the credentials
    refreshing_since timestamptz,
    discover_at timestamptz NOT NULL,
    read_at timestamptz,
    failures integer NOT NULL DEFAULT 0,
    memory jsonb
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX account_work_due ON account_work (due_at)`,
  `ALTER TABLE devices ADD COLUMN account_id text COLLATE "C" REFERENCES accounts ON DELETE SET NULL`,
  `ALTER TABLE devices ADD COLUMN interventions jsonb`,
  // The only devices of its user that a SCOPED key covers; null for all.
  `ALTER TABLE api_keys ADD COLUMN scope_device_ids text[]`,
  `CREATE INDEX devices_by_account ON devices (account_id) WHERE account_id IS NOT NULL`,
  // Calls to manufacturers in the window that is open. '' counts for all accounts of a manufacturer.
  `CREATE TABLE manufacturer_calls (
    manufacturer text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    -- seconds, or 0 for the calendar month
    window_seconds integer NOT NULL,
    window_start timestamptz NOT NULL,
    calls integer NOT NULL,
    PRIMARY KEY (manufacturer, account_id, window_seconds)
  ) WITH (fillfactor = 70)`,
  // Until then no call is made: the manufacturer has asked for a pause.
  `CREATE TABLE manufacturer_pauses (
    manufacturer text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    until timestamptz NOT NULL,
    PRIMARY KEY (manufacturer, account_id)
  )`,
  // Storage of the adapters themselves, such as sessions of charging stations.
  `CREATE TABLE adapter_records (
    adapter text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (adapter, key)
  ) WITH (fillfactor = 70)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
