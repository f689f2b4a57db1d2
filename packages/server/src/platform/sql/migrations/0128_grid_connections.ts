import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE grid_connections (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
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
    poll_at timestamptz,
    last_polled_at timestamptz,
    last_error text,
    failing_since timestamptz,
    failures integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  "CREATE INDEX grid_connections_by_workspace ON grid_connections (workspace_id, id DESC)",
  "CREATE INDEX grid_connections_due ON grid_connections (poll_at) WHERE poll_at IS NOT NULL",
  `CREATE TABLE grid_programs (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    grid_connection_id text COLLATE "C" NOT NULL REFERENCES grid_connections (id) ON DELETE CASCADE,
    remote_id text COLLATE "C" NOT NULL,
    body jsonb NOT NULL,
    program_instance_id text COLLATE "C" REFERENCES program_instances (id) ON DELETE SET NULL,
    rules jsonb NOT NULL,
    removed_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT grid_programs_vtn_key UNIQUE (grid_connection_id, remote_id)
  )`,
  "CREATE INDEX grid_programs_by_connection ON grid_programs (grid_connection_id, id DESC)",
  "CREATE INDEX grid_programs_by_workspace ON grid_programs (workspace_id)",
  "CREATE INDEX grid_programs_by_instance ON grid_programs (program_instance_id) WHERE program_instance_id IS NOT NULL",
  `CREATE TABLE grid_events (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    grid_connection_id text COLLATE "C" NOT NULL REFERENCES grid_connections (id) ON DELETE CASCADE,
    grid_program_id text COLLATE "C" NOT NULL REFERENCES grid_programs (id) ON DELETE CASCADE,
    remote_id text COLLATE "C" NOT NULL,
    priority double precision,
    body jsonb NOT NULL,
    starts_at timestamptz,
    ends_at timestamptz,
    vtn_created_at timestamptz NOT NULL,
    vtn_modified_at timestamptz NOT NULL,
    deleted_at timestamptz,
    outcomes jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT grid_events_vtn_key UNIQUE (grid_connection_id, remote_id)
  )`,
  "CREATE INDEX grid_events_by_connection ON grid_events (grid_connection_id, id DESC)",
  `CREATE INDEX grid_events_by_program ON grid_events (grid_program_id, coalesce(ends_at, 'infinity'))`,
  `CREATE INDEX grid_events_by_end ON grid_events (grid_connection_id, coalesce(ends_at, 'infinity'))`,
  "CREATE INDEX grid_events_past ON grid_events (grid_connection_id, coalesce(deleted_at, ends_at))",
  "CREATE INDEX grid_events_by_workspace ON grid_events (workspace_id)",
  `CREATE TABLE grid_dispatches (
    dispatch_id text COLLATE "C" PRIMARY KEY REFERENCES dispatches (id) ON DELETE CASCADE,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    grid_program_id text COLLATE "C" NOT NULL REFERENCES grid_programs (id) ON DELETE CASCADE,
    grid_event_id text COLLATE "C" NOT NULL REFERENCES grid_events (id) ON DELETE CASCADE,
    intervals jsonb NOT NULL,
    ends_at timestamptz NOT NULL,
    cancelled_at timestamptz,
    created_at timestamptz NOT NULL
  )`,
  "CREATE INDEX grid_dispatches_by_event ON grid_dispatches (grid_event_id)",
  "CREATE INDEX grid_dispatches_by_program ON grid_dispatches (grid_program_id, ends_at) WHERE cancelled_at IS NULL",
  "CREATE INDEX grid_dispatches_by_workspace ON grid_dispatches (workspace_id)",
  `CREATE TABLE grid_reports (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    grid_connection_id text COLLATE "C" NOT NULL REFERENCES grid_connections (id) ON DELETE CASCADE,
    grid_event_id text COLLATE "C" NOT NULL REFERENCES grid_events (id) ON DELETE CASCADE,
    descriptor jsonb NOT NULL,
    position integer NOT NULL,
    intervals jsonb NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    status text NOT NULL,
    detail text,
    attempts integer NOT NULL,
    remote_report_id text COLLATE "C",
    sent_at timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT grid_reports_once UNIQUE (grid_event_id, position, due_at)
  )`,
  "CREATE INDEX grid_reports_by_connection ON grid_reports (grid_connection_id, id DESC)",
  "CREATE INDEX grid_reports_open ON grid_reports (grid_connection_id, due_at) WHERE status = 'due'",
  "CREATE INDEX grid_reports_by_workspace ON grid_reports (workspace_id)",
  `CREATE TRIGGER grid_connections_announce_inserted AFTER INSERT ON grid_connections FOR EACH ROW
    WHEN (NEW.poll_at < 'infinity') EXECUTE FUNCTION announce_work('grid connections')`,
  `CREATE TRIGGER grid_connections_announce_updated AFTER UPDATE ON grid_connections FOR EACH ROW
    WHEN (coalesce(NEW.poll_at, 'infinity') < coalesce(OLD.poll_at, 'infinity'))
    EXECUTE FUNCTION announce_work('grid connections')`
]

/** Connections to VTNs, with their programs and events, the dispatches that follow these, and the reports that go back. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
