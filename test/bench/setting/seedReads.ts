import { Client } from "pg"
import { callAt } from "../../support/callAt.ts"
import type { PostgresSetting } from "./postgresSetting.ts"

// Newest readings are older than a week: a device that was heard since is watched, and its silence would raise alerts.

/** A workspace of homes beside the large fleet: lists of it have thousands of records, as those of most customers do. */
export interface Homes {
  readonly key: string
  readonly siteIds: ReadonlyArray<string>
}

export const HOMES = { sites: 2_000, customers: 2_000, devices: 4_000, alerts: 5_000, events: 5_000 }

/** Devices of the fleet with a history, and how many readings each has, ten seconds apart. */
export const HISTORIES = { devices: 64, readings: 10_000, seconds: 10 }

const idSql = (kind: string) => `'c1${kind}' || lpad(n::text, 22, '0')`
const siteIdSql = (n: string) => `'c1s' || lpad((${n} % ${HOMES.sites} + 1)::text, 22, '0')`
const deviceIdSql = (n: string) => `'c1d' || lpad((${n} % ${HOMES.devices} + 1)::text, 22, '0')`

const homes = (workspaceId: string): ReadonlyArray<string> => [
  `INSERT INTO sites (id, workspace_id, name, street_one, city, state, postal_code, country, state_key, postal_key,
      address_hash, latitude, longitude, tags, created_at, updated_at)
    SELECT ${idSql("s")}, '${workspaceId}', 'Home ' || n, n || ' Main Street', 'Denver', 'CO', '80202', 'USA', 'CO',
      '80202', encode(sha256(n::text::bytea), 'hex'), 39.75, -105.0, ARRAY['pilot'], now(), now()
    FROM generate_series(1, ${HOMES.sites}) AS n`,
  `INSERT INTO customers (id, workspace_id, reference_id, first_name, last_name, email, created_at, updated_at)
    SELECT ${idSql("u")}, '${workspaceId}', 'user-' || n, 'Ada', 'Okafor', 'ada' || n || '@example.com', now(), now()
    FROM generate_series(1, ${HOMES.customers}) AS n`,
  `INSERT INTO customer_sites (workspace_id, customer_id, site_id)
    SELECT '${workspaceId}', ${idSql("u")}, ${siteIdSql("n")} FROM generate_series(1, ${HOMES.customers}) AS n`,
  `INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer, manufacturer_device_id,
      serial_number, reference_id, device_model_id, model, type, static_state, commands, tags, direct, connected_at,
      created_at, updated_at)
    SELECT ${idSql("d")}, '${workspaceId}', '${workspaceId}', ${siteIdSql("n")}, 'Inverter ' || n, 'generic', 'HOME-' || n,
      'SN-' || n, 'user-' || n, models.id, models.name, models.type, '{"power": 5000}', '{}', '{}', true, now(), now(),
      now()
    FROM generate_series(1, ${HOMES.devices}) AS n,
      (SELECT id, name, type FROM device_models WHERE manufacturer = 'generic' AND type = 'inverter' LIMIT 1) AS models`,
  `INSERT INTO device_states (device_id, reading_id, at, first_at, state)
    SELECT ${idSql("d")}, ${idSql("r")}, now() - interval '40 days', now() - interval '1 year',
      '{"power": 3200, "gridPower": -1200, "lifetimeEnergyGenerated": 1204500}'
    FROM generate_series(1, ${HOMES.devices}) AS n`,
  `INSERT INTO alerts (id, workspace_id, source_system, type, severity, status, title, description, device_id, site_id,
      occurrence_count, last_occurred_at, created_at, updated_at, manufacturer, manufacturer_device_id, device_name,
      device_type, device_model)
    SELECT ${idSql("a")}, '${workspaceId}', 'scada', 'HARDWARE_FAULT', 'CRITICAL', 'OPEN', 'Isolation fault',
      'Insulation resistance below the threshold', ${deviceIdSql("n")}, ${siteIdSql("n")}, 1, now(), now(), now(), 'generic',
      'HOME-' || n, 'Inverter ' || n, 'inverter', 'Generic inverter'
    FROM generate_series(1, ${HOMES.alerts}) AS n`,
  `INSERT INTO readings (device_id, at, id, state)
    SELECT ${deviceIdSql("n")}, date_trunc('minute', now()) - n * interval '1 second', ${idSql("e")},
      jsonb_build_object('power', n, 'gridPower', -1200, 'lifetimeEnergyGenerated', 1204500 + n)
    FROM generate_series(1, ${HOMES.events}) AS n`,
  "SELECT ensure_events_partition((now() - day * interval '1 day')::date) FROM generate_series(0, 1) AS day",
  `INSERT INTO events (id, sequence, workspace_id, type, subject, device_id, site_id, created_at, reading_at)
    SELECT ${idSql("e")}, nextval('event_sequence'), '${workspaceId}', 'DEVICE_UPDATED', ${deviceIdSql("n")}, ${deviceIdSql("n")},
      ${siteIdSql("n")}, now() - n * interval '1 second', date_trunc('minute', now()) - n * interval '1 second'
    FROM generate_series(1, ${HOMES.events}) AS n`
]

/** Histories of the first devices of the fleet, their newest reading at `last`; nothing of them is counted yet. */
const histories = (last: Date): ReadonlyArray<string> => {
  const { devices, readings, seconds } = HISTORIES
  const ids = `(SELECT id FROM devices WHERE id LIKE 'c0d%' ORDER BY id LIMIT ${devices})`
  const newest = `timestamptz '${last.toISOString()}'`
  return [
    `INSERT INTO readings (device_id, at, id, state)
      SELECT fleet.id, ${newest} - n * interval '${seconds} seconds',
        'c2' || right(fleet.id, 11) || lpad(n::text, 12, '0'),
        jsonb_build_object('power', 3000 + n % 1000, 'lifetimeEnergyGenerated', 20000000 - n, 'gridPower', -1200 + n % 400)
      FROM ${ids} AS fleet, generate_series(0, ${readings - 1}) AS n`,
    `UPDATE device_states SET (reading_id, at, first_at, state, counted_until) = (
        SELECT id, at, at - ${readings - 1} * interval '${seconds} seconds', state, NULL::timestamptz FROM readings
        WHERE readings.device_id = device_states.device_id AND at = ${newest})
      WHERE device_id IN (SELECT id FROM ${ids} AS fleet)`
  ]
}

const created = async ({ platform }: PostgresSetting, path: string, body: object): Promise<any> => {
  const key = platform.credentials.managementKey
  const response = await callAt(`http://127.0.0.1:${platform.port}`, "POST", path, { key, body })
  if (response.status !== 201) throw new Error(`${path} answered ${response.status}: ${response.text}`)
  return response.body
}

/** Makes the homes with their own SERVER key, and the histories of the fleet. */
export const seedReads = async (on: PostgresSetting, last: Date): Promise<Homes> => {
  const { id: workspaceId } = await created(on, "/v1/workspaces", { name: `Homes ${last.getTime()}` })
  const { key } = await created(on, "/v1/api-keys", { name: "bench", type: "SERVER", workspaceId })
  const client = new Client({ connectionString: on.postgres.url })
  await client.connect()
  try {
    for (const statement of [...homes(workspaceId), ...histories(last)]) await client.query(statement)
    await client.query("VACUUM ANALYZE")
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM sites WHERE workspace_id = '${workspaceId}' ORDER BY id`
    )
    return { key, siteIds: rows.map(({ id }) => id) }
  } finally {
    await client.end()
  }
}
