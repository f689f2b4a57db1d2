import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Devices that are expected to speak. `check_at` is when to look at one next: it moves when it comes due and not with
 * every reading, so that a reading costs nothing here. `-infinity` is at once, `infinity` when there is news.
 *
 * `phase` is what was last found: `online`; `silent`, an alert stands; `unsteady`, one stands because it fell silent again
 * soon; `settling`, heard again after that. `since` is when it was heard again, `heard_at` the time of its newest reading
 * when it was found silent. There is no foreign key: of a device that is gone, the alert is still to be resolved.
 */
const watches = [
  `CREATE TABLE device_watches (
    device_id text COLLATE "C" PRIMARY KEY,
    check_at timestamptz NOT NULL,
    phase text NOT NULL DEFAULT 'online',
    since timestamptz,
    heard_at timestamptz
  )`,
  `CREATE INDEX device_watches_by_check ON device_watches (check_at)`,
  // While it is true, `check_at` will come by itself, and readings have nothing to tell.
  `ALTER TABLE device_states ADD COLUMN watched boolean NOT NULL DEFAULT false`
]

/**
 * The first young reading after a silence has the device looked at. A late one, whose time is outside the window, does
 * not. The condition of the trigger keeps imports of history from asking for the window; a longer window than its week
 * is noticed from the first reading that is younger.
 */
const heard = [
  `CREATE FUNCTION watch_device() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (
      SELECT FROM devices d JOIN manufacturers m ON m.slug = d.manufacturer
      WHERE d.id = NEW.device_id AND d.workspace_id IS NOT NULL AND d.disconnected_at IS NULL
        AND NEW.at >= statement_timestamp() - m.online_window
    ) THEN
      INSERT INTO device_watches (device_id, check_at) VALUES (NEW.device_id, '-infinity')
      ON CONFLICT (device_id) DO UPDATE SET check_at = '-infinity';
      NEW.watched := true;
    END IF;
    RETURN NEW;
  END
  $$`,
  `CREATE TRIGGER device_states_heard BEFORE UPDATE ON device_states FOR EACH ROW
    WHEN (NOT OLD.watched AND NEW.at > OLD.at AND NEW.at > statement_timestamp() - interval '7 days')
    EXECUTE FUNCTION watch_device()`,
  // After, not before: an insert that becomes an update would have fired that one, too.
  `CREATE TRIGGER device_states_first_heard AFTER INSERT ON device_states FOR EACH ROW
    WHEN (NEW.at > statement_timestamp() - interval '7 days') EXECUTE FUNCTION watch_device()`
]

/** A device that is deleted, leaves its workspace or is disconnected has an alert to be resolved. */
const gone = [
  `CREATE FUNCTION recheck_watches() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      UPDATE device_watches SET check_at = '-infinity' FROM removed WHERE device_watches.device_id = removed.id;
    ELSE
      UPDATE device_watches SET check_at = '-infinity' WHERE device_id = OLD.id;
    END IF;
    RETURN NULL;
  END
  $$`,
  `CREATE TRIGGER devices_removed_from_watch AFTER DELETE ON devices REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION recheck_watches()`,
  `CREATE TRIGGER devices_left_watch AFTER UPDATE OF workspace_id, disconnected_at ON devices FOR EACH ROW
    WHEN (OLD.workspace_id IS DISTINCT FROM NEW.workspace_id
      OR (OLD.disconnected_at IS NULL) <> (NEW.disconnected_at IS NULL))
    EXECUTE FUNCTION recheck_watches()`
]

const present = `INSERT INTO device_watches (device_id, check_at)
  SELECT s.device_id, '-infinity' FROM device_states s JOIN devices d ON d.id = s.device_id
  JOIN manufacturers m ON m.slug = d.manufacturer
  WHERE d.workspace_id IS NOT NULL AND d.disconnected_at IS NULL AND s.at >= now() - m.online_window`

/** What an alert is about, as sources name it that do not name the alert itself. */
const openAlerts = `CREATE INDEX alerts_open_by_subject
  ON alerts (coalesce(device_id, site_id, workspace_id), source_system, type)
  WHERE status IN ('OPEN', 'ACKNOWLEDGED')`

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of [...watches, ...heard, ...gone, present, openAlerts]) yield* sql.unsafe(statement)
})
