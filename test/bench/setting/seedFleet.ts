import { Client } from "pg"
import type { PostgresServer } from "../../support/PostgresServer.ts"
import { withoutIndexes } from "./withoutIndexes.ts"

export interface Fleet {
  readonly workspaceId: string
  readonly devices: number
  /** Share of the devices that are at one of `sites` sites. */
  readonly sites?: number
  /** Whether every tenth device has a second tag, and states differ: collections select by both. */
  readonly varied?: boolean
  /** Whether the devices have reported since a moment ago. Otherwise their first reading is a year old, and a push has a year to roll up. */
  readonly recent?: boolean
}

/** Tags of one device in a thousand, and of one in ten. */
export const RARE_TAG = "fleet-77"
export const WIDE_TAG = "pilot"

/** Ids in the form of the platform's own, so that they sort in the order of their numbers. */
const idSql = (kind: string) => `'c0${kind}' || lpad(n::text, 22, '0')`

const seedSites = (workspaceId: string, sites: number) => `
  INSERT INTO sites (id, workspace_id, name, street_one, city, state, postal_code, country, state_key, postal_key,
    address_hash, latitude, longitude, tags, created_at, updated_at)
  SELECT ${idSql("s")}, '${workspaceId}', 'Home ' || n, n || ' Main Street', 'Denver', 'CO', '80202', 'USA', 'CO',
    '80202', encode(sha256(n::text::bytea), 'hex'), 39.75, -105.0, '{}', now(), now()
  FROM generate_series(1, ${sites}) AS n`

const seedDevices = (workspaceId: string, devices: number, sites: number, varied: boolean) => `
  INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer, manufacturer_device_id,
    serial_number, reference_id, device_model_id, model, type, static_state, commands, tags, direct, connected_at,
    disconnected_at, created_at, updated_at)
  SELECT ${idSql("d")}, '${workspaceId}', '${workspaceId}',
    CASE WHEN ${sites} > 0 AND n % 2 = 0 THEN 'c0s' || lpad((n / 2 % greatest(${sites}, 1) + 1)::text, 22, '0') END,
    'Inverter ' || n, 'generic', 'INV-' || n, 'SN-' || n, 'user-' || n % 100000, models.id, models.name, models.type,
    '{"power": 5000}', '{}', ARRAY['fleet-' || n % 1000]${varied ? ` || CASE WHEN n % 10 = 3 THEN ARRAY['${WIDE_TAG}'] ELSE '{}' END` : ""}, true, now(), CASE WHEN n % 50 = 0 THEN now() END, now(), now()
  FROM generate_series(1, ${devices}) AS n,
    (SELECT id, name, type FROM device_models WHERE manufacturer = 'generic' AND type = 'inverter' LIMIT 1) AS models`

/** One in five of the varied states has 4,000 W or more, evenly among all tags. */
const seedStates = (devices: number, varied: boolean, recent: boolean) => `
  INSERT INTO device_states (device_id, reading_id, at, first_at, state)
  SELECT ${idSql("d")}, ${idSql("r")}, ${recent ? "now() - interval '1 minute', now() - interval '1 minute'" : "now() - interval '40 days' + n % 86400 * interval '40 seconds', now() - interval '1 year'"},
    jsonb_build_object('power', ${varied ? "n * 7919::bigint % 5000" : "3200"},
      'lifetimeEnergyGenerated', 1204500, 'gridPower', -1200)
  FROM generate_series(1, ${devices}) AS n`

/** The counts that triggers keep; the triggers are off while devices are inserted. */
const seedDerived = (workspaceId: string): ReadonlyArray<string> => [
  `INSERT INTO device_tags (workspace_id, tag, device_id)
    SELECT workspace_id, unnest(tags), id FROM devices WHERE workspace_id = '${workspaceId}' ORDER BY 1, 2, 3`,
  `INSERT INTO tag_counts (workspace_id, tag, kind, shard, n)
    SELECT workspace_id, tag, 'device', ascii(right(device_id, 1)) & 15, count(*) FROM device_tags
    WHERE workspace_id = '${workspaceId}' GROUP BY 1, 2, 3, 4`,
  `INSERT INTO workspace_device_counts (workspace_id, shard, devices)
    SELECT '${workspaceId}', 0, count(*) FROM devices WHERE workspace_id = '${workspaceId}'`
]

/** Fills a workspace with inverters by SQL; each has a current state. Returns the ids of the first thousand. */
export const seedFleet = async (
  { adminUrl, url }: PostgresServer,
  { workspaceId, devices, sites = 0, varied = false, recent = false }: Fleet
) => {
  const database = new URL(adminUrl)
  database.pathname = new URL(url).pathname
  const client = new Client({ connectionString: database.href })
  await client.connect()
  try {
    if (sites > 0) await client.query(seedSites(workspaceId, sites))
    // Triggers and foreign keys take most of the time that a million devices take.
    await client.query("SET session_replication_role = replica; SET maintenance_work_mem = '256MB'")
    await withoutIndexes(client, ["devices", "device_states"], async () => {
      await client.query(seedDevices(workspaceId, devices, sites, varied))
      await client.query(seedStates(devices, varied, recent))
      for (const statement of seedDerived(workspaceId)) await client.query(statement)
    })
    await client.query("SET session_replication_role = origin; SET ROLE edp")
    await client.query(
      "SELECT ensure_readings_partition((now() - month * interval '1 month')::date) FROM generate_series(0, 2) AS month"
    )
    await client.query("RESET ROLE")
    await client.query("VACUUM ANALYZE")
    const { rows } = await client.query<{ id: string }>("SELECT id FROM devices ORDER BY id LIMIT 1000")
    return rows.map(({ id }) => id)
  } finally {
    await client.end()
  }
}
