import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `CREATE TABLE site_device_counts (
    site_id text COLLATE "C" NOT NULL REFERENCES sites ON DELETE CASCADE,
    shard smallint NOT NULL,
    devices bigint NOT NULL,
    PRIMARY KEY (site_id, shard)
  )`,
  `INSERT INTO site_device_counts (site_id, shard, devices)
    SELECT site_id, 0, count(*) FROM devices JOIN sites ON sites.id = devices.site_id AND sites.workspace_id = devices.workspace_id
    GROUP BY site_id`,
  // As the counts of workspaces: one addition a statement, in shards, so that few writers wait for each other. Sites that are gone
  // are left out, such as those of a workspace that is being deleted.
  `CREATE FUNCTION count_devices_of_sites() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO site_device_counts AS counts (site_id, shard, devices)
      SELECT site_id, pg_backend_pid() % 16, count(*) FROM added JOIN sites ON sites.id = added.site_id
        AND sites.workspace_id = added.workspace_id
      GROUP BY site_id ORDER BY site_id
      ON CONFLICT (site_id, shard) DO UPDATE SET devices = counts.devices + excluded.devices;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO site_device_counts AS counts (site_id, shard, devices)
      SELECT site_id, pg_backend_pid() % 16, -count(*) FROM removed JOIN sites ON sites.id = removed.site_id
        AND sites.workspace_id = removed.workspace_id
      GROUP BY site_id ORDER BY site_id
      ON CONFLICT (site_id, shard) DO UPDATE SET devices = counts.devices + excluded.devices;
    ELSE
      INSERT INTO site_device_counts AS counts (site_id, shard, devices)
      SELECT sites.id, pg_backend_pid() % 16, moved.n
      FROM (VALUES (OLD.site_id, OLD.workspace_id, -1), (NEW.site_id, NEW.workspace_id, 1)) AS moved (site_id, workspace_id, n)
      JOIN sites ON sites.id = moved.site_id AND sites.workspace_id = moved.workspace_id ORDER BY sites.id
      ON CONFLICT (site_id, shard) DO UPDATE SET devices = counts.devices + excluded.devices;
    END IF;
    RETURN NULL;
  END
  $$`,
  `CREATE TRIGGER site_devices_added AFTER INSERT ON devices REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_devices_of_sites()`,
  `CREATE TRIGGER site_devices_removed AFTER DELETE ON devices REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION count_devices_of_sites()`,
  `CREATE TRIGGER site_devices_moved AFTER UPDATE OF site_id, workspace_id ON devices FOR EACH ROW
    WHEN (OLD.site_id IS DISTINCT FROM NEW.site_id OR OLD.workspace_id IS DISTINCT FROM NEW.workspace_id)
    EXECUTE FUNCTION count_devices_of_sites()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
