import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // For how many days readings of workspaces are kept: `days` for all devices, `device_types` by type. Null and absent are not limited.
  `CREATE TABLE workspace_retentions (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    days integer,
    device_types jsonb NOT NULL,
    changed_at timestamptz NOT NULL
  )`,
  /*
   * The readings of a type that a workspace no longer keeps: those before `kept_from`, the start of a day, are neither shown nor accepted.
   * Since `frozen_at` the rollups need none of them. They are deleted device by device, up to `removed_device`, until `removed_at`; in the
   * archive by whole months, up to `archive_removed_until`.
   */
  `CREATE TABLE workspace_floors (
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    device_type text NOT NULL,
    kept_from timestamptz NOT NULL,
    frozen_at timestamptz,
    removed_device text COLLATE "C" NOT NULL DEFAULT '',
    removed_at timestamptz,
    archive_removed_until timestamptz NOT NULL DEFAULT '1970-01-01T00:00:00Z',
    PRIMARY KEY (workspace_id, device_type)
  )`
]

/** Lets workspaces keep readings for a shorter time than the installation does. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
