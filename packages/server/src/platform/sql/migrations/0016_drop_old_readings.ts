import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Readings before `kept_from` are gone, or going: it is always the beginning of a month in UTC, and never moves back.
 * `frozen_at` is when the rollups of the last device were made independent of them, null while that is still to be done.
 */
const floor = [
  `CREATE TABLE readings_floor (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    kept_from timestamptz NOT NULL,
    frozen_at timestamptz
  )`,
  `INSERT INTO readings_floor (kept_from, frozen_at) VALUES ('1970-01-01T00:00:00Z', now())`
]

/** As before, but a month whose readings are gone is not made again. */
const ensure = `CREATE OR REPLACE FUNCTION ensure_readings_partition(month date) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    parent      constant regclass  := 'readings'::regclass;
    lower_bound constant timestamp := date_trunc('month', month::timestamp);
    upper_bound constant timestamp := lower_bound + interval '1 month';
    table_name  constant text      := 'readings_' || to_char(lower_bound, 'YYYYMM');
    partition   constant text      := format('%I.%I',
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent), table_name);
  BEGIN
    IF EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('readings partitions', 0));
    IF EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    IF EXISTS (SELECT FROM readings_floor WHERE kept_from > lower_bound AT TIME ZONE 'UTC') THEN
      RAISE EXCEPTION 'The readings of % are not kept any more', to_char(lower_bound, 'YYYY-MM');
    END IF;
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING ALL EXCLUDING IDENTITY)', partition, parent);
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
      parent, partition, lower_bound AT TIME ZONE 'UTC', upper_bound AT TIME ZONE 'UTC');
    RETURN true;
  END
  $$`

/**
 * Drops a month whose readings are not needed any more, and tells whether it did. Dropping locks out whoever reads or
 * writes any month, so it waits a fifth of a second for those who do, and gives up: nobody waits longer for it.
 */
const drop = `CREATE FUNCTION drop_readings_partition(month date) RETURNS boolean LANGUAGE plpgsql
  SET lock_timeout = '200ms' AS $$
  DECLARE
    parent      constant regclass  := 'readings'::regclass;
    lower_bound constant timestamp := date_trunc('month', month::timestamp);
    table_name  constant text      := 'readings_' || to_char(lower_bound, 'YYYYMM');
    partition   constant text      := format('%I.%I',
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent), table_name);
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('readings partitions', 0));
    IF NOT EXISTS (SELECT FROM readings_floor WHERE frozen_at IS NOT NULL
      AND kept_from >= (lower_bound + interval '1 month') AT TIME ZONE 'UTC') THEN
      RAISE EXCEPTION 'The readings of % are still needed', to_char(lower_bound, 'YYYY-MM');
    END IF;
    IF NOT EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', parent);
    EXECUTE format('DROP TABLE %s', partition);
    RETURN true;
  EXCEPTION WHEN lock_not_available THEN
    RETURN false;
  END
  $$`

/** Rollups that were made independent of their readings are not computed anew, but what was kept for the first of the others may be older. */
const outdate = `CREATE OR REPLACE FUNCTION outdate_rollups() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE device_states
    SET stale = tstzmultirange(tstzrange(least(first_at, frozen_until), marked_until, '[]')), unrolled = true
    WHERE device_id = NEW.id AND marked_until IS NOT NULL;
    RETURN NULL;
  END
  $$`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...floor, ensure, drop, outdate]) yield* sql.unsafe(statement)
})
