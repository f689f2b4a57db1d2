import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What was known of devices when they left a workspace, for the events without a payload that happened until then: `data` has
 * the device, its customer and its site. It is kept as long as those events.
 */
const departed = [
  `CREATE TABLE departed_devices (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    device_id text COLLATE "C" NOT NULL,
    until_sequence bigint NOT NULL,
    departed_at timestamptz NOT NULL,
    device_type text NOT NULL,
    data jsonb NOT NULL,
    PRIMARY KEY (workspace_id, device_id, until_sequence)
  )`,
  `CREATE INDEX departed_devices_by_time ON departed_devices (departed_at)`,
  `INSERT INTO departed_devices
    SELECT workspace_id, device_id, sequence, created_at, payload -> 'device' ->> 'type',
      jsonb_set(payload, '{device,disconnectedAt}', 'null')
    FROM events WHERE type = 'DEVICE_DISCONNECTED' AND payload IS NOT NULL
      AND EXISTS (SELECT FROM workspaces WHERE id = events.workspace_id)`
]

/** The state of an event's reading, once the readings of its device were deleted. */
const state = `ALTER TABLE events ADD COLUMN state jsonb`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...departed, state]) yield* sql.unsafe(statement)
})
