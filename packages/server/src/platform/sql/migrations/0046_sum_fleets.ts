import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Energies of large workspaces, summed over their sites. The sites of a workspace are divided into `blocks` by a hash; a row of
 * `fleet_sums` is one block's sum of one metric in one bucket, over the rollups alone. It holds for the devices, and for the
 * rollups of days that are long over, that its `signature` is a hash of: a row with another signature is not used.
 *
 * `rollup_revision` counts changes of a device's rollups of such days, so that the signature changes with them.
 * Readings newer than `rolled_until` change no quarter of an hour before `settled_until`; null where that is not known.
 */
const statements = [
  `ALTER TABLE device_states ADD COLUMN rollup_revision integer NOT NULL DEFAULT 0, ADD COLUMN settled_until timestamptz`,
  `CREATE TABLE fleets (
    workspace_id text COLLATE "C" PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    blocks integer NOT NULL,
    timezone text NOT NULL,
    claimed_at timestamptz
  )`,
  `CREATE TABLE fleet_sums (
    workspace_id text COLLATE "C" NOT NULL REFERENCES fleets ON DELETE CASCADE,
    metric text COLLATE "C" NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    block integer NOT NULL,
    signature numeric NOT NULL,
    amount numeric NOT NULL,
    amounts integer NOT NULL,
    covered double precision NOT NULL,
    covers integer NOT NULL,
    PRIMARY KEY (workspace_id, metric, starts_at, ends_at, block)
  )`,
  // Rollups that were made before have no settled_until: rolled up once more, they get it.
  `UPDATE device_states SET unrolled = true WHERE rolled_until IS NOT NULL AND at > rolled_until`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
