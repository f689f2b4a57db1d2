import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Modes and rules are read as a whole and keep the order of their fields: json, not jsonb. `next_transition_at` is null
  // while nothing is to be issued.
  `CREATE TABLE schedules (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    name text NOT NULL,
    device_id text COLLATE "C" REFERENCES devices ON DELETE CASCADE,
    tag text COLLATE "C",
    collection_id text COLLATE "C" REFERENCES collections ON DELETE CASCADE,
    device_type text NOT NULL,
    timezone text NOT NULL,
    default_mode json,
    rules json NOT NULL,
    enabled boolean NOT NULL,
    next_transition_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT schedules_one_target CHECK (num_nonnulls(device_id, tag, collection_id) = 1)
  ) WITH (fillfactor = 85)`,
  `CREATE INDEX schedules_by_workspace ON schedules (workspace_id, id DESC)`,
  `CREATE INDEX schedules_by_device ON schedules (device_id, id DESC) WHERE device_id IS NOT NULL`,
  `CREATE INDEX schedules_by_tag ON schedules (workspace_id, tag, id DESC) WHERE tag IS NOT NULL`,
  `CREATE INDEX schedules_by_collection ON schedules (collection_id, id DESC) WHERE collection_id IS NOT NULL`,
  `CREATE UNIQUE INDEX schedules_device_key ON schedules (device_id) WHERE device_id IS NOT NULL AND enabled`,
  `CREATE INDEX schedules_shared ON schedules (workspace_id, device_type) WHERE device_id IS NULL AND enabled`,
  `CREATE INDEX schedules_due ON schedules (next_transition_at) WHERE next_transition_at IS NOT NULL`,
  // A device of direct integration keeps its row without a workspace, and may be provisioned again.
  `CREATE FUNCTION leave_schedules() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM schedules WHERE device_id = OLD.id;
    RETURN NULL;
  END
  $$`,
  `CREATE TRIGGER devices_moved_leave_schedules AFTER UPDATE OF workspace_id ON devices FOR EACH ROW
    WHEN (OLD.workspace_id IS DISTINCT FROM NEW.workspace_id) EXECUTE FUNCTION leave_schedules()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
