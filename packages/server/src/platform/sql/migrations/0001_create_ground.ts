import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Ids are text in the C collation: their byte order is their order of creation. A key's workspace is the wall of
 * isolation, so every index that serves a caller's query starts with it.
 */
const tenants = [
  `CREATE TABLE organizations (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE TABLE workspaces (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
    name text NOT NULL,
    deletion_protection boolean NOT NULL,
    timezone text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT workspaces_name_key UNIQUE (organization_id, name)
  )`,
  `CREATE INDEX workspaces_by_organization ON workspaces (organization_id, id DESC)`,
  `CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    organization_id text COLLATE "C" NOT NULL REFERENCES organizations,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    type text NOT NULL,
    key_hash bytea NOT NULL CONSTRAINT api_keys_hash_key UNIQUE,
    key_prefix text NOT NULL,
    owner_id text,
    manufacturer_scope text[],
    scope_reference_id text,
    rate_limits jsonb,
    revoked_at timestamptz,
    expires_at timestamptz,
    last_used_at timestamptz,
    created_at timestamptz NOT NULL
  )`,
  `CREATE INDEX api_keys_by_organization ON api_keys (organization_id, id DESC)`,
  `CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id DESC)`
]

const catalogue = [
  `CREATE TABLE manufacturers (
    slug text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    device_types text[] NOT NULL,
    connectable boolean NOT NULL,
    direct_integration boolean NOT NULL,
    logo_url text,
    online_window interval NOT NULL DEFAULT '15 minutes',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  `CREATE TABLE device_models (
    id text COLLATE "C" PRIMARY KEY,
    manufacturer text COLLATE "C" NOT NULL REFERENCES manufacturers,
    name text NOT NULL,
    type text NOT NULL,
    static_state jsonb,
    commands text[] NOT NULL,
    catalogue_key text CONSTRAINT device_models_catalogue_key UNIQUE,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT device_models_name_key UNIQUE (manufacturer, name)
  )`,
  `CREATE INDEX device_models_by_type ON device_models (type, id DESC)`,
  `CREATE TABLE postal_codes (
    code text COLLATE "C" PRIMARY KEY,
    state text NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL
  )`
]

const sites = [
  `CREATE TABLE sites (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text,
    reference_id text,
    street_one text NOT NULL,
    street_two text,
    city text NOT NULL,
    state text NOT NULL,
    postal_code text NOT NULL,
    country text NOT NULL,
    county text,
    state_key text NOT NULL,
    postal_key text NOT NULL,
    address_hash text NOT NULL,
    latitude double precision,
    longitude double precision,
    timezone text,
    tags text[] NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT sites_address_key UNIQUE (workspace_id, address_hash)
  )`,
  `CREATE INDEX sites_by_workspace ON sites (workspace_id, id DESC)`,
  // A whole reference can be longer than what an index holds.
  `CREATE INDEX sites_by_reference ON sites (workspace_id, left(reference_id, 200), id DESC)`,
  `CREATE INDEX sites_by_state ON sites (workspace_id, state_key, id DESC)`,
  `CREATE INDEX sites_by_postal_code ON sites (workspace_id, postal_key, id DESC)`,
  `CREATE INDEX sites_by_tag ON sites USING gin (tags)`,
  `CREATE INDEX sites_by_name ON sites (workspace_id, lower(name) text_pattern_ops)`,
  `CREATE INDEX sites_by_street ON sites (workspace_id, lower(street_one) text_pattern_ops)`
]

/**
 * `workspace_id` is where the device is now, null once it was removed; `origin_workspace_id` is where it was
 * provisioned, so that provisioning it again finds it. `provisioned` is what provisioning last sent.
 */
const devices = [
  `CREATE TABLE devices (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" REFERENCES workspaces ON DELETE CASCADE,
    origin_workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    site_id text COLLATE "C" REFERENCES sites ON DELETE SET NULL,
    name text NOT NULL,
    manufacturer text COLLATE "C" NOT NULL REFERENCES manufacturers,
    manufacturer_device_id text NOT NULL,
    serial_number text,
    reference_id text NOT NULL,
    -- a whole reference can be longer than what an index holds
    reference_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
      CASE WHEN char_length(reference_id) <= 200 THEN reference_id
        ELSE left(reference_id, 200) || md5(reference_id) END
    ) STORED,
    device_model_id text COLLATE "C" REFERENCES device_models,
    model text NOT NULL,
    type text NOT NULL,
    raw_type text,
    raw_model text,
    model_year integer,
    static_state jsonb,
    commands text[] NOT NULL,
    tags text[] NOT NULL,
    direct boolean NOT NULL,
    provisioned jsonb,
    connected_at timestamptz,
    disconnected_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    name_key text COLLATE "C" GENERATED ALWAYS AS (lower(name)) STORED,
    CONSTRAINT devices_manufacturer_key UNIQUE (origin_workspace_id, manufacturer, manufacturer_device_id)
  )`,
  `CREATE INDEX devices_by_workspace ON devices (workspace_id, id DESC)`,
  `CREATE INDEX devices_by_type ON devices (workspace_id, type, id DESC)`,
  `CREATE INDEX devices_by_manufacturer ON devices (workspace_id, manufacturer, id DESC)`,
  `CREATE INDEX devices_by_model ON devices (workspace_id, model, id DESC)`,
  `CREATE INDEX devices_by_site ON devices (site_id, workspace_id, id DESC)`,
  `CREATE INDEX devices_by_reference ON devices (workspace_id, reference_key, id DESC)`,
  `CREATE INDEX devices_by_manufacturer_device ON devices (workspace_id, manufacturer_device_id, id DESC)`,
  `CREATE INDEX devices_by_serial_number ON devices (workspace_id, serial_number, id DESC)`,
  `CREATE INDEX devices_connected ON devices (workspace_id, id DESC) WHERE disconnected_at IS NULL`,
  `CREATE INDEX devices_disconnected ON devices (workspace_id, id DESC) WHERE disconnected_at IS NOT NULL`,
  `CREATE INDEX devices_by_name ON devices (workspace_id, name_key, id DESC)`,
  `CREATE TABLE workspace_device_counts (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    shard smallint NOT NULL,
    devices bigint NOT NULL,
    PRIMARY KEY (workspace_id, shard)
  )`,
  // Statement-level and spread over shards: a million devices in one statement are one addition, and two sessions
  // seldom wait for one another's row. Rows of a deleted workspace are gone before the cascade reaches its devices.
  `CREATE FUNCTION count_devices() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO workspace_device_counts AS counts (workspace_id, shard, devices)
      SELECT workspace_id, pg_backend_pid() % 16, count(*) FROM added WHERE workspace_id IS NOT NULL GROUP BY workspace_id
      ORDER BY workspace_id
      ON CONFLICT (workspace_id, shard) DO UPDATE SET devices = counts.devices + excluded.devices;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO workspace_device_counts AS counts (workspace_id, shard, devices)
      SELECT removed.workspace_id, pg_backend_pid() % 16, -count(*) FROM removed
      JOIN workspaces ON workspaces.id = removed.workspace_id GROUP BY removed.workspace_id ORDER BY removed.workspace_id
      ON CONFLICT (workspace_id, shard) DO UPDATE SET devices = counts.devices + excluded.devices;
    ELSE
      INSERT INTO workspace_device_counts AS counts (workspace_id, shard, devices)
      SELECT moved.workspace_id, pg_backend_pid() % 16, sum(moved.n) FROM (
        SELECT workspace_id, 1 AS n FROM added UNION ALL SELECT workspace_id, -1 FROM removed
      ) AS moved WHERE moved.workspace_id IS NOT NULL GROUP BY moved.workspace_id HAVING sum(moved.n) <> 0
      ORDER BY moved.workspace_id
      ON CONFLICT (workspace_id, shard) DO UPDATE SET devices = counts.devices + excluded.devices;
    END IF;
    RETURN NULL;
  END
  $$`,
  `CREATE TRIGGER devices_added AFTER INSERT ON devices REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_devices()`,
  `CREATE TRIGGER devices_removed AFTER DELETE ON devices REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION count_devices()`,
  `CREATE TRIGGER devices_moved AFTER UPDATE ON devices REFERENCING OLD TABLE AS removed NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_devices()`
]

/**
 * The tags of the devices once more, in the order in which lists are read: an index over the arrays finds a tag in all
 * workspaces at once, and its devices in no order. A device is in here while it belongs to a workspace.
 */
const tags = [
  `CREATE TABLE device_tags (
    workspace_id text COLLATE "C" NOT NULL,
    tag text COLLATE "C" NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (workspace_id, tag, device_id)
  )`,
  `CREATE FUNCTION index_device_tags() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO device_tags SELECT DISTINCT workspace_id, unnest(tags), id FROM added WHERE workspace_id IS NOT NULL;
    ELSIF TG_OP = 'DELETE' THEN
      DELETE FROM device_tags USING (SELECT workspace_id, unnest(tags) AS tag, id FROM removed) AS gone
      WHERE (device_tags.workspace_id, device_tags.tag, device_tags.device_id) = (gone.workspace_id, gone.tag, gone.id);
    ELSE
      DELETE FROM device_tags WHERE workspace_id = OLD.workspace_id AND tag = ANY (OLD.tags) AND device_id = OLD.id;
      INSERT INTO device_tags SELECT DISTINCT NEW.workspace_id, unnest(NEW.tags), NEW.id
      WHERE NEW.workspace_id IS NOT NULL;
    END IF;
    RETURN NULL;
  END
  $$`,
  `CREATE TRIGGER device_tags_added AFTER INSERT ON devices REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION index_device_tags()`,
  `CREATE TRIGGER device_tags_removed AFTER DELETE ON devices REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION index_device_tags()`,
  `CREATE TRIGGER device_tags_changed AFTER UPDATE OF tags, workspace_id ON devices FOR EACH ROW
    WHEN (OLD.tags <> NEW.tags OR OLD.workspace_id IS DISTINCT FROM NEW.workspace_id)
    EXECUTE FUNCTION index_device_tags()`
]

/**
 * Readings are partitioned by month, and a device has one a millisecond. The current state is a narrow row of its own:
 * ingest rewrites it without touching the device and its indexes.
 */
const telemetry = [
  `CREATE TABLE readings (
    device_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    id text COLLATE "C" NOT NULL,
    state jsonb NOT NULL,
    PRIMARY KEY (device_id, at)
  ) PARTITION BY RANGE (at)`,
  `CREATE TABLE device_states (
    device_id text COLLATE "C" PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
    reading_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    first_at timestamptz NOT NULL,
    state jsonb NOT NULL,
    reported_status text,
    latitude double precision,
    longitude double precision
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX device_states_asleep ON device_states (device_id) WHERE reported_status = 'asleep'`,
  // Devices whose readings are still to be deleted: too many for the transaction that deletes the device.
  `CREATE TABLE forgotten_histories (
    device_id text COLLATE "C" PRIMARY KEY,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE FUNCTION forget_histories() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO forgotten_histories (device_id) SELECT id FROM removed ON CONFLICT DO NOTHING;
    RETURN NULL;
  END
  $$`,
  `CREATE TRIGGER histories_forgotten AFTER DELETE ON devices REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION forget_histories()`,
  // Makes the month's partition unless it is there, and tells whether it was missing. The table is made on its own and
  // then attached: ATTACH lets inserts and queries go on, where CREATE TABLE ... PARTITION OF locks them all out.
  `CREATE FUNCTION ensure_readings_partition(month date) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    parent      constant regclass  := 'readings'::regclass;
    lower_bound constant timestamp := date_trunc('month', month::timestamp);
    upper_bound constant timestamp := lower_bound + interval '1 month';
    table_name  constant text      := 'readings_' || to_char(lower_bound, 'YYYYMM');
    partition   constant text      := format('%I.%I',
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent), table_name);
  BEGIN
    IF EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    -- One lock for all months: whoever makes several in one transaction cannot meet another in the opposite order.
    -- Compared by name, because to_regclass answers from a cache that waiting for this lock does not renew.
    PERFORM pg_advisory_xact_lock(hashtextextended('readings partitions', 0));
    IF EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING IDENTITY)', partition, parent);
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
      parent, partition, lower_bound AT TIME ZONE 'UTC', upper_bound AT TIME ZONE 'UTC');
    RETURN true;
  END
  $$`
]

/**
 * Alerts keep the ids of their site and device, and what they were called, when those are gone. An alert's id carries
 * its `created_at`, so the indexes that end in the id serve ranges of time too.
 */
const alerts = [
  `CREATE TABLE alerts (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    external_id text,
    source_system text NOT NULL,
    alert_type text,
    type text NOT NULL,
    subtype text,
    provider_code text,
    provider_name text,
    severity text NOT NULL,
    status text NOT NULL,
    title text NOT NULL,
    description text,
    device_id text COLLATE "C",
    site_id text COLLATE "C",
    occurrence_count integer NOT NULL,
    last_occurred_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    acknowledged_at timestamptz,
    acknowledged_by text,
    ignored_at timestamptz,
    ignored_by text,
    resolved_at timestamptz,
    resolved_by text,
    snoozed_until timestamptz,
    manufacturer text,
    manufacturer_device_id text,
    device_name text,
    device_type text,
    device_model text,
    device_serial_number text,
    CONSTRAINT alerts_external_key UNIQUE (workspace_id, source_system, external_id)
  )`,
  `CREATE INDEX alerts_by_workspace ON alerts (workspace_id, id DESC)`,
  `CREATE INDEX alerts_by_status ON alerts (workspace_id, status, id DESC)`,
  `CREATE INDEX alerts_by_severity ON alerts (workspace_id, severity, id DESC)`,
  `CREATE INDEX alerts_by_type ON alerts (workspace_id, type, id DESC)`,
  `CREATE INDEX alerts_by_site ON alerts (workspace_id, site_id, id DESC)`,
  `CREATE INDEX alerts_by_device ON alerts (workspace_id, device_id, id DESC) WHERE device_id IS NOT NULL`,
  `CREATE INDEX alerts_by_source ON alerts (workspace_id, source_system, id DESC)`,
  `CREATE INDEX alerts_by_external_id ON alerts (workspace_id, external_id) WHERE external_id IS NOT NULL`,
  `CREATE INDEX alerts_by_manufacturer_device ON alerts (workspace_id, manufacturer_device_id, id DESC)
    WHERE manufacturer_device_id IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...tenants, ...catalogue, ...sites, ...devices, ...tags, ...telemetry, ...alerts]) {
    yield* sql.unsafe(statement)
  }
})
