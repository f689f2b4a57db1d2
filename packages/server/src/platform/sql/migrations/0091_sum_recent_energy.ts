import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Energies of large workspaces through the present, by quarter of an hour.
 *
 * `fleet_recent` has the progress for a workspace: every reading that was taken by `as_of` is in the sums of `days` (UTC). A row of
 * `fleet_block_quarters` is one block's day of one metric: an element is a quarter of an hour, or an hour (`hour`) or a local day (`day`) of a
 * metric whose latest value counts. `fleet_quarters` adds the blocks, for queries. `fleet_blocks` says which devices a block's sums hold for.
 *
 * `altered_from` of a device's state is the first quarter that its rollups of the last minutes changed, the latest of them at `altered_at`.
 */
const statements = [
  `ALTER TABLE device_states ADD COLUMN altered_from timestamptz, ADD COLUMN altered_at timestamptz`,
  `CREATE TABLE fleet_recent (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES fleets ON DELETE CASCADE,
    as_of timestamptz,
    days date[] NOT NULL DEFAULT '{}',
    timezone text,
    claim uuid,
    claimed_at timestamptz,
    holder uuid
  )`,
  `CREATE TABLE fleet_blocks (
    workspace_id text COLLATE "C" NOT NULL REFERENCES fleets ON DELETE CASCADE,
    block integer NOT NULL,
    signature numeric NOT NULL,
    as_of timestamptz NOT NULL,
    days date[] NOT NULL,
    PRIMARY KEY (workspace_id, block)
  )`,
  `CREATE TABLE fleet_block_quarters (
    workspace_id text COLLATE "C" NOT NULL REFERENCES fleets ON DELETE CASCADE,
    day date NOT NULL,
    block integer NOT NULL,
    metric text COLLATE "C" NOT NULL,
    step text COLLATE "C" NOT NULL,
    amounts bigint[] NOT NULL,
    covered double precision[] NOT NULL,
    PRIMARY KEY (workspace_id, day, block, metric, step)
  )`,
  `CREATE TABLE fleet_quarters (
    workspace_id text COLLATE "C" NOT NULL REFERENCES fleets ON DELETE CASCADE,
    metric text COLLATE "C" NOT NULL,
    step text COLLATE "C" NOT NULL,
    day date NOT NULL,
    amounts bigint[] NOT NULL,
    covered double precision[] NOT NULL,
    PRIMARY KEY (workspace_id, metric, step, day)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
