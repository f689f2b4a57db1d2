import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE dispatches (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    program_instance_id text COLLATE "C" NOT NULL REFERENCES program_instances ON DELETE CASCADE,
    name text NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    -- [{startsAt, durationSeconds, actions}] in order of time
    intervals json NOT NULL,
    priority smallint NOT NULL,
    randomize_start_seconds integer NOT NULL,
    voluntary boolean NOT NULL,
    test boolean NOT NULL,
    nominated_power_w double precision,
    baseline json NOT NULL,
    status text COLLATE "C" NOT NULL,
    reason text,
    -- the next time at which the runner looks at it; null once it has ended and every device has its settings back
    due_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  ) WITH (fillfactor = 85)`,
  `CREATE INDEX dispatches_by_instance ON dispatches (program_instance_id, id DESC)`,
  `CREATE INDEX dispatches_by_workspace ON dispatches (workspace_id, starts_at)`,
  `CREATE INDEX dispatches_due ON dispatches (due_at) WHERE due_at IS NOT NULL`,
  `CREATE TABLE dispatch_sites (
    dispatch_id text COLLATE "C" NOT NULL REFERENCES dispatches ON DELETE CASCADE,
    site_id text COLLATE "C" NOT NULL,
    customer_id text COLLATE "C" NOT NULL,
    enrollment_id text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    held_out boolean NOT NULL,
    -- with the random delay; null before the dispatch has begun
    starts_at timestamptz,
    opted_out_at timestamptz,
    -- reasons of the site itself: [{code, message}]
    reasons json NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (dispatch_id, site_id)
  ) WITH (fillfactor = 85)`,
  `CREATE INDEX dispatch_sites_by_state ON dispatch_sites (dispatch_id, state, site_id)`,
  `CREATE INDEX dispatch_sites_by_site ON dispatch_sites (site_id, dispatch_id)`,
  `CREATE TABLE dispatch_devices (
    dispatch_id text COLLATE "C" NOT NULL REFERENCES dispatches ON DELETE CASCADE,
    device_id text COLLATE "C" NOT NULL,
    site_id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    -- waiting, commanded (its command of the interval is issued), outranked (another dispatch holds it), skipped (it can't take
    -- the command), reverting, or ended (it has its settings back)
    phase text COLLATE "C" NOT NULL,
    -- the index of the interval whose command was issued last
    interval_index smallint,
    command_id text COLLATE "C",
    -- why it takes no part
    code text,
    -- a thermostat's settings from before
    before jsonb,
    -- it did not respond to a command in time
    unresponsive boolean NOT NULL DEFAULT false,
    PRIMARY KEY (dispatch_id, device_id)
  ) WITH (fillfactor = 70)`,
  `CREATE INDEX dispatch_devices_by_site ON dispatch_devices (dispatch_id, site_id)`,
  `CREATE INDEX dispatch_devices_open ON dispatch_devices (device_id) WHERE phase NOT IN ('skipped', 'ended')`,
  `CREATE INDEX dispatch_devices_unresponsive ON dispatch_devices (dispatch_id, device_id) WHERE unresponsive`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
