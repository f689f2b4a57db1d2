import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Readings before this instant, the start of a month in UTC, are in the archive, except late ones that have not been moved yet.
  `CREATE TABLE archive_border (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    archived_until timestamptz NOT NULL,
    raised_at timestamptz NOT NULL
  )`,
  /*
   * The month that is being moved. Its devices up to \`copied_device\` are in the archive and compared. From \`shown_at\` on, readers take the
   * month from both.
   */
  `CREATE TABLE archive_moves (
    month date PRIMARY KEY,
    copied_device text COLLATE "C" NOT NULL DEFAULT '',
    shown_at timestamptz
  )`,
  // Devices with readings that arrived while their month was being moved; \`change\` is raised by each of them.
  `CREATE SEQUENCE archive_change_number`,
  `CREATE TABLE archive_changes (
    month date NOT NULL,
    device_id text COLLATE "C" NOT NULL,
    change bigint NOT NULL,
    PRIMARY KEY (month, device_id)
  )`,
  // Removed devices whose readings are still to be deleted from the archive. Until then nobody reads them there.
  `CREATE TABLE archive_deletions (
    device_id text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C",
    requested_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX archive_deletions_by_workspace ON archive_deletions (workspace_id)`,
  // Devices that were silent when their last month was archived: what is computed of them from this instant on needs no archived readings.
  `CREATE TABLE archive_kept (
    device_id text COLLATE "C" PRIMARY KEY,
    kept_from timestamptz NOT NULL
  )`,
  // The workspace of a device that was deleted with it: the audit log says when all of its readings are gone.
  `ALTER TABLE forgotten_histories ADD COLUMN workspace_id text COLLATE "C"`,
  `CREATE OR REPLACE FUNCTION forget_histories() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO forgotten_histories (device_id, workspace_id) SELECT id, workspace_id FROM removed ON CONFLICT DO NOTHING;
    RETURN NULL;
  END
  $$`,
  `CREATE FUNCTION note_archive_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO archive_changes (month, device_id, change)
    VALUES (date_trunc('month', NEW.at AT TIME ZONE 'UTC')::date, NEW.device_id, nextval('archive_change_number'))
    ON CONFLICT (month, device_id) DO UPDATE SET change = excluded.change;
    RETURN NULL;
  END
  $$`,
  /*
   * Begins the move of a month: from now on each new reading of it is noted. Waits for statements that are writing into the partition, but gives up
   * after 0.2 s behind others.
   */
  `CREATE FUNCTION begin_archive_move(month date) RETURNS boolean LANGUAGE plpgsql SET lock_timeout TO '200ms' AS $$
  DECLARE
    parent    constant regclass := 'readings'::regclass;
    partition constant text     := format('%I.%I',
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent),
      'readings_' || to_char(month, 'YYYYMM'));
  BEGIN
    IF EXISTS (SELECT FROM archive_moves AS move WHERE move.month = begin_archive_move.month) THEN
      RETURN true;
    END IF;
    EXECUTE format('CREATE TRIGGER archive_change AFTER INSERT ON %s FOR EACH ROW EXECUTE FUNCTION note_archive_change()', partition);
    INSERT INTO archive_moves (month) VALUES (begin_archive_move.month);
    RETURN true;
  EXCEPTION WHEN lock_not_available THEN
    RETURN false;
  END
  $$`,
  /*
   * Drops the partition of a month that is in the archive: one that was moved, if all readings that arrived meanwhile were moved too, or one that is
   * empty. It waits while a device's readings are to be deleted from the archive: the device may have come back, with new ones. Gives up after 0.2 s behind other
   * statements.
   */
  `CREATE FUNCTION drop_archived_partition(month date) RETURNS boolean LANGUAGE plpgsql SET lock_timeout TO '200ms' AS $$
  DECLARE
    parent     constant regclass := 'readings'::regclass;
    table_name constant text     := 'readings_' || to_char(month, 'YYYYMM');
    partition  constant text     := format('%I.%I',
      (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent), table_name);
    is_empty   boolean;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('readings partitions', 0));
    IF NOT EXISTS (SELECT FROM archive_border WHERE archived_until >= (month + interval '1 month') AT TIME ZONE 'UTC') THEN
      RAISE EXCEPTION 'The readings of % are not archived', to_char(month, 'YYYY-MM');
    END IF;
    IF NOT EXISTS (SELECT FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent AND relname = table_name) THEN
      RETURN false;
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', parent);
    IF EXISTS (SELECT FROM archive_changes AS noted WHERE noted.month = drop_archived_partition.month)
      OR EXISTS (SELECT FROM archive_deletions) THEN
      RETURN false;
    END IF;
    EXECUTE format('SELECT NOT EXISTS (SELECT FROM %s)', partition) INTO is_empty;
    IF NOT is_empty AND NOT EXISTS (SELECT FROM archive_moves AS move
        WHERE move.month = drop_archived_partition.month AND move.shown_at IS NOT NULL) THEN
      RETURN false;
    END IF;
    EXECUTE format('DROP TABLE %s', partition);
    DELETE FROM archive_moves AS move WHERE move.month = drop_archived_partition.month;
    RETURN true;
  EXCEPTION WHEN lock_not_available THEN
    RETURN false;
  END
  $$`
]

/** Prepares the move of old readings into an archive. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
