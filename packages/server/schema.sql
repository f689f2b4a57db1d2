-- The schema of the database after all migrations: `pnpm schema` writes it, `pnpm schema:check` compares it.
-- Nothing runs this file. Partitions, which are made at run time, and the rows of the catalogue are left out.

CREATE EXTENSION btree_gin;

CREATE EXTENSION pg_trgm;

CREATE SEQUENCE archive_change_number AS bigint;

CREATE SEQUENCE event_sequence AS bigint OWNED BY events.sequence;

CREATE TABLE account_work (
  account_id text COLLATE "C" NOT NULL,
  manufacturer text COLLATE "C" NOT NULL,
  due_at timestamp with time zone NOT NULL,
  claim uuid,
  refreshing_since timestamp with time zone,
  discover_at timestamp with time zone NOT NULL,
  read_at timestamp with time zone,
  failures integer NOT NULL DEFAULT 0,
  memory jsonb,
  problem text,
  holder uuid,
  CONSTRAINT account_work_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_work_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
) WITH (fillfactor=70);
CREATE INDEX account_work_by_holder ON account_work (holder) WHERE claim IS NOT NULL;
CREATE INDEX account_work_due ON account_work (manufacturer, due_at);
CREATE TRIGGER account_work_announce_accounts_inserted AFTER INSERT ON account_work FOR EACH ROW WHEN (new.due_at < 'infinity'::timestamp with time zone) EXECUTE FUNCTION announce_work('accounts');
CREATE TRIGGER account_work_announce_accounts_updated AFTER UPDATE ON account_work FOR EACH ROW WHEN (new.claim IS NULL AND COALESCE(new.due_at, 'infinity'::timestamp with time zone) < COALESCE(old.due_at, 'infinity'::timestamp with time zone) AND new.due_at < (now() + '00:01:00'::interval)) EXECUTE FUNCTION announce_work('accounts');

CREATE TABLE accounts (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  manufacturer text COLLATE "C" NOT NULL,
  external_id text NOT NULL,
  name text NOT NULL,
  reference_id text NOT NULL,
  reference_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS ( CASE WHEN char_length(reference_id) <= 200 THEN reference_id ELSE "left"(reference_id, 200) || md5(reference_id) END) STORED,
  customer_id text COLLATE "C",
  site_id text COLLATE "C",
  tags text[] NOT NULL,
  status text NOT NULL,
  sealed_credentials bytea,
  generation integer NOT NULL DEFAULT 1,
  expires_at timestamp with time zone,
  last_error jsonb,
  discovered jsonb,
  connected_at timestamp with time zone,
  disconnected_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  refresh_at timestamp with time zone,
  CONSTRAINT accounts_pkey PRIMARY KEY (id),
  CONSTRAINT accounts_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id) ON DELETE SET NULL,
  CONSTRAINT accounts_manufacturer_fkey FOREIGN KEY (manufacturer) REFERENCES manufacturers(slug),
  CONSTRAINT accounts_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id) ON DELETE SET NULL,
  CONSTRAINT accounts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX accounts_by_customer ON accounts (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX accounts_by_external_id ON accounts (manufacturer, external_id) WHERE status = ANY (ARRAY['connected'::text, 'pending'::text]);
CREATE INDEX accounts_by_reference ON accounts (workspace_id, manufacturer, reference_key);
CREATE INDEX accounts_by_site ON accounts (site_id) WHERE site_id IS NOT NULL;
CREATE INDEX accounts_by_status ON accounts (status);
CREATE INDEX accounts_by_text ON accounts USING gin ((workspace_id || ''::text), lower((((((' '::text || name) || ' '::text) || manufacturer) || ' '::text) || reference_id) COLLATE "default") gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX accounts_by_workspace ON accounts (workspace_id, id DESC);
CREATE INDEX accounts_expiring ON accounts (workspace_id, expires_at) WHERE status = 'connected'::text;
CREATE UNIQUE INDEX accounts_external_key ON accounts (workspace_id, manufacturer, external_id) WHERE status <> 'pending'::text;
CREATE INDEX accounts_pending ON accounts (created_at) WHERE status = 'pending'::text;
CREATE INDEX accounts_troubled ON accounts (workspace_id, id) WHERE status = 'failed'::text OR last_error IS NOT NULL;

CREATE TABLE adapter_records (
  adapter text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  value jsonb NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT adapter_records_pkey PRIMARY KEY (adapter, key)
) WITH (fillfactor=70);

CREATE TABLE alert_configurations (
  workspace_id text COLLATE "C" NOT NULL,
  rules jsonb NOT NULL,
  saved_at timestamp with time zone NOT NULL,
  saved_by text NOT NULL,
  CONSTRAINT alert_configurations_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT alert_configurations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE alerts (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
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
  last_occurred_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  ignored_at timestamp with time zone,
  ignored_by text,
  resolved_at timestamp with time zone,
  resolved_by text,
  snoozed_until timestamp with time zone,
  manufacturer text,
  manufacturer_device_id text,
  device_name text,
  device_type text,
  device_model text,
  device_serial_number text,
  CONSTRAINT alerts_pkey PRIMARY KEY (id),
  CONSTRAINT alerts_external_key UNIQUE (workspace_id, source_system, external_id),
  CONSTRAINT alerts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX alerts_by_device ON alerts (workspace_id, device_id, id DESC) WHERE device_id IS NOT NULL;
CREATE INDEX alerts_by_external_id ON alerts (workspace_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX alerts_by_manufacturer_device ON alerts (workspace_id, manufacturer_device_id, id DESC) WHERE manufacturer_device_id IS NOT NULL;
CREATE INDEX alerts_by_severity ON alerts (workspace_id, severity, id DESC);
CREATE INDEX alerts_by_site ON alerts (workspace_id, site_id, id DESC);
CREATE INDEX alerts_by_source ON alerts (workspace_id, source_system, id DESC);
CREATE INDEX alerts_by_status ON alerts (workspace_id, status, id DESC);
CREATE INDEX alerts_by_type ON alerts (workspace_id, type, id DESC);
CREATE INDEX alerts_by_visibility ON alerts (workspace_id, severity, type, subtype, source_system, status);
CREATE INDEX alerts_by_workspace ON alerts (workspace_id, id DESC);
CREATE INDEX alerts_open_by_subject ON alerts (COALESCE(device_id, site_id, workspace_id), source_system, type) WHERE status = ANY (ARRAY['OPEN'::text, 'ACKNOWLEDGED'::text]);

CREATE TABLE api_keys (
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  key_hash bytea NOT NULL,
  key_prefix text NOT NULL,
  owner_id text,
  manufacturer_scope text[],
  scope_reference_id text,
  rate_limits jsonb,
  revoked_at timestamp with time zone,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  scope_device_ids text[],
  made_by text COLLATE "C",
  made_with text COLLATE "C",
  previous_key_hash bytea,
  previous_key_until timestamp with time zone,
  scope_customer_id text COLLATE "C",
  scope_program_instance_id text COLLATE "C",
  scope_enrollment_ids text[] COLLATE "C",
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_hash_key UNIQUE (key_hash),
  CONSTRAINT api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX api_keys_by_organization ON api_keys (organization_id, id DESC);
CREATE UNIQUE INDEX api_keys_by_previous_hash ON api_keys (previous_key_hash) WHERE previous_key_hash IS NOT NULL;
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id DESC);
CREATE INDEX api_keys_made_by ON api_keys (made_by, id) WHERE made_by IS NOT NULL;
CREATE INDEX api_keys_made_with ON api_keys (made_with) WHERE made_with IS NOT NULL;
CREATE INDEX api_keys_of_customers ON api_keys (workspace_id, scope_customer_id) WHERE scope_customer_id IS NOT NULL;
CREATE INDEX api_keys_of_enrollments ON api_keys USING gin (scope_enrollment_ids) WHERE scope_enrollment_ids IS NOT NULL;
CREATE INDEX api_keys_of_instances ON api_keys (workspace_id, scope_program_instance_id) WHERE scope_program_instance_id IS NOT NULL;
CREATE INDEX api_keys_scoped ON api_keys (workspace_id) WHERE scope_customer_id IS NOT NULL OR scope_program_instance_id IS NOT NULL OR scope_enrollment_ids IS NOT NULL;
CREATE TRIGGER api_keys_added_for_openadr AFTER INSERT ON api_keys FOR EACH ROW WHEN (new.scope_customer_id IS NOT NULL OR new.scope_program_instance_id IS NOT NULL OR new.scope_enrollment_ids IS NOT NULL) EXECUTE FUNCTION note_scoped_client();
CREATE TRIGGER api_keys_revoked_for_openadr AFTER UPDATE OF revoked_at ON api_keys FOR EACH ROW WHEN (old.revoked_at IS NULL AND new.revoked_at IS NOT NULL AND (new.scope_customer_id IS NOT NULL OR new.scope_program_instance_id IS NOT NULL OR new.scope_enrollment_ids IS NOT NULL)) EXECUTE FUNCTION note_scoped_client();

CREATE TABLE archive_border (
  single boolean NOT NULL DEFAULT true,
  archived_until timestamp with time zone NOT NULL,
  raised_at timestamp with time zone NOT NULL,
  CONSTRAINT archive_border_pkey PRIMARY KEY (single),
  CONSTRAINT archive_border_single_check CHECK (single)
);

CREATE TABLE archive_changes (
  month date NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  change bigint NOT NULL,
  CONSTRAINT archive_changes_pkey PRIMARY KEY (month, device_id)
);

CREATE TABLE archive_deletions (
  device_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C",
  requested_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT archive_deletions_pkey PRIMARY KEY (device_id)
);
CREATE INDEX archive_deletions_by_workspace ON archive_deletions (workspace_id);

CREATE TABLE archive_kept (
  device_id text COLLATE "C" NOT NULL,
  kept_from timestamp with time zone NOT NULL,
  CONSTRAINT archive_kept_pkey PRIMARY KEY (device_id)
);

CREATE TABLE archive_moves (
  month date NOT NULL,
  copied_device text COLLATE "C" NOT NULL DEFAULT ''::text,
  shown_at timestamp with time zone,
  CONSTRAINT archive_moves_pkey PRIMARY KEY (month)
);

CREATE TABLE audit_logs (
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C",
  action text COLLATE "C" NOT NULL,
  resource_id text COLLATE "C" NOT NULL,
  actor_id text COLLATE "C" NOT NULL,
  actor_type text NOT NULL,
  actor_owner_id text,
  address text,
  request_id text NOT NULL,
  before json,
  after json,
  reason text,
  uses integer,
  last_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT audit_logs_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT audit_logs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT audit_logs_refused CHECK ((reason IS NULL) = (uses IS NULL) AND (reason IS NULL) = (last_at IS NULL))
);
CREATE INDEX audit_logs_by_action ON audit_logs (organization_id, action, id DESC);
CREATE INDEX audit_logs_by_actor ON audit_logs (organization_id, actor_id, action, id DESC);
CREATE INDEX audit_logs_by_resource ON audit_logs (organization_id, resource_id, action, id DESC);
CREATE INDEX audit_logs_by_workspace ON audit_logs (organization_id, workspace_id, action, id DESC);

CREATE TABLE batch_commands (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  input jsonb NOT NULL,
  scheduled_for timestamp with time zone,
  expires_at timestamp with time zone,
  revert_after integer,
  max_per_minute integer,
  abort_when jsonb,
  retry_of text COLLATE "C",
  total integer NOT NULL,
  skipped jsonb NOT NULL,
  skipped_total integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  cancelled_at timestamp with time zone,
  aborted boolean NOT NULL DEFAULT false,
  watched boolean NOT NULL,
  CONSTRAINT batch_commands_pkey PRIMARY KEY (id),
  CONSTRAINT batch_commands_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX batch_commands_by_workspace ON batch_commands (workspace_id, id DESC);
CREATE INDEX batch_commands_watched ON batch_commands (id) WHERE watched;
CREATE TRIGGER batch_commands_announce_batches_inserted AFTER INSERT ON batch_commands FOR EACH ROW WHEN (new.watched) EXECUTE FUNCTION announce_work('batches');
CREATE TRIGGER batch_commands_announce_batches_updated AFTER UPDATE ON batch_commands FOR EACH ROW WHEN (new.watched AND NOT old.watched) EXECUTE FUNCTION announce_work('batches');

CREATE TABLE collection_members (
  workspace_id text COLLATE "C" NOT NULL,
  collection_id text COLLATE "C" NOT NULL,
  member_id text COLLATE "C" NOT NULL,
  CONSTRAINT collection_members_pkey PRIMARY KEY (collection_id, member_id),
  CONSTRAINT collection_members_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections(id) ON DELETE CASCADE
);
CREATE INDEX collection_members_by_member ON collection_members (member_id);

CREATE TABLE collections (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  collection_type text NOT NULL,
  description text,
  criteria json NOT NULL,
  criteria_version text NOT NULL,
  dynamic boolean NOT NULL,
  is_active boolean NOT NULL,
  visibility_level text NOT NULL,
  created_by_id text NOT NULL,
  created_by_type text NOT NULL,
  freshness text,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT collections_pkey PRIMARY KEY (id),
  CONSTRAINT collections_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX collections_by_workspace ON collections (workspace_id, id DESC);
CREATE INDEX collections_kept ON collections (id) WHERE deleted_at IS NULL AND NOT dynamic AND is_active;
CREATE UNIQUE INDEX collections_name_key ON collections (workspace_id, name) WHERE deleted_at IS NULL;

CREATE TABLE commands (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  input jsonb NOT NULL,
  source text COLLATE "C" NOT NULL,
  source_id text COLLATE "C",
  batch_id text COLLATE "C",
  status text COLLATE "C" NOT NULL,
  reason text COLLATE "C",
  issued_at timestamp with time zone NOT NULL,
  scheduled_for timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  revert_after integer,
  delivered_at timestamp with time zone,
  executed_at timestamp with time zone,
  output jsonb,
  upstream jsonb,
  late_result jsonb,
  due_at timestamp with time zone NOT NULL,
  deadline timestamp with time zone NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  in_hand boolean NOT NULL DEFAULT false,
  interruptions smallint NOT NULL DEFAULT 0,
  seen_reading_id text COLLATE "C",
  handed_at timestamp with time zone,
  state_before jsonb,
  state_seen jsonb,
  sent_input jsonb,
  note jsonb,
  effect_until timestamp with time zone,
  CONSTRAINT commands_pkey PRIMARY KEY (id),
  CONSTRAINT commands_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE,
  CONSTRAINT commands_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
) WITH (fillfactor=50);
CREATE INDEX commands_automatic ON commands (device_id, delivered_at) WHERE source <> 'user'::text AND delivered_at IS NOT NULL;
CREATE INDEX commands_awaiting_effect ON commands (due_at) WHERE effect_until IS NOT NULL;
CREATE INDEX commands_by_batch ON commands (batch_id, status, id DESC) WHERE batch_id IS NOT NULL;
CREATE INDEX commands_by_device ON commands (device_id, id DESC);
CREATE INDEX commands_by_source ON commands (source_id, id DESC) WHERE source_id IS NOT NULL;
CREATE INDEX commands_by_status ON commands (workspace_id, status, id DESC);
CREATE INDEX commands_by_type ON commands (workspace_id, type, id DESC);
CREATE INDEX commands_by_workspace ON commands (workspace_id, id DESC);
CREATE INDEX commands_deadline ON commands (deadline) WHERE (status = ANY (ARRAY['pending'::text, 'scheduled'::text, 'delivered'::text])) AND deadline > '-infinity'::timestamp with time zone;
CREATE INDEX commands_interrupted ON commands (id) WHERE (status = ANY (ARRAY['pending'::text, 'scheduled'::text])) AND interruptions > 1;
CREATE INDEX commands_open ON commands (device_id, id) WHERE status = ANY (ARRAY['pending'::text, 'scheduled'::text, 'delivered'::text]);
CREATE INDEX commands_taken ON commands (device_id, executed_at) WHERE source = 'user'::text AND status = 'completed'::text AND type !~~ '%:set-operating-mode'::text;
CREATE INDEX commands_timed_out ON commands (executed_at, id) WHERE reason = 'timeout'::text AND late_result IS NULL;
CREATE INDEX commands_unconfirmed ON commands (due_at) WHERE status = 'delivered'::text;
CREATE INDEX commands_undelivered ON commands (device_id, due_at) WHERE status = ANY (ARRAY['pending'::text, 'scheduled'::text]);
CREATE TRIGGER commands_announce_confirmations_updated AFTER UPDATE ON commands FOR EACH ROW WHEN (new.status = 'delivered'::text AND (old.status <> 'delivered'::text OR COALESCE(new.due_at, 'infinity'::timestamp with time zone) < COALESCE(old.due_at, 'infinity'::timestamp with time zone)) OR new.effect_until IS NOT NULL AND (old.effect_until IS NULL OR COALESCE(new.due_at, 'infinity'::timestamp with time zone) < COALESCE(old.due_at, 'infinity'::timestamp with time zone)) OR new.interruptions > 1 AND old.interruptions <= 1) EXECUTE FUNCTION announce_work('confirmations');
CREATE TRIGGER commands_announce_time_outs_inserted AFTER INSERT ON commands FOR EACH ROW WHEN (new.deadline > '-infinity'::timestamp with time zone) EXECUTE FUNCTION announce_work('time-outs');
CREATE TRIGGER commands_announce_time_outs_updated AFTER UPDATE ON commands FOR EACH ROW WHEN (COALESCE(new.deadline, 'infinity'::timestamp with time zone) < COALESCE(old.deadline, 'infinity'::timestamp with time zone)) EXECUTE FUNCTION announce_work('time-outs');

CREATE TABLE connect_authorizations (
  id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C" NOT NULL,
  manufacturer text COLLATE "C" NOT NULL,
  state_hash bytea NOT NULL,
  sealed bytea NOT NULL,
  browser_hash bytea,
  refused_at timestamp with time zone,
  redeemed_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT connect_authorizations_pkey PRIMARY KEY (id),
  CONSTRAINT connect_authorizations_session_id_fkey FOREIGN KEY (session_id) REFERENCES connect_sessions(id) ON DELETE CASCADE
);
CREATE INDEX connect_authorizations_by_session ON connect_authorizations (session_id, id DESC);
CREATE UNIQUE INDEX connect_authorizations_state ON connect_authorizations (state_hash);

CREATE TABLE connect_sessions (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  created_by_id text COLLATE "C" NOT NULL,
  created_by_type text NOT NULL,
  token_hash bytea,
  status text NOT NULL,
  mode text NOT NULL,
  reference_id text NOT NULL,
  reference_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS ( CASE WHEN char_length(reference_id) <= 200 THEN reference_id ELSE "left"(reference_id, 200) || md5(reference_id) END) STORED,
  redirect_url text,
  client_name text,
  tags text[],
  manufacturers text[],
  device_types text[],
  params jsonb,
  language text,
  color_scheme text,
  customer_info jsonb,
  place jsonb,
  customer_id text COLLATE "C",
  site_id text COLLATE "C",
  manufacturer text COLLATE "C",
  consent jsonb,
  reconnect_id text COLLATE "C",
  account_id text COLLATE "C",
  discovered jsonb,
  sealed_instructions bytea,
  device_ids text[] NOT NULL DEFAULT '{}'::text[],
  key_id text COLLATE "C",
  sealed_key bytea,
  transitions jsonb NOT NULL,
  last_error jsonb,
  live boolean NOT NULL DEFAULT true,
  expires_at timestamp with time zone NOT NULL,
  removed_at timestamp with time zone,
  disconnected_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  opened_by text[] NOT NULL DEFAULT '{}'::text[],
  linked_by bytea,
  device_attempts smallint NOT NULL DEFAULT 0,
  made_by text COLLATE "C",
  CONSTRAINT connect_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT connect_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE SET NULL,
  CONSTRAINT connect_sessions_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id) ON DELETE SET NULL,
  CONSTRAINT connect_sessions_reconnect_id_fkey FOREIGN KEY (reconnect_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT connect_sessions_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id) ON DELETE SET NULL,
  CONSTRAINT connect_sessions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
) WITH (fillfactor=70);
CREATE INDEX connect_sessions_by_account ON connect_sessions (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX connect_sessions_by_customer ON connect_sessions (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX connect_sessions_by_manufacturer ON connect_sessions (workspace_id, manufacturer, id DESC);
CREATE INDEX connect_sessions_by_reconnect ON connect_sessions (reconnect_id) WHERE reconnect_id IS NOT NULL;
CREATE INDEX connect_sessions_by_reference ON connect_sessions (workspace_id, reference_key, id DESC);
CREATE INDEX connect_sessions_by_site ON connect_sessions (site_id) WHERE site_id IS NOT NULL;
CREATE INDEX connect_sessions_by_status ON connect_sessions (workspace_id, status, id DESC);
CREATE INDEX connect_sessions_by_workspace ON connect_sessions (workspace_id, id DESC);
CREATE INDEX connect_sessions_due ON connect_sessions (expires_at) WHERE live;
CREATE INDEX connect_sessions_made ON connect_sessions (made_by) WHERE made_by IS NOT NULL AND live;
CREATE UNIQUE INDEX connect_sessions_token ON connect_sessions (token_hash) WHERE token_hash IS NOT NULL;

CREATE TABLE customer_sites (
  workspace_id text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  site_id text COLLATE "C" NOT NULL,
  CONSTRAINT customer_sites_pkey PRIMARY KEY (customer_id, site_id),
  CONSTRAINT customer_sites_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id) ON DELETE CASCADE,
  CONSTRAINT customer_sites_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id) ON DELETE CASCADE
);
CREATE INDEX customer_sites_by_site ON customer_sites (site_id, customer_id);
CREATE TRIGGER customer_sites_changed_for_openadr AFTER INSERT OR DELETE ON customer_sites FOR EACH ROW EXECUTE FUNCTION note_linked_site();

CREATE TABLE customers (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  reference_id text,
  first_name text,
  last_name text,
  email text,
  phone text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  email_unproven boolean NOT NULL DEFAULT false,
  CONSTRAINT customers_pkey PRIMARY KEY (id),
  CONSTRAINT customers_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX customers_by_email ON customers (workspace_id, lower(email) text_pattern_ops);
CREATE INDEX customers_by_first_name ON customers (workspace_id, lower(first_name) text_pattern_ops);
CREATE INDEX customers_by_last_name ON customers (workspace_id, lower(last_name) text_pattern_ops);
CREATE INDEX customers_by_text ON customers USING gin ((workspace_id || ''::text), lower((((((((((' '::text || COALESCE(first_name, ''::text)) || ' '::text) || COALESCE(last_name, ''::text)) || ' '::text) || COALESCE(email, ''::text)) || ' '::text) || COALESCE(phone, ''::text)) || ' '::text) || COALESCE(reference_id, ''::text)) COLLATE "default") gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX customers_by_workspace ON customers (workspace_id, id DESC);
CREATE UNIQUE INDEX customers_reference_key ON customers (workspace_id, md5(reference_id));
CREATE TRIGGER customers_end_enrollments AFTER DELETE ON customers REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_enrollments();
CREATE TRIGGER customers_leave_collections AFTER DELETE ON customers REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION leave_collections();

CREATE TABLE dashboard_links (
  id text COLLATE "C" NOT NULL,
  token_hash bytea NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  made_by text COLLATE "C",
  CONSTRAINT dashboard_links_pkey PRIMARY KEY (id),
  CONSTRAINT dashboard_links_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE
);
CREATE INDEX dashboard_links_by_key ON dashboard_links (key_id);
CREATE INDEX dashboard_links_due ON dashboard_links (expires_at);
CREATE INDEX dashboard_links_made ON dashboard_links (made_by) WHERE made_by IS NOT NULL;
CREATE UNIQUE INDEX dashboard_links_token ON dashboard_links (token_hash);

CREATE TABLE dashboard_sessions (
  id text COLLATE "C" NOT NULL,
  token_hash bytea NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  method text NOT NULL,
  address text,
  user_agent text,
  signed_in_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  maker_id text COLLATE "C" NOT NULL,
  made_by text COLLATE "C",
  CONSTRAINT dashboard_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT dashboard_sessions_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE,
  CONSTRAINT dashboard_sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX dashboard_sessions_by_key ON dashboard_sessions (key_id);
CREATE INDEX dashboard_sessions_by_organization ON dashboard_sessions (organization_id, id DESC);
CREATE INDEX dashboard_sessions_due ON dashboard_sessions (expires_at);
CREATE INDEX dashboard_sessions_made ON dashboard_sessions (made_by) WHERE made_by IS NOT NULL;
CREATE UNIQUE INDEX dashboard_sessions_token ON dashboard_sessions (token_hash);

CREATE TABLE deliveries (
  id text COLLATE "C" NOT NULL,
  destination_id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  lane text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_type text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL DEFAULT 'pending'::text,
  failures integer NOT NULL DEFAULT 0,
  next_attempt_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  completed_at timestamp with time zone,
  CONSTRAINT deliveries_pkey PRIMARY KEY (id)
);
CREATE INDEX deliveries_by_destination ON deliveries (destination_id, id DESC);
CREATE INDEX deliveries_failed ON deliveries (destination_id, id DESC) WHERE status = 'failed'::text;
CREATE UNIQUE INDEX deliveries_key ON deliveries (destination_id, event_id);
CREATE INDEX deliveries_of_lane ON deliveries (destination_id, lane, sequence) WHERE status = 'pending'::text;
CREATE INDEX deliveries_superseded ON deliveries (destination_id, id DESC) WHERE status = 'superseded'::text;

CREATE TABLE delivery_attempts (
  delivery_id text COLLATE "C" NOT NULL,
  attempted_at timestamp with time zone NOT NULL,
  status_code integer,
  duration_ms integer NOT NULL,
  error text,
  response_body text,
  CONSTRAINT delivery_attempts_pkey PRIMARY KEY (delivery_id, attempted_at)
);

CREATE TABLE delivery_lanes (
  destination_id text COLLATE "C" NOT NULL,
  lane text COLLATE "C" NOT NULL,
  due_at timestamp with time zone NOT NULL,
  claim uuid,
  newest bigint NOT NULL,
  holder uuid,
  CONSTRAINT delivery_lanes_pkey PRIMARY KEY (destination_id, lane)
);
CREATE INDEX delivery_lanes_by_holder ON delivery_lanes (holder) WHERE claim IS NOT NULL;
CREATE INDEX delivery_lanes_due ON delivery_lanes (destination_id, due_at);
CREATE TRIGGER delivery_lanes_announce_deliveries_inserted AFTER INSERT ON delivery_lanes FOR EACH ROW WHEN (new.due_at < 'infinity'::timestamp with time zone) EXECUTE FUNCTION announce_work('deliveries');
CREATE TRIGGER delivery_lanes_announce_deliveries_updated AFTER UPDATE ON delivery_lanes FOR EACH ROW WHEN (new.claim IS NULL AND COALESCE(new.due_at, 'infinity'::timestamp with time zone) < COALESCE(old.due_at, 'infinity'::timestamp with time zone)) EXECUTE FUNCTION announce_work('deliveries');

CREATE TABLE delivery_queues (
  destination_id text COLLATE "C" NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  not_before timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  hour timestamp with time zone,
  sent integer NOT NULL DEFAULT 0,
  used_up boolean NOT NULL DEFAULT false,
  CONSTRAINT delivery_queues_pkey PRIMARY KEY (destination_id)
);
CREATE TRIGGER delivery_queues_announce_deliveries_updated AFTER UPDATE ON delivery_queues FOR EACH ROW WHEN (COALESCE(new.not_before, 'infinity'::timestamp with time zone) < COALESCE(old.not_before, 'infinity'::timestamp with time zone)) EXECUTE FUNCTION announce_work('deliveries');

CREATE TABLE departed_devices (
  workspace_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  until_sequence bigint NOT NULL,
  departed_at timestamp with time zone NOT NULL,
  device_type text NOT NULL,
  data jsonb NOT NULL,
  CONSTRAINT departed_devices_pkey PRIMARY KEY (workspace_id, device_id, until_sequence),
  CONSTRAINT departed_devices_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX departed_devices_by_time ON departed_devices (departed_at);

CREATE TABLE destinations (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  label text,
  destination_type text NOT NULL,
  device_type text,
  event_types text[] NOT NULL,
  url text,
  email text,
  phone_number text,
  manufacturer text,
  kafka_config jsonb,
  include_weather boolean,
  sealed_secret bytea,
  sealed_previous_secret bytea,
  previous_secret_until timestamp with time zone,
  sealed_headers bytea,
  sealed_password bytea,
  after_sequence bigint NOT NULL,
  failing_since timestamp with time zone,
  deactivated_at timestamp with time zone,
  deactivated_reason text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  sealed_url bytea,
  CONSTRAINT destinations_pkey PRIMARY KEY (id),
  CONSTRAINT destinations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX destinations_by_workspace ON destinations (workspace_id, id DESC);
CREATE UNIQUE INDEX destinations_manufacturer_key ON destinations (workspace_id, manufacturer) WHERE destination_type = 'MANUFACTURER_COMMAND'::text AND deactivated_at IS NULL;
CREATE INDEX destinations_unsealed ON destinations (id) WHERE url IS NOT NULL AND sealed_url IS NULL;

CREATE TABLE device_models (
  id text COLLATE "C" NOT NULL,
  manufacturer text COLLATE "C" NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  static_state jsonb,
  commands text[] NOT NULL,
  catalogue_key text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT device_models_pkey PRIMARY KEY (id),
  CONSTRAINT device_models_catalogue_key UNIQUE (catalogue_key),
  CONSTRAINT device_models_name_key UNIQUE (manufacturer, name),
  CONSTRAINT device_models_manufacturer_fkey FOREIGN KEY (manufacturer) REFERENCES manufacturers(slug)
);
CREATE INDEX device_models_by_type ON device_models (type, id DESC);

CREATE TABLE device_states (
  device_id text COLLATE "C" NOT NULL,
  reading_id text COLLATE "C" NOT NULL,
  at timestamp with time zone NOT NULL,
  first_at timestamp with time zone NOT NULL,
  state jsonb NOT NULL,
  reported_status text,
  latitude double precision,
  longitude double precision,
  watched boolean NOT NULL DEFAULT false,
  counted_until timestamp with time zone,
  rolled_until timestamp with time zone,
  marked_until timestamp with time zone,
  frozen_until timestamp with time zone,
  stale tstzmultirange NOT NULL DEFAULT '{}'::tstzmultirange,
  rolling tstzmultirange NOT NULL DEFAULT '{}'::tstzmultirange,
  roll_claim text,
  roll_claimed_at timestamp with time zone,
  rolled_fields integer NOT NULL DEFAULT 0,
  unrolled boolean NOT NULL DEFAULT false,
  first_dropped_at timestamp with time zone,
  rollup_revision integer NOT NULL DEFAULT 0,
  settled_until timestamp with time zone,
  altered_from timestamp with time zone,
  altered_at timestamp with time zone,
  late_readings integer NOT NULL DEFAULT 0,
  CONSTRAINT device_states_pkey PRIMARY KEY (device_id),
  CONSTRAINT device_states_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE
) WITH (fillfactor=70);
CREATE INDEX device_states_asleep ON device_states (device_id) WHERE reported_status = 'asleep'::text;
CREATE INDEX device_states_unrolled ON device_states (device_id) WHERE unrolled;
CREATE TRIGGER device_states_first_heard AFTER INSERT ON device_states FOR EACH ROW WHEN (new.at > (statement_timestamp() - '7 days'::interval)) EXECUTE FUNCTION watch_device();
CREATE TRIGGER device_states_heard BEFORE UPDATE ON device_states FOR EACH ROW WHEN (NOT old.watched AND new.at > old.at AND new.at > (statement_timestamp() - '7 days'::interval)) EXECUTE FUNCTION watch_device();

CREATE TABLE device_tags (
  workspace_id text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  CONSTRAINT device_tags_pkey PRIMARY KEY (workspace_id, tag, device_id)
);

CREATE TABLE device_watches (
  device_id text COLLATE "C" NOT NULL,
  check_at timestamp with time zone NOT NULL,
  phase text NOT NULL DEFAULT 'online'::text,
  since timestamp with time zone,
  heard_at timestamp with time zone,
  CONSTRAINT device_watches_pkey PRIMARY KEY (device_id)
);
CREATE INDEX device_watches_by_check ON device_watches (check_at);
CREATE TRIGGER device_watches_announce_silent_devices_inserted AFTER INSERT ON device_watches FOR EACH ROW WHEN (new.check_at < 'infinity'::timestamp with time zone) EXECUTE FUNCTION announce_work('silent devices');
CREATE TRIGGER device_watches_announce_silent_devices_updated AFTER UPDATE ON device_watches FOR EACH ROW WHEN (COALESCE(new.check_at, 'infinity'::timestamp with time zone) < COALESCE(old.check_at, 'infinity'::timestamp with time zone)) EXECUTE FUNCTION announce_work('silent devices');

CREATE TABLE device_work (
  device_id text COLLATE "C" NOT NULL,
  manufacturer text COLLATE "C" NOT NULL,
  due_at timestamp with time zone NOT NULL,
  claim uuid,
  lease_until timestamp with time zone,
  avoided_by text COLLATE "C",
  avoided_until timestamp with time zone,
  left_to text COLLATE "C",
  holder uuid,
  CONSTRAINT device_work_pkey PRIMARY KEY (device_id),
  CONSTRAINT device_work_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE
) WITH (fillfactor=70);
CREATE INDEX device_work_by_holder ON device_work (holder) WHERE claim IS NOT NULL;
CREATE INDEX device_work_due ON device_work (manufacturer, due_at);
CREATE INDEX device_work_left ON device_work (left_to, due_at) WHERE left_to IS NOT NULL;
CREATE TRIGGER device_work_announce_commands_inserted AFTER INSERT ON device_work FOR EACH ROW WHEN (new.due_at < 'infinity'::timestamp with time zone) EXECUTE FUNCTION announce_work('commands');
CREATE TRIGGER device_work_announce_commands_updated AFTER UPDATE ON device_work FOR EACH ROW WHEN (new.claim IS NULL AND (COALESCE(new.due_at, 'infinity'::timestamp with time zone) < COALESCE(old.due_at, 'infinity'::timestamp with time zone) OR old.claim IS NOT NULL AND new.due_at < 'infinity'::timestamp with time zone) OR new.left_to IS NOT NULL AND new.left_to IS DISTINCT FROM old.left_to) EXECUTE FUNCTION announce_work('commands');

CREATE TABLE devices (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C",
  origin_workspace_id text COLLATE "C" NOT NULL,
  site_id text COLLATE "C",
  name text NOT NULL,
  manufacturer text COLLATE "C" NOT NULL,
  manufacturer_device_id text NOT NULL,
  serial_number text,
  reference_id text NOT NULL,
  reference_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS ( CASE WHEN char_length(reference_id) <= 200 THEN reference_id ELSE "left"(reference_id, 200) || md5(reference_id) END) STORED,
  device_model_id text COLLATE "C",
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
  connected_at timestamp with time zone,
  disconnected_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  name_key text COLLATE "C" GENERATED ALWAYS AS (lower(name)) STORED,
  customer_id text COLLATE "C",
  account_id text COLLATE "C",
  interventions jsonb,
  forced_mode jsonb,
  interventions_at timestamp with time zone,
  CONSTRAINT devices_pkey PRIMARY KEY (id),
  CONSTRAINT devices_manufacturer_key UNIQUE (origin_workspace_id, manufacturer, manufacturer_device_id),
  CONSTRAINT devices_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE SET NULL,
  CONSTRAINT devices_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES customers(id) ON DELETE SET NULL,
  CONSTRAINT devices_device_model_id_fkey FOREIGN KEY (device_model_id) REFERENCES device_models(id),
  CONSTRAINT devices_manufacturer_fkey FOREIGN KEY (manufacturer) REFERENCES manufacturers(slug),
  CONSTRAINT devices_origin_workspace_id_fkey FOREIGN KEY (origin_workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE,
  CONSTRAINT devices_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id) ON DELETE SET NULL,
  CONSTRAINT devices_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX devices_by_account ON devices (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX devices_by_customer ON devices (customer_id, workspace_id, id DESC) WHERE customer_id IS NOT NULL;
CREATE INDEX devices_by_manufacturer ON devices (workspace_id, manufacturer, id DESC);
CREATE INDEX devices_by_manufacturer_device ON devices (workspace_id, manufacturer_device_id, id DESC);
CREATE INDEX devices_by_model ON devices (workspace_id, model, id DESC);
CREATE INDEX devices_by_name ON devices (workspace_id, name_key, id DESC);
CREATE INDEX devices_by_reference ON devices (workspace_id, reference_key, id DESC);
CREATE INDEX devices_by_serial_number ON devices (workspace_id, serial_number, id DESC);
CREATE INDEX devices_by_serial_prefix ON devices (workspace_id, lower(serial_number) text_pattern_ops);
CREATE INDEX devices_by_site ON devices (site_id, workspace_id, id DESC);
CREATE INDEX devices_by_site_hash ON devices (workspace_id, hashtextextended(COALESCE(site_id, id), 0::bigint));
CREATE INDEX devices_by_text ON devices USING gin ((workspace_id || ''::text), lower((((((((((((' '::text || name) || ' '::text) || manufacturer) || ' '::text) || model) || ' '::text) || manufacturer_device_id) || ' '::text) || reference_id) || ' '::text) || COALESCE(serial_number, ''::text)) COLLATE "default") gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX devices_by_type ON devices (workspace_id, type, id DESC);
CREATE INDEX devices_by_workspace ON devices (workspace_id, id DESC);
CREATE INDEX devices_connected ON devices (workspace_id, id DESC) WHERE disconnected_at IS NULL;
CREATE INDEX devices_disconnected ON devices (workspace_id, id DESC) WHERE disconnected_at IS NOT NULL;
CREATE TRIGGER device_tags_added AFTER INSERT ON devices REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION index_device_tags();
CREATE TRIGGER device_tags_changed AFTER UPDATE OF tags, workspace_id ON devices FOR EACH ROW WHEN (old.tags <> new.tags OR old.workspace_id IS DISTINCT FROM new.workspace_id) EXECUTE FUNCTION index_device_tags();
CREATE TRIGGER device_tags_counted AFTER INSERT ON devices REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_tags('device');
CREATE TRIGGER device_tags_recounted AFTER UPDATE ON devices REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_tags('device');
CREATE TRIGGER device_tags_removed AFTER DELETE ON devices REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION index_device_tags();
CREATE TRIGGER device_tags_uncounted AFTER DELETE ON devices REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_tags('device');
CREATE TRIGGER devices_added AFTER INSERT ON devices REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_devices();
CREATE TRIGGER devices_leave_collections AFTER DELETE ON devices REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION leave_collections();
CREATE TRIGGER devices_left_watch AFTER UPDATE OF workspace_id, disconnected_at ON devices FOR EACH ROW WHEN (old.workspace_id IS DISTINCT FROM new.workspace_id OR (old.disconnected_at IS NULL) <> (new.disconnected_at IS NULL)) EXECUTE FUNCTION recheck_watches();
CREATE TRIGGER devices_moved AFTER UPDATE ON devices REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_devices();
CREATE TRIGGER devices_moved_leave_collections AFTER UPDATE OF workspace_id ON devices FOR EACH ROW WHEN (old.workspace_id IS DISTINCT FROM new.workspace_id) EXECUTE FUNCTION leave_collections();
CREATE TRIGGER devices_moved_leave_schedules AFTER UPDATE OF workspace_id ON devices FOR EACH ROW WHEN (old.workspace_id IS DISTINCT FROM new.workspace_id) EXECUTE FUNCTION leave_schedules();
CREATE TRIGGER devices_removed AFTER DELETE ON devices REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_devices();
CREATE TRIGGER devices_removed_from_watch AFTER DELETE ON devices REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION recheck_watches();
CREATE TRIGGER histories_forgotten AFTER DELETE ON devices REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION forget_histories();
CREATE TRIGGER rollups_outdated AFTER UPDATE OF type, static_state ON devices FOR EACH ROW WHEN (old.type <> new.type OR old.static_state IS DISTINCT FROM new.static_state) EXECUTE FUNCTION outdate_rollups();
CREATE TRIGGER site_devices_added AFTER INSERT ON devices REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_devices_of_sites();
CREATE TRIGGER site_devices_moved AFTER UPDATE OF site_id, workspace_id ON devices FOR EACH ROW WHEN (old.site_id IS DISTINCT FROM new.site_id OR old.workspace_id IS DISTINCT FROM new.workspace_id) EXECUTE FUNCTION count_devices_of_sites();
CREATE TRIGGER site_devices_removed AFTER DELETE ON devices REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_devices_of_sites();

CREATE TABLE dispatch_devices (
  dispatch_id text COLLATE "C" NOT NULL,
  device_id text COLLATE "C" NOT NULL,
  site_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  phase text COLLATE "C" NOT NULL,
  interval_index smallint,
  command_id text COLLATE "C",
  code text,
  before jsonb,
  unresponsive boolean NOT NULL DEFAULT false,
  due_at timestamp with time zone,
  outcome text COLLATE "C",
  skipped_index smallint,
  attempts smallint NOT NULL DEFAULT 0,
  CONSTRAINT dispatch_devices_pkey PRIMARY KEY (dispatch_id, device_id),
  CONSTRAINT dispatch_devices_dispatch_id_fkey FOREIGN KEY (dispatch_id) REFERENCES dispatches(id) ON DELETE CASCADE
) WITH (fillfactor=70);
CREATE INDEX dispatch_devices_by_site ON dispatch_devices (dispatch_id, site_id);
CREATE INDEX dispatch_devices_due ON dispatch_devices (due_at) WHERE due_at > '-infinity'::timestamp with time zone;
CREATE INDEX dispatch_devices_live ON dispatch_devices (device_id, dispatch_id) WHERE due_at IS NOT NULL;
CREATE INDEX dispatch_devices_unresponsive ON dispatch_devices (dispatch_id, device_id) WHERE unresponsive;
CREATE INDEX dispatch_devices_unsettled ON dispatch_devices (dispatch_id, device_id) WHERE phase = 'commanded'::text AND (outcome IS NULL OR code = 'timeout'::text);
CREATE TRIGGER dispatch_devices_announce_dispatches_inserted AFTER INSERT ON dispatch_devices FOR EACH ROW WHEN (new.due_at < 'infinity'::timestamp with time zone) EXECUTE FUNCTION announce_work('dispatches');
CREATE TRIGGER dispatch_devices_announce_dispatches_updated AFTER UPDATE ON dispatch_devices FOR EACH ROW WHEN (COALESCE(new.due_at, 'infinity'::timestamp with time zone) < COALESCE(old.due_at, 'infinity'::timestamp with time zone)) EXECUTE FUNCTION announce_work('dispatches');

CREATE TABLE dispatch_results (
  dispatch_id text COLLATE "C" NOT NULL,
  site_id text COLLATE "C" NOT NULL,
  history bigint,
  days json,
  baseline bigint[],
  baseline_reason text,
  signature bigint,
  missing text,
  amounts bigint[],
  covered integer[],
  exported bigint,
  CONSTRAINT dispatch_results_pkey PRIMARY KEY (dispatch_id, site_id),
  CONSTRAINT dispatch_results_dispatch_id_site_id_fkey FOREIGN KEY (dispatch_id, site_id) REFERENCES dispatch_sites(dispatch_id, site_id) ON DELETE CASCADE
);

CREATE TABLE dispatch_sites (
  dispatch_id text COLLATE "C" NOT NULL,
  site_id text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  enrollment_id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  held_out boolean NOT NULL,
  starts_at timestamp with time zone,
  opted_out_at timestamp with time zone,
  reasons json NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT dispatch_sites_pkey PRIMARY KEY (dispatch_id, site_id),
  CONSTRAINT dispatch_sites_dispatch_id_fkey FOREIGN KEY (dispatch_id) REFERENCES dispatches(id) ON DELETE CASCADE
) WITH (fillfactor=85);
CREATE INDEX dispatch_sites_by_enrollment ON dispatch_sites (enrollment_id, dispatch_id);
CREATE INDEX dispatch_sites_by_site ON dispatch_sites (site_id, dispatch_id);
CREATE INDEX dispatch_sites_by_state ON dispatch_sites (dispatch_id, state, site_id);

CREATE TABLE dispatches (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  program_instance_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  intervals json NOT NULL,
  priority smallint NOT NULL,
  randomize_start_seconds integer NOT NULL,
  voluntary boolean NOT NULL,
  test boolean NOT NULL,
  nominated_power_w double precision,
  baseline json NOT NULL,
  status text COLLATE "C" NOT NULL,
  reason text,
  due_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  results_due_at timestamp with time zone,
  CONSTRAINT dispatches_pkey PRIMARY KEY (id),
  CONSTRAINT dispatches_program_instance_id_fkey FOREIGN KEY (program_instance_id) REFERENCES program_instances(id) ON DELETE CASCADE,
  CONSTRAINT dispatches_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
) WITH (fillfactor=85);
CREATE INDEX dispatches_by_instance ON dispatches (program_instance_id, id DESC);
CREATE INDEX dispatches_by_workspace ON dispatches (workspace_id, starts_at);
CREATE INDEX dispatches_due ON dispatches (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX dispatches_results_due ON dispatches (results_due_at) WHERE results_due_at IS NOT NULL;
CREATE INDEX dispatches_running ON dispatches (id) WHERE status = 'running'::text;
CREATE TRIGGER dispatches_announce_dispatches_inserted AFTER INSERT ON dispatches FOR EACH ROW WHEN (new.due_at < 'infinity'::timestamp with time zone) EXECUTE FUNCTION announce_work('dispatches');
CREATE TRIGGER dispatches_announce_dispatches_updated AFTER UPDATE ON dispatches FOR EACH ROW WHEN (COALESCE(new.due_at, 'infinity'::timestamp with time zone) < COALESCE(old.due_at, 'infinity'::timestamp with time zone) OR new.status = 'running'::text AND old.status <> 'running'::text) EXECUTE FUNCTION announce_work('dispatches');
CREATE TRIGGER dispatches_announced_to_openadr AFTER INSERT OR UPDATE OF updated_at ON dispatches FOR EACH ROW WHEN (new.status <> 'draft'::text) EXECUTE FUNCTION announce_work('openadr publications');

CREATE TABLE encryption_keys (
  fingerprint bytea NOT NULL,
  taken_at timestamp with time zone NOT NULL,
  CONSTRAINT encryption_keys_pkey PRIMARY KEY (fingerprint)
);

CREATE TABLE energy_rollups (
  device_id text COLLATE "C" NOT NULL,
  quantity smallint NOT NULL,
  day date NOT NULL,
  amounts bigint[] NOT NULL,
  covered integer[] NOT NULL,
  latest smallint[],
  CONSTRAINT energy_rollups_pkey PRIMARY KEY (device_id, quantity, day)
) WITH (fillfactor=85);

CREATE TABLE enrollment_emails (
  enrollment_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  email text NOT NULL,
  language text NOT NULL,
  due_at timestamp with time zone,
  attempts integer NOT NULL DEFAULT 0,
  mails integer NOT NULL DEFAULT 1,
  requested_at timestamp with time zone NOT NULL,
  token_hash bytea,
  token_expires_at timestamp with time zone,
  confirmed_at timestamp with time zone,
  CONSTRAINT enrollment_emails_pkey PRIMARY KEY (enrollment_id),
  CONSTRAINT enrollment_emails_enrollment_id_fkey FOREIGN KEY (enrollment_id) REFERENCES enrollments(id) ON DELETE CASCADE
);
CREATE INDEX enrollment_emails_by_address ON enrollment_emails (lower(email), requested_at);
CREATE INDEX enrollment_emails_due ON enrollment_emails (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX enrollment_emails_token_key ON enrollment_emails (token_hash) WHERE token_hash IS NOT NULL;
CREATE TRIGGER enrollment_emails_announce_mails_of_enrollments_inserted AFTER INSERT ON enrollment_emails FOR EACH ROW WHEN (new.due_at < 'infinity'::timestamp with time zone) EXECUTE FUNCTION announce_work('mails of enrollments');
CREATE TRIGGER enrollment_emails_announce_mails_of_enrollments_updated AFTER UPDATE ON enrollment_emails FOR EACH ROW WHEN (COALESCE(new.due_at, 'infinity'::timestamp with time zone) < COALESCE(old.due_at, 'infinity'::timestamp with time zone)) EXECUTE FUNCTION announce_work('mails of enrollments');

CREATE TABLE enrollments (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  program_instance_id text COLLATE "C" NOT NULL,
  identification_type text COLLATE "C" NOT NULL,
  customer_id text COLLATE "C" NOT NULL,
  site_id text COLLATE "C",
  lead_id text,
  status text COLLATE "C" NOT NULL,
  status_reason text,
  manufacturer_slugs text[],
  serial_number text,
  reference_id text,
  reference_description text,
  tags text[] NOT NULL,
  metadata json,
  address json,
  accepted_terms json,
  submits boolean NOT NULL,
  activates_at timestamp with time zone,
  submitted_at timestamp with time zone,
  approved_at timestamp with time zone,
  rejected_at timestamp with time zone,
  unenrolled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  page_token_hash bytea,
  page_session_id text COLLATE "C",
  CONSTRAINT enrollments_pkey PRIMARY KEY (id),
  CONSTRAINT enrollments_program_instance_id_fkey FOREIGN KEY (program_instance_id) REFERENCES program_instances(id) ON DELETE CASCADE,
  CONSTRAINT enrollments_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
) WITH (fillfactor=85);
CREATE INDEX enrollments_by_customer ON enrollments (workspace_id, customer_id, id DESC);
CREATE INDEX enrollments_by_instance ON enrollments (program_instance_id, id DESC);
CREATE INDEX enrollments_by_reference ON enrollments (program_instance_id, md5(reference_id), id DESC) WHERE reference_id IS NOT NULL;
CREATE INDEX enrollments_by_site ON enrollments (workspace_id, site_id, id DESC) WHERE site_id IS NOT NULL;
CREATE INDEX enrollments_by_status ON enrollments (program_instance_id, status, id DESC);
CREATE INDEX enrollments_by_tags ON enrollments USING gin (tags);
CREATE UNIQUE INDEX enrollments_live_key ON enrollments (program_instance_id, customer_id) WHERE status <> ALL (ARRAY['rejected'::text, 'ineligible'::text, 'unenrolled'::text]);
CREATE UNIQUE INDEX enrollments_page_token_key ON enrollments (page_token_hash) WHERE page_token_hash IS NOT NULL;
CREATE INDEX enrollments_unenrolled ON enrollments (program_instance_id, unenrolled_at) WHERE unenrolled_at IS NOT NULL;
CREATE INDEX enrollments_waiting ON enrollments (id) WHERE status = 'candidate'::text AND submits;
CREATE TRIGGER enrollments_added_for_openadr AFTER INSERT ON enrollments FOR EACH ROW WHEN (new.status = 'approved'::text) EXECUTE FUNCTION note_enrolled_sites();
CREATE TRIGGER enrollments_announce_candidates_inserted AFTER INSERT ON enrollments FOR EACH ROW WHEN (new.status = 'candidate'::text AND new.submits) EXECUTE FUNCTION announce_work('candidates');
CREATE TRIGGER enrollments_announce_candidates_updated AFTER UPDATE ON enrollments FOR EACH ROW WHEN (new.status = 'candidate'::text AND new.submits AND NOT (old.status = 'candidate'::text AND old.submits)) EXECUTE FUNCTION announce_work('candidates');
CREATE TRIGGER enrollments_changed_for_openadr AFTER UPDATE ON enrollments FOR EACH ROW WHEN ((old.status = 'approved'::text OR new.status = 'approved'::text) AND (old.status IS DISTINCT FROM new.status OR old.site_id IS DISTINCT FROM new.site_id OR old.customer_id IS DISTINCT FROM new.customer_id OR old.activates_at IS DISTINCT FROM new.activates_at)) EXECUTE FUNCTION note_enrolled_sites();
CREATE TRIGGER enrollments_removed_for_openadr AFTER DELETE ON enrollments FOR EACH ROW WHEN (old.status = 'approved'::text) EXECUTE FUNCTION note_enrolled_sites();

CREATE TABLE event_cursors (
  workspace_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  since timestamp with time zone NOT NULL,
  CONSTRAINT event_cursors_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT event_cursors_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE events (
  id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  device_id text COLLATE "C",
  site_id text COLLATE "C",
  created_at timestamp with time zone NOT NULL,
  payload jsonb,
  reading_at timestamp with time zone,
  state jsonb,
  CONSTRAINT events_pkey PRIMARY KEY (created_at, id)
) PARTITION BY RANGE (created_at);
CREATE INDEX events_by_device ON events (device_id, sequence) WHERE device_id IS NOT NULL;
CREATE INDEX events_by_site ON events (site_id, sequence) WHERE site_id IS NOT NULL;
CREATE INDEX events_by_type ON events (workspace_id, type, sequence);
CREATE INDEX events_by_workspace ON events (workspace_id, sequence);
CREATE TRIGGER events_announce AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION announce_events();

CREATE TABLE failing_work (
  work text COLLATE "C" NOT NULL,
  item text COLLATE "C" NOT NULL,
  failures integer NOT NULL,
  error text NOT NULL,
  failed_at timestamp with time zone NOT NULL,
  retry_at timestamp with time zone NOT NULL,
  CONSTRAINT failing_work_pkey PRIMARY KEY (work, item)
);
CREATE INDEX failing_work_by_retry ON failing_work (retry_at);

CREATE TABLE fleet_block_quarters (
  workspace_id text COLLATE "C" NOT NULL,
  day date NOT NULL,
  block integer NOT NULL,
  metric text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL,
  amounts bigint[] NOT NULL,
  covered double precision[] NOT NULL,
  CONSTRAINT fleet_block_quarters_pkey PRIMARY KEY (workspace_id, day, block, metric, step),
  CONSTRAINT fleet_block_quarters_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES fleets(workspace_id) ON DELETE CASCADE
);

CREATE TABLE fleet_blocks (
  workspace_id text COLLATE "C" NOT NULL,
  block integer NOT NULL,
  signature numeric NOT NULL,
  as_of timestamp with time zone NOT NULL,
  days date[] NOT NULL,
  CONSTRAINT fleet_blocks_pkey PRIMARY KEY (workspace_id, block),
  CONSTRAINT fleet_blocks_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES fleets(workspace_id) ON DELETE CASCADE
);

CREATE TABLE fleet_quarters (
  workspace_id text COLLATE "C" NOT NULL,
  metric text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL,
  day date NOT NULL,
  amounts bigint[] NOT NULL,
  covered double precision[] NOT NULL,
  CONSTRAINT fleet_quarters_pkey PRIMARY KEY (workspace_id, metric, step, day),
  CONSTRAINT fleet_quarters_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES fleets(workspace_id) ON DELETE CASCADE
);

CREATE TABLE fleet_recent (
  workspace_id text COLLATE "C" NOT NULL,
  as_of timestamp with time zone,
  days date[] NOT NULL DEFAULT '{}'::date[],
  timezone text,
  claim uuid,
  claimed_at timestamp with time zone,
  holder uuid,
  CONSTRAINT fleet_recent_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT fleet_recent_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES fleets(workspace_id) ON DELETE CASCADE
);

CREATE TABLE fleet_sums (
  workspace_id text COLLATE "C" NOT NULL,
  metric text COLLATE "C" NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  block integer NOT NULL,
  signature numeric NOT NULL,
  amount numeric NOT NULL,
  amounts integer NOT NULL,
  covered double precision NOT NULL,
  covers integer NOT NULL,
  CONSTRAINT fleet_sums_pkey PRIMARY KEY (workspace_id, metric, starts_at, ends_at, block),
  CONSTRAINT fleet_sums_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES fleets(workspace_id) ON DELETE CASCADE
);

CREATE TABLE fleets (
  workspace_id text COLLATE "C" NOT NULL,
  blocks integer NOT NULL,
  timezone text NOT NULL,
  claimed_at timestamp with time zone,
  claim uuid,
  holder uuid,
  CONSTRAINT fleets_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT fleets_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE forced_modes (
  device_id text COLLATE "C" NOT NULL,
  command_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  source text COLLATE "C" NOT NULL,
  snapshot jsonb,
  phase text COLLATE "C" NOT NULL,
  began_at timestamp with time zone NOT NULL,
  until timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  ended_at timestamp with time zone,
  CONSTRAINT forced_modes_pkey PRIMARY KEY (device_id),
  CONSTRAINT forced_modes_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE
) WITH (fillfactor=70);
CREATE INDEX forced_modes_by_command ON forced_modes (command_id);

CREATE TABLE forgotten_histories (
  device_id text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  workspace_id text COLLATE "C",
  CONSTRAINT forgotten_histories_pkey PRIMARY KEY (device_id)
);

CREATE TABLE grid_connections (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  vtn_url text NOT NULL,
  token_url text,
  client_id text COLLATE "C",
  sealed_secret bytea,
  ven_name text NOT NULL,
  targets text[] NOT NULL,
  poll_seconds integer NOT NULL,
  enabled boolean NOT NULL,
  remote_ven_id text COLLATE "C",
  poll_at timestamp with time zone,
  last_polled_at timestamp with time zone,
  last_error text,
  failing_since timestamp with time zone,
  failures integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  notifications text NOT NULL DEFAULT 'automatic'::text,
  claim uuid,
  holder uuid,
  attempted_at timestamp with time zone,
  hinted_at timestamp with time zone,
  CONSTRAINT grid_connections_pkey PRIMARY KEY (id),
  CONSTRAINT grid_connections_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX grid_connections_by_workspace ON grid_connections (workspace_id, id DESC);
CREATE INDEX grid_connections_due ON grid_connections (poll_at) WHERE poll_at IS NOT NULL;
CREATE TRIGGER grid_connections_announce_inserted AFTER INSERT ON grid_connections FOR EACH ROW WHEN (new.poll_at < 'infinity'::timestamp with time zone) EXECUTE FUNCTION announce_work('grid connections');
CREATE TRIGGER grid_connections_announce_updated AFTER UPDATE ON grid_connections FOR EACH ROW WHEN (COALESCE(new.poll_at, 'infinity'::timestamp with time zone) < COALESCE(old.poll_at, 'infinity'::timestamp with time zone)) EXECUTE FUNCTION announce_work('grid connections');

CREATE TABLE grid_dispatches (
  dispatch_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  grid_program_id text COLLATE "C" NOT NULL,
  grid_event_id text COLLATE "C" NOT NULL,
  intervals jsonb NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  cancelled_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT grid_dispatches_pkey PRIMARY KEY (dispatch_id),
  CONSTRAINT grid_dispatches_dispatch_id_fkey FOREIGN KEY (dispatch_id) REFERENCES dispatches(id) ON DELETE CASCADE,
  CONSTRAINT grid_dispatches_grid_event_id_fkey FOREIGN KEY (grid_event_id) REFERENCES grid_events(id) ON DELETE CASCADE,
  CONSTRAINT grid_dispatches_grid_program_id_fkey FOREIGN KEY (grid_program_id) REFERENCES grid_programs(id) ON DELETE CASCADE,
  CONSTRAINT grid_dispatches_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX grid_dispatches_by_event ON grid_dispatches (grid_event_id);
CREATE INDEX grid_dispatches_by_program ON grid_dispatches (grid_program_id, ends_at) WHERE cancelled_at IS NULL;
CREATE INDEX grid_dispatches_by_workspace ON grid_dispatches (workspace_id);

CREATE TABLE grid_events (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  grid_connection_id text COLLATE "C" NOT NULL,
  grid_program_id text COLLATE "C" NOT NULL,
  remote_id text COLLATE "C" NOT NULL,
  priority double precision,
  body jsonb NOT NULL,
  starts_at timestamp with time zone,
  ends_at timestamp with time zone,
  vtn_created_at timestamp with time zone NOT NULL,
  vtn_modified_at timestamp with time zone NOT NULL,
  deleted_at timestamp with time zone,
  outcomes jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT grid_events_pkey PRIMARY KEY (id),
  CONSTRAINT grid_events_vtn_key UNIQUE (grid_connection_id, remote_id),
  CONSTRAINT grid_events_grid_connection_id_fkey FOREIGN KEY (grid_connection_id) REFERENCES grid_connections(id) ON DELETE CASCADE,
  CONSTRAINT grid_events_grid_program_id_fkey FOREIGN KEY (grid_program_id) REFERENCES grid_programs(id) ON DELETE CASCADE,
  CONSTRAINT grid_events_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX grid_events_by_connection ON grid_events (grid_connection_id, id DESC);
CREATE INDEX grid_events_by_end ON grid_events (grid_connection_id, COALESCE(ends_at, 'infinity'::timestamp with time zone));
CREATE INDEX grid_events_by_program ON grid_events (grid_program_id, COALESCE(ends_at, 'infinity'::timestamp with time zone));
CREATE INDEX grid_events_by_workspace ON grid_events (workspace_id);
CREATE INDEX grid_events_past ON grid_events (grid_connection_id, COALESCE(deleted_at, ends_at));

CREATE TABLE grid_notifications (
  grid_connection_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  mechanism text NOT NULL,
  settings_mark text NOT NULL,
  checked_at timestamp with time zone NOT NULL,
  last_error text,
  notified_at timestamp with time zone,
  path_hash bytea,
  bearer_hash bytea,
  subscription_id text COLLATE "C",
  subscribed_at timestamp with time zone,
  broker jsonb,
  version integer NOT NULL,
  connected_at timestamp with time zone,
  claim uuid,
  holder uuid,
  due_at timestamp with time zone,
  failures integer NOT NULL,
  CONSTRAINT grid_notifications_pkey PRIMARY KEY (grid_connection_id),
  CONSTRAINT grid_notifications_grid_connection_id_fkey FOREIGN KEY (grid_connection_id) REFERENCES grid_connections(id) ON DELETE CASCADE,
  CONSTRAINT grid_notifications_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX grid_notifications_by_workspace ON grid_notifications (workspace_id);
CREATE INDEX grid_notifications_due ON grid_notifications (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX grid_notifications_path_key ON grid_notifications (path_hash);
CREATE TRIGGER grid_notifications_announced AFTER INSERT OR UPDATE OF due_at ON grid_notifications FOR EACH ROW WHEN (new.due_at IS NOT NULL AND new.claim IS NULL) EXECUTE FUNCTION announce_work('grid notifications');

CREATE TABLE grid_programs (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  grid_connection_id text COLLATE "C" NOT NULL,
  remote_id text COLLATE "C" NOT NULL,
  body jsonb NOT NULL,
  program_instance_id text COLLATE "C",
  rules jsonb NOT NULL,
  removed_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT grid_programs_pkey PRIMARY KEY (id),
  CONSTRAINT grid_programs_vtn_key UNIQUE (grid_connection_id, remote_id),
  CONSTRAINT grid_programs_grid_connection_id_fkey FOREIGN KEY (grid_connection_id) REFERENCES grid_connections(id) ON DELETE CASCADE,
  CONSTRAINT grid_programs_program_instance_id_fkey FOREIGN KEY (program_instance_id) REFERENCES program_instances(id) ON DELETE SET NULL,
  CONSTRAINT grid_programs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX grid_programs_by_connection ON grid_programs (grid_connection_id, id DESC);
CREATE INDEX grid_programs_by_instance ON grid_programs (program_instance_id) WHERE program_instance_id IS NOT NULL;
CREATE INDEX grid_programs_by_workspace ON grid_programs (workspace_id);

CREATE TABLE grid_reports (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  grid_connection_id text COLLATE "C" NOT NULL,
  grid_event_id text COLLATE "C" NOT NULL,
  descriptor jsonb NOT NULL,
  "position" integer NOT NULL,
  intervals jsonb NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  status text NOT NULL,
  detail text,
  attempts integer NOT NULL,
  remote_report_id text COLLATE "C",
  sent_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT grid_reports_pkey PRIMARY KEY (id),
  CONSTRAINT grid_reports_once UNIQUE (grid_event_id, "position", due_at),
  CONSTRAINT grid_reports_grid_connection_id_fkey FOREIGN KEY (grid_connection_id) REFERENCES grid_connections(id) ON DELETE CASCADE,
  CONSTRAINT grid_reports_grid_event_id_fkey FOREIGN KEY (grid_event_id) REFERENCES grid_events(id) ON DELETE CASCADE,
  CONSTRAINT grid_reports_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX grid_reports_by_connection ON grid_reports (grid_connection_id, id DESC);
CREATE INDEX grid_reports_by_workspace ON grid_reports (workspace_id);
CREATE INDEX grid_reports_open ON grid_reports (grid_connection_id, due_at) WHERE status = 'due'::text;

CREATE TABLE home_assistant_publications (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  host text NOT NULL,
  port integer NOT NULL,
  tls boolean NOT NULL,
  fingerprint text,
  username text,
  sealed_password bytea,
  discovery_prefix text COLLATE "C" NOT NULL,
  tag text COLLATE "C",
  takes_commands boolean NOT NULL,
  version integer NOT NULL,
  connected_at timestamp with time zone,
  failure text,
  failing_since timestamp with time zone,
  devices integer,
  devices_left_out integer NOT NULL,
  due_at timestamp with time zone NOT NULL,
  claim uuid,
  holder uuid,
  failures integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  devices_from_home_assistant integer NOT NULL DEFAULT 0,
  CONSTRAINT home_assistant_publications_pkey PRIMARY KEY (id),
  CONSTRAINT home_assistant_publications_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
) WITH (fillfactor=85);
CREATE UNIQUE INDEX home_assistant_publications_broker ON home_assistant_publications (workspace_id, lower(host), port, discovery_prefix);
CREATE INDEX home_assistant_publications_by_workspace ON home_assistant_publications (workspace_id, id DESC);
CREATE INDEX home_assistant_publications_due ON home_assistant_publications (due_at);
CREATE TRIGGER home_assistant_publications_announce_inserted AFTER INSERT ON home_assistant_publications FOR EACH ROW EXECUTE FUNCTION announce_work('home assistant');
CREATE TRIGGER home_assistant_publications_announce_updated AFTER UPDATE ON home_assistant_publications FOR EACH ROW WHEN (new.claim IS NULL AND COALESCE(new.due_at, 'infinity'::timestamp with time zone) < COALESCE(old.due_at, 'infinity'::timestamp with time zone)) EXECUTE FUNCTION announce_work('home assistant');

CREATE TABLE idempotent_answers (
  scope bytea NOT NULL,
  request bytea NOT NULL,
  claim uuid NOT NULL,
  status smallint,
  headers jsonb,
  body bytea,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotent_answers_pkey PRIMARY KEY (scope),
  CONSTRAINT idempotent_answers_whole CHECK ((status IS NULL) = (headers IS NULL) AND (status IS NULL) = (body IS NULL))
);
CREATE INDEX idempotent_answers_by_expiry ON idempotent_answers (expires_at);

CREATE TABLE inbound_claims (
  manufacturer text COLLATE "C" NOT NULL,
  external_id text NOT NULL,
  holder text COLLATE "C" NOT NULL,
  account_id text COLLATE "C",
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT inbound_claims_pkey PRIMARY KEY (manufacturer, external_id),
  CONSTRAINT inbound_claims_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  CONSTRAINT inbound_claims_manufacturer_fkey FOREIGN KEY (manufacturer) REFERENCES manufacturers(slug)
);
CREATE INDEX inbound_claims_by_account ON inbound_claims (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX inbound_claims_by_expiry ON inbound_claims (expires_at);

CREATE TABLE instances (
  id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  version text NOT NULL,
  node_version text NOT NULL,
  host_name text NOT NULL,
  pid integer NOT NULL,
  started_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  CONSTRAINT instances_pkey PRIMARY KEY (id)
) WITH (fillfactor=50);

CREATE TABLE kept_readings (
  device_id text COLLATE "C" NOT NULL,
  at timestamp with time zone NOT NULL,
  state jsonb NOT NULL,
  CONSTRAINT kept_readings_pkey PRIMARY KEY (device_id, at)
);

CREATE TABLE lease_holders (
  id uuid NOT NULL,
  missing_since timestamp with time zone,
  CONSTRAINT lease_holders_pkey PRIMARY KEY (id)
);
CREATE TRIGGER lease_holders_announce_lease_holders_inserted AFTER INSERT ON lease_holders FOR EACH ROW WHEN (true) EXECUTE FUNCTION announce_work('lease holders');

CREATE TABLE manufacturer_calls (
  manufacturer text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  window_seconds integer NOT NULL,
  window_start timestamp with time zone NOT NULL,
  calls integer NOT NULL,
  CONSTRAINT manufacturer_calls_pkey PRIMARY KEY (manufacturer, account_id, window_seconds)
) WITH (fillfactor=70);

CREATE TABLE manufacturer_pauses (
  manufacturer text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT manufacturer_pauses_pkey PRIMARY KEY (manufacturer, account_id)
);

CREATE TABLE manufacturers (
  slug text COLLATE "C" NOT NULL,
  name text NOT NULL,
  device_types text[] NOT NULL,
  connectable boolean NOT NULL,
  direct_integration boolean NOT NULL,
  logo_url text,
  online_window interval NOT NULL DEFAULT '00:15:00'::interval,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  organization_id text COLLATE "C",
  confirm_within integer NOT NULL DEFAULT 900,
  CONSTRAINT manufacturers_pkey PRIMARY KEY (slug),
  CONSTRAINT manufacturers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);

CREATE TABLE migrations (
  migration_id integer NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  name text NOT NULL,
  CONSTRAINT migrations_pkey PRIMARY KEY (migration_id)
);

CREATE TABLE organizations (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT organizations_pkey PRIMARY KEY (id)
);

CREATE TABLE postal_codes (
  code text COLLATE "C" NOT NULL,
  state text NOT NULL,
  latitude double precision NOT NULL,
  longitude double precision NOT NULL,
  CONSTRAINT postal_codes_pkey PRIMARY KEY (code)
);

CREATE TABLE program_day_work (
  program_instance_id text COLLATE "C" NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT program_day_work_pkey PRIMARY KEY (program_instance_id),
  CONSTRAINT program_day_work_program_instance_id_fkey FOREIGN KEY (program_instance_id) REFERENCES program_instances(id) ON DELETE CASCADE
);
CREATE INDEX program_day_work_due ON program_day_work (due_at);

CREATE TABLE program_days (
  program_instance_id text COLLATE "C" NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  block smallint NOT NULL,
  signature bigint NOT NULL,
  discharged bigint NOT NULL,
  discharged_covered bigint NOT NULL,
  charged bigint NOT NULL,
  charged_covered bigint NOT NULL,
  CONSTRAINT program_days_pkey PRIMARY KEY (program_instance_id, starts_at, ends_at, block),
  CONSTRAINT program_days_program_instance_id_fkey FOREIGN KEY (program_instance_id) REFERENCES program_instances(id) ON DELETE CASCADE
);

CREATE TABLE program_instances (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  program_id text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  page_slug text COLLATE "C" NOT NULL,
  title text NOT NULL,
  description text NOT NULL,
  eligibility_criteria text NOT NULL,
  program_terms text NOT NULL,
  terms_version integer NOT NULL,
  enrollment_periods json NOT NULL,
  custom_fields json,
  status text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT program_instances_pkey PRIMARY KEY (id),
  CONSTRAINT program_instances_program_id_fkey FOREIGN KEY (program_id) REFERENCES programs(id) ON DELETE CASCADE,
  CONSTRAINT program_instances_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX program_instances_by_program ON program_instances (program_id);
CREATE INDEX program_instances_by_workspace ON program_instances (workspace_id, id DESC);
CREATE UNIQUE INDEX program_instances_page_key ON program_instances (page_slug);
CREATE UNIQUE INDEX program_instances_slug_key ON program_instances (workspace_id, slug);

CREATE TABLE programs (
  id text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  states text[] NOT NULL,
  active boolean NOT NULL,
  visibility text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C",
  year integer,
  starts_at timestamp with time zone,
  ends_at timestamp with time zone,
  eligibility json,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT programs_pkey PRIMARY KEY (id),
  CONSTRAINT programs_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE CASCADE
);
CREATE INDEX programs_by_organization ON programs (organization_id, id DESC);
CREATE INDEX programs_public ON programs (id DESC) WHERE visibility = 'PUBLIC'::text;
CREATE UNIQUE INDEX programs_slug_key ON programs (slug);

CREATE TABLE reading_counts (
  device_id text COLLATE "C" NOT NULL,
  month date NOT NULL,
  earlier bigint NOT NULL,
  hours integer[] STORAGE MAIN NOT NULL,
  CONSTRAINT reading_counts_pkey PRIMARY KEY (device_id, month),
  CONSTRAINT reading_counts_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE
);

CREATE TABLE readings (
  device_id text COLLATE "C" NOT NULL,
  at timestamp with time zone NOT NULL,
  id text COLLATE "C" NOT NULL,
  state jsonb NOT NULL,
  CONSTRAINT readings_pkey PRIMARY KEY (device_id, at)
) PARTITION BY RANGE (at);

CREATE TABLE readings_floor (
  single boolean NOT NULL DEFAULT true,
  kept_from timestamp with time zone NOT NULL,
  frozen_at timestamp with time zone,
  CONSTRAINT readings_floor_pkey PRIMARY KEY (single),
  CONSTRAINT readings_floor_single_check CHECK (single)
);

CREATE TABLE recipient_hours (
  workspace_id text COLLATE "C" NOT NULL,
  recipient text COLLATE "C" NOT NULL,
  hour timestamp with time zone NOT NULL,
  sent integer NOT NULL,
  CONSTRAINT recipient_hours_pkey PRIMARY KEY (workspace_id, recipient),
  CONSTRAINT recipient_hours_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX recipient_hours_by_hour ON recipient_hours (hour);

CREATE TABLE saved_filters (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  page text COLLATE "C" NOT NULL,
  query text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT saved_filters_pkey PRIMARY KEY (id),
  CONSTRAINT saved_filters_name_key UNIQUE (workspace_id, name, page),
  CONSTRAINT saved_filters_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE schedules (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  device_id text COLLATE "C",
  tag text COLLATE "C",
  collection_id text COLLATE "C",
  device_type text NOT NULL,
  timezone text NOT NULL,
  default_mode json,
  rules json NOT NULL,
  enabled boolean NOT NULL,
  next_transition_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT schedules_pkey PRIMARY KEY (id),
  CONSTRAINT schedules_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections(id) ON DELETE CASCADE,
  CONSTRAINT schedules_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE,
  CONSTRAINT schedules_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE,
  CONSTRAINT schedules_one_target CHECK (num_nonnulls(device_id, tag, collection_id) = 1)
) WITH (fillfactor=85);
CREATE INDEX schedules_by_collection ON schedules (collection_id, id DESC) WHERE collection_id IS NOT NULL;
CREATE INDEX schedules_by_device ON schedules (device_id, id DESC) WHERE device_id IS NOT NULL;
CREATE INDEX schedules_by_tag ON schedules (workspace_id, tag, id DESC) WHERE tag IS NOT NULL;
CREATE INDEX schedules_by_workspace ON schedules (workspace_id, id DESC);
CREATE UNIQUE INDEX schedules_device_key ON schedules (device_id) WHERE device_id IS NOT NULL AND enabled;
CREATE INDEX schedules_due ON schedules (next_transition_at) WHERE next_transition_at IS NOT NULL;
CREATE INDEX schedules_shared ON schedules (workspace_id, device_type) WHERE device_id IS NULL AND enabled;
CREATE TRIGGER schedules_announce_schedules_inserted AFTER INSERT ON schedules FOR EACH ROW WHEN (new.next_transition_at < 'infinity'::timestamp with time zone) EXECUTE FUNCTION announce_work('schedules');
CREATE TRIGGER schedules_announce_schedules_updated AFTER UPDATE ON schedules FOR EACH ROW WHEN (COALESCE(new.next_transition_at, 'infinity'::timestamp with time zone) < COALESCE(old.next_transition_at, 'infinity'::timestamp with time zone)) EXECUTE FUNCTION announce_work('schedules');

CREATE TABLE site_changes (
  id text COLLATE "C" NOT NULL,
  site_id text COLLATE "C" NOT NULL,
  told_from text COLLATE "C" NOT NULL,
  change jsonb NOT NULL,
  CONSTRAINT site_changes_pkey PRIMARY KEY (id),
  CONSTRAINT site_changes_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id) ON DELETE CASCADE
);
CREATE INDEX site_changes_by_site ON site_changes (site_id);
CREATE TRIGGER site_changes_announce_site_changes_inserted AFTER INSERT ON site_changes FOR EACH ROW WHEN (true) EXECUTE FUNCTION announce_work('site changes');

CREATE TABLE site_device_counts (
  site_id text COLLATE "C" NOT NULL,
  shard smallint NOT NULL,
  devices bigint NOT NULL,
  CONSTRAINT site_device_counts_pkey PRIMARY KEY (site_id, shard),
  CONSTRAINT site_device_counts_site_id_fkey FOREIGN KEY (site_id) REFERENCES sites(id) ON DELETE CASCADE
);

CREATE TABLE sites (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
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
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  max_import_w double precision,
  max_export_w double precision,
  CONSTRAINT sites_pkey PRIMARY KEY (id),
  CONSTRAINT sites_address_key UNIQUE (workspace_id, address_hash),
  CONSTRAINT sites_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX sites_by_name ON sites (workspace_id, lower(name) text_pattern_ops);
CREATE INDEX sites_by_place ON sites (workspace_id, latitude) INCLUDE (longitude, id);
CREATE INDEX sites_by_postal_code ON sites (workspace_id, postal_key, id DESC);
CREATE INDEX sites_by_reference ON sites (workspace_id, "left"(reference_id, 200), id DESC);
CREATE INDEX sites_by_state ON sites (workspace_id, state_key, id DESC);
CREATE INDEX sites_by_street ON sites (workspace_id, lower(street_one) text_pattern_ops);
CREATE INDEX sites_by_tag ON sites USING gin (tags);
CREATE INDEX sites_by_text ON sites USING gin ((workspace_id || ''::text), lower((((((((((((((' '::text || street_one) || ' '::text) || city) || ' '::text) || state) || ' '::text) || postal_code) || ' '::text) || COALESCE(name, ''::text)) || ' '::text) || COALESCE(street_two, ''::text)) || ' '::text) || COALESCE(reference_id, ''::text)) COLLATE "default") gin_trgm_ops) WITH (gin_pending_list_limit='1024');
CREATE INDEX sites_by_workspace ON sites (workspace_id, id DESC);
CREATE INDEX sites_limited ON sites (workspace_id, id) WHERE max_import_w IS NOT NULL OR max_export_w IS NOT NULL;
CREATE TRIGGER site_tags_counted AFTER INSERT ON sites REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_tags('site');
CREATE TRIGGER site_tags_recounted AFTER UPDATE ON sites REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_tags('site');
CREATE TRIGGER site_tags_uncounted AFTER DELETE ON sites REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_tags('site');
CREATE TRIGGER sites_changed_for_openadr AFTER UPDATE ON sites FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name OR old.street_one IS DISTINCT FROM new.street_one OR old.street_two IS DISTINCT FROM new.street_two OR old.city IS DISTINCT FROM new.city OR old.state IS DISTINCT FROM new.state OR old.postal_code IS DISTINCT FROM new.postal_code OR old.country IS DISTINCT FROM new.country OR old.latitude IS DISTINCT FROM new.latitude OR old.longitude IS DISTINCT FROM new.longitude OR old.tags IS DISTINCT FROM new.tags) EXECUTE FUNCTION note_changed_site();
CREATE TRIGGER sites_end_enrollments AFTER DELETE ON sites REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION end_enrollments();
CREATE TRIGGER sites_leave_collections AFTER DELETE ON sites REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION leave_collections();
CREATE TRIGGER sites_removed_for_openadr AFTER DELETE ON sites FOR EACH ROW EXECUTE FUNCTION note_changed_site();

CREATE TABLE tag_counts (
  workspace_id text COLLATE "C" NOT NULL,
  tag text COLLATE "C" NOT NULL,
  tag_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(tag COLLATE "default")) STORED,
  kind text COLLATE "C" NOT NULL,
  shard smallint NOT NULL,
  n bigint NOT NULL,
  CONSTRAINT tag_counts_pkey PRIMARY KEY (workspace_id, tag_key, tag, kind, shard),
  CONSTRAINT tag_counts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
) WITH (fillfactor=70);
CREATE TRIGGER tag_counts_spent AFTER INSERT OR UPDATE ON tag_counts FOR EACH ROW WHEN (new.n <= 0) EXECUTE FUNCTION drop_spent_tag_count();

CREATE TABLE vtn_broker_messages (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  workspace_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C",
  topic text COLLATE "C" NOT NULL,
  object_type text NOT NULL,
  operation text NOT NULL,
  object jsonb NOT NULL,
  targets text[],
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT vtn_broker_messages_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_broker_messages_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX vtn_broker_messages_by_workspace ON vtn_broker_messages (workspace_id);
CREATE TRIGGER vtn_broker_messages_announced AFTER INSERT ON vtn_broker_messages FOR EACH STATEMENT EXECUTE FUNCTION announce_work('openadr broker');

CREATE TABLE vtn_broker_work (
  id smallint NOT NULL,
  due_at timestamp with time zone NOT NULL,
  failures integer NOT NULL,
  CONSTRAINT vtn_broker_work_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_broker_work_id_check CHECK (id = 1)
);

CREATE TABLE vtn_callbacks (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  subscription_id text COLLATE "C" NOT NULL,
  "position" smallint NOT NULL,
  url text NOT NULL,
  sealed_token bytea,
  objects text[] NOT NULL,
  operations text[] NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamp with time zone,
  last_error text,
  due_at timestamp with time zone NOT NULL,
  broken_at timestamp with time zone,
  last_failed_at timestamp with time zone,
  claim uuid,
  holder uuid,
  CONSTRAINT vtn_callbacks_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_callbacks_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES vtn_subscriptions(id) ON DELETE CASCADE,
  CONSTRAINT vtn_callbacks_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX vtn_callbacks_by_subscription ON vtn_callbacks (subscription_id);
CREATE INDEX vtn_callbacks_by_workspace ON vtn_callbacks (workspace_id) WHERE broken_at IS NULL;
CREATE INDEX vtn_callbacks_due ON vtn_callbacks (due_at) WHERE broken_at IS NULL;

CREATE TABLE vtn_events (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C",
  body jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  modified_at timestamp with time zone NOT NULL,
  vtn_program_id text COLLATE "C" NOT NULL,
  priority bigint,
  targets text[],
  ends_at timestamp with time zone,
  CONSTRAINT vtn_events_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_events_program_fkey FOREIGN KEY (vtn_program_id) REFERENCES vtn_programs(id),
  CONSTRAINT vtn_events_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX vtn_events_by_end ON vtn_events (workspace_id, ends_at);
CREATE INDEX vtn_events_by_target ON vtn_events USING gin (workspace_id, targets);
CREATE INDEX vtn_events_for_all ON vtn_events (workspace_id, priority, id) WHERE targets IS NULL;
CREATE INDEX vtn_events_in_order ON vtn_events (workspace_id, priority, id);
CREATE INDEX vtn_events_in_program ON vtn_events (vtn_program_id, priority, id);

CREATE TABLE vtn_notifications (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  callback_id text COLLATE "C" NOT NULL,
  object_type text NOT NULL,
  operation text NOT NULL,
  object jsonb NOT NULL,
  targets text[],
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT vtn_notifications_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_notifications_callback_id_fkey FOREIGN KEY (callback_id) REFERENCES vtn_callbacks(id) ON DELETE CASCADE
);
CREATE INDEX vtn_notifications_by_callback ON vtn_notifications (callback_id, id);
CREATE TRIGGER vtn_notifications_announced AFTER INSERT ON vtn_notifications FOR EACH ROW EXECUTE FUNCTION announce_work('openadr notifications');

CREATE TABLE vtn_programs (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C",
  body jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  modified_at timestamp with time zone NOT NULL,
  program_name text COLLATE "C" NOT NULL,
  targets text[],
  CONSTRAINT vtn_programs_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_programs_name_key UNIQUE (workspace_id, program_name),
  CONSTRAINT vtn_programs_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX vtn_programs_by_target ON vtn_programs USING gin (workspace_id, targets);
CREATE INDEX vtn_programs_by_workspace ON vtn_programs (workspace_id, id);

CREATE TABLE vtn_publications (
  program_instance_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  vtn_program_id text COLLATE "C" NOT NULL,
  signal jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT vtn_publications_pkey PRIMARY KEY (program_instance_id),
  CONSTRAINT vtn_publications_program_instance_id_fkey FOREIGN KEY (program_instance_id) REFERENCES program_instances(id) ON DELETE CASCADE,
  CONSTRAINT vtn_publications_vtn_program_id_fkey FOREIGN KEY (vtn_program_id) REFERENCES vtn_programs(id),
  CONSTRAINT vtn_publications_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX vtn_publications_by_workspace ON vtn_publications (workspace_id);
CREATE TRIGGER vtn_publications_announced AFTER INSERT OR UPDATE ON vtn_publications FOR EACH ROW EXECUTE FUNCTION announce_work('openadr publications');

CREATE TABLE vtn_published_dispatches (
  dispatch_id text COLLATE "C" NOT NULL,
  program_instance_id text COLLATE "C" NOT NULL,
  event_key text COLLATE "C" NOT NULL,
  published_state text NOT NULL,
  CONSTRAINT vtn_published_dispatches_pkey PRIMARY KEY (dispatch_id),
  CONSTRAINT vtn_published_dispatches_dispatch_id_fkey FOREIGN KEY (dispatch_id) REFERENCES dispatches(id) ON DELETE CASCADE,
  CONSTRAINT vtn_published_dispatches_program_instance_id_fkey FOREIGN KEY (program_instance_id) REFERENCES vtn_publications(program_instance_id) ON DELETE CASCADE
);
CREATE INDEX vtn_published_dispatches_by_instance ON vtn_published_dispatches (program_instance_id);

CREATE TABLE vtn_reports (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C",
  body jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  modified_at timestamp with time zone NOT NULL,
  event_key text COLLATE "C" NOT NULL,
  program_key text COLLATE "C" NOT NULL,
  client_name text COLLATE "C" NOT NULL,
  reported_sites jsonb,
  CONSTRAINT vtn_reports_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_reports_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX vtn_reports_by_change ON vtn_reports (modified_at);
CREATE INDEX vtn_reports_by_client ON vtn_reports (workspace_id, client_id, id);
CREATE INDEX vtn_reports_by_client_name ON vtn_reports (workspace_id, client_name, id);
CREATE INDEX vtn_reports_by_workspace ON vtn_reports (workspace_id, id);
CREATE INDEX vtn_reports_in_program ON vtn_reports (program_key, id);
CREATE INDEX vtn_reports_on_event ON vtn_reports (event_key, id);
CREATE INDEX vtn_reports_on_event_by_client ON vtn_reports (event_key, client_id, id);

CREATE TABLE vtn_resource_targets (
  workspace_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  resource_id text COLLATE "C" NOT NULL,
  CONSTRAINT vtn_resource_targets_pkey PRIMARY KEY (workspace_id, client_id, target, resource_id)
);

CREATE TABLE vtn_resources (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C",
  body jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  modified_at timestamp with time zone NOT NULL,
  ven_id text COLLATE "C" NOT NULL,
  resource_name text COLLATE "C" NOT NULL,
  targets text[],
  site_id text COLLATE "C",
  CONSTRAINT vtn_resources_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_resources_name_key UNIQUE (ven_id, resource_name),
  CONSTRAINT vtn_resources_ven_fkey FOREIGN KEY (ven_id) REFERENCES vtn_vens(id),
  CONSTRAINT vtn_resources_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX vtn_resources_by_name ON vtn_resources (workspace_id, resource_name, id);
CREATE INDEX vtn_resources_by_target ON vtn_resources USING gin (workspace_id, targets);
CREATE INDEX vtn_resources_by_workspace ON vtn_resources (workspace_id, id);
CREATE INDEX vtn_resources_made ON vtn_resources (ven_id) WHERE site_id IS NULL;
CREATE INDEX vtn_resources_of_client ON vtn_resources (workspace_id, client_id, id);
CREATE INDEX vtn_resources_of_ven ON vtn_resources (ven_id, id);
CREATE UNIQUE INDEX vtn_resources_site_key ON vtn_resources (site_id, client_id) WHERE site_id IS NOT NULL;
CREATE TRIGGER vtn_resource_targets_added AFTER INSERT ON vtn_resources FOR EACH ROW WHEN (new.targets IS NOT NULL) EXECUTE FUNCTION index_resource_targets();
CREATE TRIGGER vtn_resource_targets_changed AFTER UPDATE ON vtn_resources FOR EACH ROW WHEN (old.targets IS DISTINCT FROM new.targets OR old.client_id IS DISTINCT FROM new.client_id) EXECUTE FUNCTION index_resource_targets();
CREATE TRIGGER vtn_resource_targets_removed AFTER DELETE ON vtn_resources FOR EACH ROW WHEN (old.targets IS NOT NULL) EXECUTE FUNCTION index_resource_targets();

CREATE TABLE vtn_site_work (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  workspace_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  item text COLLATE "C" NOT NULL,
  reached text COLLATE "C" NOT NULL DEFAULT ''::text,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT vtn_site_work_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_site_work_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX vtn_site_work_by_workspace ON vtn_site_work (workspace_id, kind, due_at, id);
CREATE INDEX vtn_site_work_due ON vtn_site_work (due_at, id);
CREATE TRIGGER vtn_site_work_announced AFTER INSERT ON vtn_site_work FOR EACH STATEMENT EXECUTE FUNCTION announce_work('openadr sites');

CREATE TABLE vtn_subscriptions (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C",
  body jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  modified_at timestamp with time zone NOT NULL,
  client_name text COLLATE "C" NOT NULL,
  role text NOT NULL,
  program_key text COLLATE "C",
  objects text[] NOT NULL,
  targets text[],
  CONSTRAINT vtn_subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_subscriptions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX vtn_subscriptions_by_client ON vtn_subscriptions (workspace_id, client_id, id);
CREATE INDEX vtn_subscriptions_by_workspace ON vtn_subscriptions (workspace_id, id);

CREATE TABLE vtn_vens (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C",
  body jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  modified_at timestamp with time zone NOT NULL,
  ven_name text COLLATE "C" NOT NULL,
  targets text[],
  CONSTRAINT vtn_vens_pkey PRIMARY KEY (id),
  CONSTRAINT vtn_vens_client_key UNIQUE (workspace_id, client_id),
  CONSTRAINT vtn_vens_name_key UNIQUE (workspace_id, ven_name),
  CONSTRAINT vtn_vens_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX vtn_vens_by_target ON vtn_vens USING gin (workspace_id, targets);
CREATE INDEX vtn_vens_by_workspace ON vtn_vens (workspace_id, id);

CREATE TABLE workspace_device_counts (
  workspace_id text COLLATE "C" NOT NULL,
  shard smallint NOT NULL,
  devices bigint NOT NULL,
  CONSTRAINT workspace_device_counts_pkey PRIMARY KEY (workspace_id, shard),
  CONSTRAINT workspace_device_counts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE workspace_floors (
  workspace_id text COLLATE "C" NOT NULL,
  device_type text NOT NULL,
  kept_from timestamp with time zone NOT NULL,
  frozen_at timestamp with time zone,
  removed_device text COLLATE "C" NOT NULL DEFAULT ''::text,
  removed_at timestamp with time zone,
  archive_removed_until timestamp with time zone NOT NULL DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone,
  CONSTRAINT workspace_floors_pkey PRIMARY KEY (workspace_id, device_type),
  CONSTRAINT workspace_floors_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE workspace_import_parts (
  import_id text COLLATE "C" NOT NULL,
  part integer NOT NULL,
  table_name text NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT workspace_import_parts_pkey PRIMARY KEY (import_id, part),
  CONSTRAINT workspace_import_parts_import_id_fkey FOREIGN KEY (import_id) REFERENCES workspace_imports(id) ON DELETE CASCADE
);

CREATE TABLE workspace_imports (
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  head jsonb NOT NULL,
  parts integer NOT NULL DEFAULT 0,
  updated_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  CONSTRAINT workspace_imports_pkey PRIMARY KEY (id),
  CONSTRAINT workspace_imports_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE UNIQUE INDEX workspace_imports_open ON workspace_imports (workspace_id) WHERE finished_at IS NULL;

CREATE TABLE workspace_retentions (
  workspace_id text COLLATE "C" NOT NULL,
  days integer,
  device_types jsonb NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT workspace_retentions_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT workspace_retentions_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE workspaces (
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  deletion_protection boolean NOT NULL,
  timezone text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  logo_url text,
  accent_color text,
  connect_redirects text[] NOT NULL DEFAULT '{}'::text[],
  paused_at timestamp with time zone,
  contact_email text,
  contact_phone text,
  contact_url text,
  temperature_unit text NOT NULL DEFAULT 'F'::text,
  distance_unit text NOT NULL DEFAULT 'mi'::text,
  CONSTRAINT workspaces_pkey PRIMARY KEY (id),
  CONSTRAINT workspaces_name_key UNIQUE (organization_id, name),
  CONSTRAINT workspaces_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id)
);
CREATE INDEX workspaces_by_organization ON workspaces (organization_id, id DESC);
CREATE INDEX workspaces_paused ON workspaces (id) WHERE paused_at IS NOT NULL;

CREATE TABLE write_probe (
  filler text STORAGE PLAIN NOT NULL
);

CREATE FUNCTION announce_events()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF pg_try_advisory_xact_lock(hashtextextended('announced events', 0)) THEN
      PERFORM pg_notify('edp_work', 'events');
    END IF;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION announce_work()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM pg_notify('edp_work', TG_ARGV[0]);
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION begin_archive_move(month date)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '200ms'
AS $function$
  DECLARE
    parent    constant regclass := 'readings'::regclass;
    partition constant text     := format('%I.%I',
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent),
      'readings_' || to_char(month, 'YYYYMM'));
  BEGIN
    IF EXISTS (SELECT FROM archive_moves AS move WHERE move.month = begin_archive_move.month) THEN
      RETURN true;
    END IF;
    EXECUTE format('CREATE TRIGGER archive_change AFTER INSERT ON %s FOR EACH ROW EXECUTE FUNCTION note_archive_change()', partition);
    INSERT INTO archive_moves (month) VALUES (begin_archive_move.month);
    RETURN true;
  EXCEPTION WHEN lock_not_available THEN
    RETURN false;
  END
  $function$;

CREATE FUNCTION count_devices()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  $function$;

CREATE FUNCTION count_devices_of_sites()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO site_device_counts AS counts (site_id, shard, devices)
      SELECT site_id, pg_backend_pid() % 16, count(*) FROM added JOIN sites ON sites.id = added.site_id
        AND sites.workspace_id = added.workspace_id
      GROUP BY site_id ORDER BY site_id
      ON CONFLICT (site_id, shard) DO UPDATE SET devices = counts.devices + excluded.devices;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO site_device_counts AS counts (site_id, shard, devices)
      SELECT site_id, pg_backend_pid() % 16, -count(*) FROM removed JOIN sites ON sites.id = removed.site_id
        AND sites.workspace_id = removed.workspace_id
      GROUP BY site_id ORDER BY site_id
      ON CONFLICT (site_id, shard) DO UPDATE SET devices = counts.devices + excluded.devices;
    ELSE
      INSERT INTO site_device_counts AS counts (site_id, shard, devices)
      SELECT sites.id, pg_backend_pid() % 16, moved.n
      FROM (VALUES (OLD.site_id, OLD.workspace_id, -1), (NEW.site_id, NEW.workspace_id, 1)) AS moved (site_id, workspace_id, n)
      JOIN sites ON sites.id = moved.site_id AND sites.workspace_id = moved.workspace_id ORDER BY sites.id
      ON CONFLICT (site_id, shard) DO UPDATE SET devices = counts.devices + excluded.devices;
    END IF;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION count_tags()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
  INSERT INTO tag_counts AS counts (workspace_id, tag, kind, shard, n)
  SELECT change.workspace_id, change.tag, TG_ARGV[0], change.shard, sum(change.n) FROM (SELECT DISTINCT id, workspace_id, unnest(tags) AS tag, ascii(right(id, 1)) & 15 AS shard, 1 AS n FROM added) AS change
  -- rows of a deleted workspace are gone before the cascade reaches what it held
  JOIN workspaces ON workspaces.id = change.workspace_id
  GROUP BY change.workspace_id, change.tag, change.shard HAVING sum(change.n) <> 0
  ORDER BY change.workspace_id, change.tag, change.shard
  ON CONFLICT (workspace_id, tag_key, tag, kind, shard) DO UPDATE SET n = counts.n + excluded.n;
    ELSIF TG_OP = 'DELETE' THEN
  INSERT INTO tag_counts AS counts (workspace_id, tag, kind, shard, n)
  SELECT change.workspace_id, change.tag, TG_ARGV[0], change.shard, sum(change.n) FROM (SELECT DISTINCT id, workspace_id, unnest(tags) AS tag, ascii(right(id, 1)) & 15 AS shard, -1 AS n FROM removed) AS change
  -- rows of a deleted workspace are gone before the cascade reaches what it held
  JOIN workspaces ON workspaces.id = change.workspace_id
  GROUP BY change.workspace_id, change.tag, change.shard HAVING sum(change.n) <> 0
  ORDER BY change.workspace_id, change.tag, change.shard
  ON CONFLICT (workspace_id, tag_key, tag, kind, shard) DO UPDATE SET n = counts.n + excluded.n;
    ELSE
  INSERT INTO tag_counts AS counts (workspace_id, tag, kind, shard, n)
  SELECT change.workspace_id, change.tag, TG_ARGV[0], change.shard, sum(change.n) FROM (
  SELECT each.workspace_id, each.tag, ascii(right(id, 1)) & 15 AS shard, each.n FROM added JOIN removed USING (id), LATERAL (
    SELECT added.workspace_id, unnest(added.tags), 1
    UNION SELECT removed.workspace_id, unnest(removed.tags), -1
  ) AS each (workspace_id, tag, n)
  WHERE added.tags <> removed.tags OR added.workspace_id IS DISTINCT FROM removed.workspace_id) AS change
  -- rows of a deleted workspace are gone before the cascade reaches what it held
  JOIN workspaces ON workspaces.id = change.workspace_id
  GROUP BY change.workspace_id, change.tag, change.shard HAVING sum(change.n) <> 0
  ORDER BY change.workspace_id, change.tag, change.shard
  ON CONFLICT (workspace_id, tag_key, tag, kind, shard) DO UPDATE SET n = counts.n + excluded.n;
    END IF;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION drop_archived_partition(month date)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '200ms'
AS $function$
  DECLARE
    parent     constant regclass := 'readings'::regclass;
    table_name constant text     := 'readings_' || to_char(month, 'YYYYMM');
    partition  constant text     := format('%I.%I',
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent), table_name);
    is_empty   boolean;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('readings partitions', 0));
    IF NOT EXISTS (SELECT FROM archive_border WHERE archived_until >= (month + interval '1 month') AT TIME ZONE 'UTC') THEN
      RAISE EXCEPTION 'The readings of % are not archived', to_char(month, 'YYYY-MM');
    END IF;
    IF NOT EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', parent);
    IF EXISTS (SELECT FROM archive_changes AS noted WHERE noted.month = drop_archived_partition.month)
      OR EXISTS (SELECT FROM archive_deletions) THEN
      RETURN false;
    END IF;
    EXECUTE format('SELECT NOT EXISTS (SELECT FROM %s)', partition) INTO is_empty;
    IF NOT is_empty AND NOT EXISTS (SELECT FROM archive_moves AS move
        WHERE move.month = drop_archived_partition.month AND move.shown_at IS NOT NULL) THEN
      RETURN false;
    END IF;
    EXECUTE format('DROP TABLE %s', partition);
    DELETE FROM archive_moves AS move WHERE move.month = drop_archived_partition.month;
    RETURN true;
  EXCEPTION WHEN lock_not_available THEN
    RETURN false;
  END
  $function$;

CREATE FUNCTION drop_events_partitions(before date)
 RETURNS integer
 LANGUAGE plpgsql
 SET lock_timeout TO '2s'
AS $function$
  DECLARE
    dropped integer := 0;
    old     regclass;
  BEGIN
    FOR old IN SELECT oid::regclass FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE inhparent = 'events'::regclass AND relname < 'events_' || to_char(before, 'YYYYMMDD') ORDER BY relname
    LOOP
      EXECUTE format('DROP TABLE %s', old);
      dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
  END
  $function$;

CREATE FUNCTION drop_readings_partition(month date)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '200ms'
AS $function$
  DECLARE
    parent      constant regclass  := 'readings'::regclass;
    lower_bound constant timestamp := date_trunc('month', month::timestamp);
    table_name  constant text      := 'readings_' || to_char(lower_bound, 'YYYYMM');
    partition   constant text      := format('%I.%I',
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent), table_name);
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('readings partitions', 0));
    IF NOT EXISTS (SELECT FROM readings_floor WHERE frozen_at IS NOT NULL
      AND kept_from >= (lower_bound + interval '1 month') AT TIME ZONE 'UTC') THEN
      RAISE EXCEPTION 'The readings of % are still needed', to_char(lower_bound, 'YYYY-MM');
    END IF;
    IF NOT EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', parent);
    EXECUTE format('DROP TABLE %s', partition);
    RETURN true;
  EXCEPTION WHEN lock_not_available THEN
    RETURN false;
  END
  $function$;

CREATE FUNCTION drop_spent_tag_count()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    DELETE FROM tag_counts WHERE (workspace_id, tag_key, tag, kind, shard)
      = (NEW.workspace_id, NEW.tag_key, NEW.tag, NEW.kind, NEW.shard) AND n <= 0;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION end_enrollments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_TABLE_NAME = 'customers' THEN
  UPDATE enrollments SET status = 'unenrolled', status_reason = 'The customer was deleted',
    unenrolled_at = date_trunc('milliseconds', now()), updated_at = date_trunc('milliseconds', now())
  FROM removed
  WHERE enrollments.workspace_id = removed.workspace_id AND enrollments.customer_id = removed.id
    AND enrollments.status NOT IN ('rejected', 'ineligible', 'unenrolled');
    ELSE
  UPDATE enrollments SET status = 'unenrolled', status_reason = 'The site was deleted',
    unenrolled_at = date_trunc('milliseconds', now()), updated_at = date_trunc('milliseconds', now())
  FROM removed
  WHERE enrollments.workspace_id = removed.workspace_id AND enrollments.site_id = removed.id
    AND enrollments.status NOT IN ('rejected', 'ineligible', 'unenrolled');
    END IF;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION ensure_events_partition(day date)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  DECLARE
    parent     constant regclass := 'events'::regclass;
    table_name constant text     := 'events_' || to_char(day, 'YYYYMMDD');
    partition  constant text     := format('%I.%I',
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent), table_name);
  BEGIN
    IF EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('events partitions', 0));
    IF EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL)', partition, parent);
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
      parent, partition, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    RETURN true;
  END
  $function$;

CREATE FUNCTION ensure_readings_partition(month date)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
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
    PERFORM pg_advisory_xact_lock(hashtextextended('readings partitions', 0));
    IF EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    IF EXISTS (SELECT FROM readings_floor WHERE kept_from > lower_bound AT TIME ZONE 'UTC') THEN
      RAISE EXCEPTION 'The readings of % are not kept any more', to_char(lower_bound, 'YYYY-MM');
    END IF;
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING IDENTITY)', partition, parent);
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
      parent, partition, lower_bound AT TIME ZONE 'UTC', upper_bound AT TIME ZONE 'UTC');
    RETURN true;
  END
  $function$;

CREATE FUNCTION forget_histories()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO forgotten_histories (device_id, workspace_id) SELECT id, workspace_id FROM removed ON CONFLICT DO NOTHING;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION hold_event_sequence()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared((x'6576'::bigint << 48) | (last_value - CASE WHEN is_called THEN 0 ELSE 1 END))
    FROM event_sequence;
  END
  $function$;

CREATE FUNCTION index_device_tags()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  $function$;

CREATE FUNCTION index_resource_targets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      IF TG_OP <> 'INSERT' THEN
        DELETE FROM vtn_resource_targets WHERE workspace_id = OLD.workspace_id AND client_id = OLD.client_id
          AND target = ANY (OLD.targets) AND resource_id = OLD.id;
      END IF;
      IF TG_OP <> 'DELETE' THEN
        INSERT INTO vtn_resource_targets SELECT DISTINCT NEW.workspace_id, NEW.client_id, unnest(NEW.targets), NEW.id;
      END IF;
      RETURN NULL;
    END
    $function$;

CREATE FUNCTION leave_collections()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      DELETE FROM collection_members USING removed WHERE collection_members.member_id = removed.id;
    ELSE
      DELETE FROM collection_members WHERE member_id = OLD.id;
    END IF;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION leave_schedules()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    DELETE FROM schedules WHERE device_id = OLD.id;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION note_archive_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO archive_changes (month, device_id, change)
    VALUES (date_trunc('month', NEW.at AT TIME ZONE 'UTC')::date, NEW.device_id, nextval('archive_change_number'))
    ON CONFLICT (month, device_id) DO UPDATE SET change = excluded.change;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION note_changed_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      PERFORM note_vtn_site_work(OLD.workspace_id, 'site', OLD.id, '-infinity');
      RETURN NULL;
    END
    $function$;

CREATE FUNCTION note_enrolled_sites()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      IF TG_OP <> 'INSERT' AND OLD.status = 'approved' THEN
        PERFORM note_vtn_site_work(OLD.workspace_id, CASE WHEN OLD.site_id IS NULL THEN 'customer' ELSE 'site' END,
          coalesce(OLD.site_id, OLD.customer_id), '-infinity');
      END IF;
      IF TG_OP <> 'DELETE' AND NEW.status = 'approved' THEN
        PERFORM note_vtn_site_work(NEW.workspace_id, CASE WHEN NEW.site_id IS NULL THEN 'customer' ELSE 'site' END,
          coalesce(NEW.site_id, NEW.customer_id), CASE WHEN NEW.activates_at > now() THEN NEW.activates_at ELSE '-infinity' END);
      END IF;
      RETURN NULL;
    END
    $function$;

CREATE FUNCTION note_linked_site()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        PERFORM note_vtn_site_work(NEW.workspace_id, 'site', NEW.site_id, '-infinity');
      ELSE
        PERFORM note_vtn_site_work(OLD.workspace_id, 'site', OLD.site_id, '-infinity');
      END IF;
      RETURN NULL;
    END
    $function$;

CREATE FUNCTION note_scoped_client()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        PERFORM pg_advisory_xact_lock(hashtext('openadr scopes'), hashtext(NEW.workspace_id) & 1023);
      END IF;
      INSERT INTO vtn_site_work (workspace_id, kind, item, due_at)
        SELECT NEW.workspace_id, 'client', NEW.id, due
          FROM unnest(ARRAY['-infinity', CASE WHEN TG_OP = 'INSERT' THEN NEW.expires_at END]::timestamptz[]) AS due
          WHERE due IS NOT NULL;
      RETURN NULL;
    END
    $function$;

CREATE FUNCTION note_vtn_site_work(of_workspace text, of_kind text, of_item text, due timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(hashtext('openadr scopes'), hashtext(of_workspace) & 1023);
      INSERT INTO vtn_site_work (workspace_id, kind, item, due_at)
        SELECT of_workspace, of_kind, of_item, due FROM workspaces WHERE id = of_workspace
          AND EXISTS (SELECT FROM api_keys WHERE workspace_id = of_workspace AND (scope_customer_id IS NOT NULL OR scope_program_instance_id IS NOT NULL OR scope_enrollment_ids IS NOT NULL) AND revoked_at IS NULL);
    END
    $function$;

CREATE FUNCTION outdate_rollups()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    UPDATE device_states
    SET stale = tstzmultirange(tstzrange(least(first_at, frozen_until), marked_until, '[]')), unrolled = true
    WHERE device_id = NEW.id AND marked_until IS NOT NULL;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION recheck_watches()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      UPDATE device_watches SET check_at = '-infinity' FROM removed WHERE device_watches.device_id = removed.id;
    ELSE
      UPDATE device_watches SET check_at = '-infinity' WHERE device_id = OLD.id;
    END IF;
    RETURN NULL;
  END
  $function$;

CREATE FUNCTION refuse_taken_times()
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION 'A device has a reading at the time of arrival of another' USING ERRCODE = 'U0001';
  END
  $function$;

CREATE FUNCTION settled_event_sequence()
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
  DECLARE
    given bigint;
    held  bigint;
  BEGIN
    SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END INTO given FROM event_sequence;
    SELECT min(((classid::bigint & 65535) << 32) | objid::bigint) INTO held FROM pg_locks
    WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted AND objsubid = 1
      AND classid::bigint >> 16 = x'6576'::bigint
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    RETURN least(given, held);
  END
  $function$;

CREATE FUNCTION watch_device()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF EXISTS (
      SELECT FROM devices d JOIN manufacturers m ON m.slug = d.manufacturer
      WHERE d.id = NEW.device_id AND d.workspace_id IS NOT NULL AND d.disconnected_at IS NULL
        AND NEW.at >= statement_timestamp() - m.online_window
    ) THEN
      INSERT INTO device_watches (device_id, check_at) VALUES (NEW.device_id, '-infinity')
      ON CONFLICT (device_id) DO UPDATE SET check_at = '-infinity';
      NEW.watched := true;
    END IF;
    RETURN NEW;
  END
  $function$;

CREATE FUNCTION with_stale(stale tstzmultirange, first_at timestamp with time zone, last_at timestamp with time zone)
 RETURNS tstzmultirange
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT CASE WHEN (SELECT count(*) FROM unnest(wider)) > 32 THEN tstzmultirange(range_merge(wider)) ELSE wider END
    FROM (SELECT stale + tstzmultirange(tstzrange(first_at, last_at, '[]')) AS wider) AS added
  $function$;
