import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What happened. Nothing here refers to what it happened to, which may be gone. `subject` is the device, site, customer
 * or alert of which it tells. `payload` is the event's data; an event without one is told from the records that it names.
 * A row is never changed; days are dropped as partitions. The id carries `created_at`.
 */
const table = [
  `CREATE SEQUENCE event_sequence`,
  `CREATE TABLE events (
    id text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    workspace_id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    device_id text COLLATE "C",
    site_id text COLLATE "C",
    created_at timestamptz NOT NULL,
    payload jsonb,
    PRIMARY KEY (created_at, id)
  ) PARTITION BY RANGE (created_at)`,
  `ALTER SEQUENCE event_sequence OWNED BY events.sequence`,
  `CREATE INDEX events_by_workspace ON events (workspace_id, sequence)`,
  `CREATE INDEX events_by_type ON events (workspace_id, type, sequence)`,
  `CREATE INDEX events_by_device ON events (device_id, sequence) WHERE device_id IS NOT NULL`,
  `CREATE INDEX events_by_site ON events (site_id, sequence) WHERE site_id IS NOT NULL`
]

/**
 * Numbers are given out before they are committed, so a lower one may appear after a higher one. Who writes events says
 * beforehand, by a lock that others can see and that ends with the transaction, from which number on its own may be;
 * up to the lowest of these everything is settled. What was given out is read before the locks: who comes after that
 * gets a higher number. The tag keeps these locks apart from others; 48 bits of the number fit beside it.
 */
const order = [
  `CREATE FUNCTION hold_event_sequence() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared((x'6576'::bigint << 48) | (last_value - CASE WHEN is_called THEN 0 ELSE 1 END))
    FROM event_sequence;
  END
  $$`,
  `CREATE FUNCTION settled_event_sequence() RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    given bigint;
    held  bigint;
  BEGIN
    SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END INTO given FROM event_sequence;
    SELECT min(((classid::bigint & 65535) << 32) | objid::bigint) INTO held FROM pg_locks
    WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted AND objsubid = 1
      AND classid::bigint >> 16 = x'6576'::bigint
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    RETURN least(given, held);
  END
  $$`
]

/** As the partitions of the readings are made: on its own and then attached, which locks nobody out. */
const partitions = [
  `CREATE FUNCTION ensure_events_partition(day date) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    parent     constant regclass := 'events'::regclass;
    table_name constant text     := 'events_' || to_char(day, 'YYYYMMDD');
    partition  constant text     := format('%I.%I',
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent), table_name);
  BEGIN
    IF EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('events partitions', 0));
    IF EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL)', partition, parent);
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
      parent, partition, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    RETURN true;
  END
  $$`,
  // Gives up soon where somebody reads for long: those who come after would wait behind it.
  `CREATE FUNCTION drop_events_partitions(before date) RETURNS integer LANGUAGE plpgsql
  SET lock_timeout = '2s' AS $$
  DECLARE
    dropped integer := 0;
    old     regclass;
  BEGIN
    FOR old IN SELECT oid::regclass FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE inhparent = 'events'::regclass AND relname < 'events_' || to_char(before, 'YYYYMMDD') ORDER BY relname
    LOOP
      EXECUTE format('DROP TABLE %s', old);
      dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
  END
  $$`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...table, ...order, ...partitions]) yield* sql.unsafe(statement)
})
