import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A device counts in the coverage of metrics from its first reading on, also once that reading is dropped for its age. Of
 * readings that are dropped already, the first day in the rollups is what is left of when that was.
 */
const firstTimes = [
  "ALTER TABLE device_states ADD COLUMN first_dropped_at timestamptz",
  `UPDATE device_states s SET first_dropped_at = (
      SELECT min(day)::timestamp AT TIME ZONE 'UTC' FROM energy_rollups r WHERE r.device_id = s.device_id
    ) WHERE s.frozen_until IS NOT NULL`
]

/** Undoes a statement that stores readings: one that has its time of arrival alone came when the device had another. */
const takenTimes = `CREATE FUNCTION refuse_taken_times() RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'A device has a reading at the time of arrival of another' USING ERRCODE = 'U0001';
  END
  $$`

/**
 * Changes of sites of which not all devices have been told yet. These are walked against their ids; those from `told_from` on
 * have been told. `change` is what the site was like before.
 */
const siteChanges = [
  `CREATE TABLE site_changes (
    id text COLLATE "C" PRIMARY KEY,
    site_id text COLLATE "C" NOT NULL REFERENCES sites ON DELETE CASCADE,
    told_from text COLLATE "C" NOT NULL,
    change jsonb NOT NULL
  )`,
  "CREATE INDEX site_changes_by_site ON site_changes (site_id)"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...firstTimes, takenTimes, ...siteChanges]) yield* sql.unsafe(statement)
})
