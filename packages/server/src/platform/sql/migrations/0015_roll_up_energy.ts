import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * `rolled_until` is the newest reading that the rollups hold. A reading that is not later than `marked_until` marks its
 * time as `stale`; a roller that begins moves the mark to the newest reading and `stale` to `rolling`, and what it
 * finishes counts only while its claim stands. `rolled_fields` are bits, one a field that the rolled readings have.
 * Before `frozen_until` the readings are gone, or going, and the rollups are all there is.
 */
const states = [
  `ALTER TABLE device_states
    ADD COLUMN rolled_until timestamptz,
    ADD COLUMN marked_until timestamptz,
    ADD COLUMN frozen_until timestamptz,
    ADD COLUMN stale tstzmultirange NOT NULL DEFAULT '{}',
    ADD COLUMN rolling tstzmultirange NOT NULL DEFAULT '{}',
    ADD COLUMN roll_claim text,
    ADD COLUMN roll_claimed_at timestamptz,
    ADD COLUMN rolled_fields integer NOT NULL DEFAULT 0,
    ADD COLUMN unrolled boolean NOT NULL DEFAULT true`,
  `ALTER TABLE device_states ALTER COLUMN unrolled SET DEFAULT false`,
  // It changes once a pass and not with every reading: updates of other columns need not touch it.
  `CREATE INDEX device_states_unrolled ON device_states (device_id) WHERE unrolled`,
  // Many ranges become one: rolling up a little too much is cheaper than a row that grows.
  `CREATE FUNCTION with_stale(stale tstzmultirange, first_at timestamptz, last_at timestamptz)
    RETURNS tstzmultirange LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN (SELECT count(*) FROM unnest(wider)) > 32 THEN tstzmultirange(range_merge(wider)) ELSE wider END
    FROM (SELECT stale + tstzmultirange(tstzrange(first_at, last_at, '[]')) AS wider) AS added
  $$`,
  // What a device is rated at decides what is a jump of its counter.
  `CREATE FUNCTION outdate_rollups() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE device_states
    SET stale = tstzmultirange(tstzrange(first_at, marked_until, '[]')), unrolled = true
    WHERE device_id = NEW.id AND marked_until IS NOT NULL;
    RETURN NULL;
  END
  $$`,
  `CREATE TRIGGER rollups_outdated AFTER UPDATE OF type, static_state ON devices FOR EACH ROW
    WHEN (OLD.type <> NEW.type OR OLD.static_state IS DISTINCT FROM NEW.static_state)
    EXECUTE FUNCTION outdate_rollups()`
]

/**
 * A row is a device's UTC day of one quantity, so that a day of any time zone is the difference of two places.
 * `amounts` and `covered` are sums from the day's beginning through each quarter of an hour, in µWh and milliseconds; of
 * a charge `amounts` is the latest so far, and `latest` tells in which quarter it was. After the last element nothing
 * changes any more. `kept_readings` are those that later ones still need when their month is dropped.
 */
const rollups = [
  `CREATE TABLE energy_rollups (
    device_id text COLLATE "C" NOT NULL,
    quantity smallint NOT NULL,
    day date NOT NULL,
    amounts bigint[] NOT NULL,
    covered integer[] NOT NULL,
    latest smallint[],
    PRIMARY KEY (device_id, quantity, day)
  ) WITH (fillfactor = 85)`,
  `CREATE TABLE kept_readings (
    device_id text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL,
    state jsonb NOT NULL,
    PRIMARY KEY (device_id, at)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...states, ...rollups]) yield* sql.unsafe(statement)
})
