import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE commands (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    device_id text COLLATE "C" NOT NULL REFERENCES devices ON DELETE CASCADE,
    type text COLLATE "C" NOT NULL,
    input jsonb NOT NULL,
    source text COLLATE "C" NOT NULL,
    source_id text COLLATE "C",
    batch_id text COLLATE "C",
    status text COLLATE "C" NOT NULL,
    reason text COLLATE "C",
    issued_at timestamptz NOT NULL,
    scheduled_for timestamptz,
    expires_at timestamptz NOT NULL,
    revert_after integer,
    delivered_at timestamptz,
    executed_at timestamptz,
    output jsonb,
    upstream jsonb,
    late_result jsonb,
    -- the next attempt to hand it over; once delivered, the next look at the device's state
    due_at timestamptz NOT NULL,
    -- the time-out of what it waits for
    deadline timestamptz NOT NULL,
    -- attempts that failed and may be repeated
    attempts integer NOT NULL DEFAULT 0,
    -- a worker calls the adapter; a dead worker leaves it
    in_hand boolean NOT NULL DEFAULT false,
    -- calls whose outcome nobody recorded
    interruptions smallint NOT NULL DEFAULT 0,
    -- the newest reading that was compared with the command
    seen_reading_id text COLLATE "C"
  ) WITH (fillfactor = 85)`,
  `CREATE INDEX commands_by_workspace ON commands (workspace_id, id DESC)`,
  `CREATE INDEX commands_by_status ON commands (workspace_id, status, id DESC)`,
  `CREATE INDEX commands_by_type ON commands (workspace_id, type, id DESC)`,
  `CREATE INDEX commands_by_device ON commands (device_id, id DESC)`,
  `CREATE INDEX commands_by_batch ON commands (batch_id, status, id DESC) WHERE batch_id IS NOT NULL`,
  `CREATE INDEX commands_by_source ON commands (source_id, id DESC) WHERE source_id IS NOT NULL`,
  `CREATE INDEX commands_undelivered ON commands (device_id, due_at) WHERE status IN ('pending', 'scheduled')`,
  `CREATE INDEX commands_unconfirmed ON commands (due_at) WHERE status = 'delivered'`,
  `CREATE INDEX commands_deadline ON commands (deadline) WHERE status IN ('pending', 'scheduled', 'delivered')`,
  // The mode changes by schedules and dispatches of the last hour.
  `CREATE INDEX commands_automatic ON commands (device_id, delivered_at) WHERE source <> 'user' AND delivered_at IS NOT NULL`,
  // The devices with work to do, beside them: a narrow row that is claimed, so that a device's commands go one after another.
  `CREATE TABLE device_work (
    device_id text COLLATE "C" PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
    manufacturer text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL,
    claim uuid,
    lease_until timestamptz,
    -- the instance that does not hold the device's connection, and until when it leaves the device to others
    avoided_by uuid,
    avoided_until timestamptz
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX device_work_due ON device_work (manufacturer, due_at)`,
  `CREATE TABLE forced_modes (
    device_id text COLLATE "C" PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
    command_id text COLLATE "C" NOT NULL,
    mode text NOT NULL,
    source text COLLATE "C" NOT NULL,
    -- the settings from before, in the adapter's form
    snapshot jsonb,
    -- starting (the settings are stored, the command is not accepted yet), holding, ending or ended
    phase text COLLATE "C" NOT NULL,
    began_at timestamptz NOT NULL,
    until timestamptz NOT NULL,
    -- the next attempt to restore the settings, and how many have failed
    due_at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    ended_at timestamptz
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX forced_modes_by_command ON forced_modes (command_id)`,
  // What answers show of it.
  `ALTER TABLE devices ADD COLUMN forced_mode jsonb`,
  `CREATE TABLE batch_commands (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    type text COLLATE "C" NOT NULL,
    input jsonb NOT NULL,
    scheduled_for timestamptz,
    expires_at timestamptz,
    revert_after integer,
    max_per_minute integer,
    abort_when jsonb,
    retry_of text COLLATE "C",
    total integer NOT NULL,
    skipped jsonb NOT NULL,
    skipped_total integer NOT NULL,
    created_at timestamptz NOT NULL,
    cancelled_at timestamptz,
    aborted boolean NOT NULL DEFAULT false,
    -- true while abort_when is watched
    watched boolean NOT NULL
  )`,
  `CREATE INDEX batch_commands_by_workspace ON batch_commands (workspace_id, id DESC)`,
  `CREATE INDEX batch_commands_watched ON batch_commands (id) WHERE watched`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
