import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Counts the writes of readings that were not newer than the newest one: what was computed from a device's past changes with it.
  `ALTER TABLE device_states ADD COLUMN late_readings integer NOT NULL DEFAULT 0`,
  /*
   * What a report has computed of a site. `history` and `signature` are hashes of everything that the baseline and the use were computed
   * from; a row with another hash than the present one counts as missing. Amounts are in µWh, covered times in milliseconds.
   */
  `CREATE TABLE dispatch_results (
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
    PRIMARY KEY (dispatch_id, site_id),
    FOREIGN KEY (dispatch_id, site_id) REFERENCES dispatch_sites ON DELETE CASCADE
  )`,
  // The next time at which the results of a dispatch are brought up to date; null for none.
  `ALTER TABLE dispatches ADD COLUMN results_due_at timestamptz`,
  `CREATE INDEX dispatches_results_due ON dispatches (results_due_at) WHERE results_due_at IS NOT NULL`
]

/** Keeps what reports of dispatches have computed of sites. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
