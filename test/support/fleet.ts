import { SqlClient } from "effect/sql"
import { Effect } from "effect"

/** A fleet of which a tenth is silent and a part has alerts. */
export interface Fleet {
  readonly workspaceId: string
  readonly devices: number
}

/** Ids in the form of the service's, in the order of their numbers and different in each workspace. */
const idSql = (workspaceId: string, kind: string, n: string) =>
  `'c${kind}${workspaceId.slice(-9)}' || lpad((${n})::text, 14, '0')`

/** Types by the last two digits: 30 inverters, 30 batteries, 20 meters and so on in a hundred. */
const typeSql = `CASE WHEN n % 100 < 30 THEN 'inverter' WHEN n % 100 < 60 THEN 'battery' WHEN n % 100 < 80 THEN 'meter'
  WHEN n % 100 < 88 THEN 'thermostat' WHEN n % 100 < 94 THEN 'vehicle' WHEN n % 100 < 97 THEN 'charger'
  WHEN n % 100 < 99 THEN 'water_heater' ELSE 'other' END`

const stateSql = `CASE d.type
  WHEN 'battery' THEN jsonb_build_object('chargingState', 'discharging', 'charge', 5000, 'chargePercentage', n % 101,
    'whConsumed', null, 'chargeRate', n % 6000 - 3000)
  WHEN 'inverter' THEN jsonb_build_object('power', n % 7000)
  WHEN 'meter' THEN jsonb_build_object('power', n % 9000 - 4000)
  WHEN 'thermostat' THEN jsonb_build_object('ambientTemperature', 60 + n % 20, 'operatingMode', 'auto', 'fanMode', 'auto')
  WHEN 'vehicle' THEN jsonb_build_object('chargingState', 'idle', 'chargePercentage', n % 101, 'range', n % 300)
  WHEN 'charger' THEN jsonb_build_object('chargingState', 'charging', 'chargerWattage', n % 11000)
  WHEN 'water_heater' THEN jsonb_build_object('waterTemperature', 110 + n % 30, 'operatingMode', 'heat_pump', 'power', n % 500)
  ELSE jsonb_build_object('rpm', n % 1000) END`

/** Rows of one statement: few enough that a busy machine responds within the time that the client waits for a response. */
const AT_ONCE = 10_000

/** The statements that `each` makes for the numbers from `first` to `last`, a part at a time. */
const inParts = (last: number, each: (first: number, last: number) => string) =>
  Array.from({ length: Math.ceil(last / AT_ONCE) }, (_, part) =>
    each(part * AT_ONCE + 1, Math.min(last, (part + 1) * AT_ONCE))
  )

/**
 * Statements that fill a workspace with devices at half as many sites all over the United States; of every 40 sites one has no
 * coordinates, and every tenth device has no site.
 */
export const fleetStatements = ({ devices, workspaceId }: Fleet): ReadonlyArray<string> => {
  const id = (kind: string, n = "n") => idSql(workspaceId, kind, n)
  const sites = Math.max(1, Math.floor(devices / 2))
  const workspace = `'${workspaceId}'`
  return [
    `INSERT INTO manufacturers (slug, name, device_types, connectable, direct_integration, created_at, updated_at)
      VALUES ('generic', 'Generic', '{inverter}', false, true, now(), now()) ON CONFLICT DO NOTHING`,
    ...inParts(
      sites,
      (
        first,
        last
      ) => `INSERT INTO sites (id, workspace_id, name, street_one, city, state, postal_code, country, state_key, postal_key,
        address_hash, latitude, longitude, tags, created_at, updated_at)
      SELECT ${id("s")}, ${workspace}, CASE WHEN n % 3 > 0 THEN 'Home ' || n END, n || ' Main Street', 'Springfield', p.state,
        p.code, 'USA', p.state, p.code, encode(sha256(n::text::bytea), 'hex'),
        CASE WHEN n % 40 > 0 THEN p.latitude END, CASE WHEN n % 40 > 0 THEN p.longitude END, '{}', now(), now()
      FROM generate_series(${first}, ${last}) AS n
      JOIN (SELECT *, row_number() OVER (ORDER BY md5(code)) - 1 AS place FROM postal_codes) AS p
        ON p.place = n % (SELECT count(*) FROM postal_codes)`
    ),
    ...inParts(
      Math.ceil(sites / 2),
      (
        first,
        last
      ) => `INSERT INTO customers (id, workspace_id, reference_id, first_name, last_name, created_at, updated_at)
      SELECT ${id("u")}, ${workspace}, 'fleet-customer-' || n, 'Ada', 'Customer ' || n, now(), now()
      FROM generate_series(${first}, ${last}) AS n`
    ),
    ...inParts(
      sites,
      (first, last) => `INSERT INTO customer_sites (workspace_id, customer_id, site_id)
      SELECT ${workspace}, ${id("u", "(n + 1) / 2")}, ${id("s")} FROM generate_series(${first}, ${last}) AS n WHERE n % 5 > 0`
    ),
    ...inParts(
      devices,
      (
        first,
        last
      ) => `INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer, manufacturer_device_id,
        serial_number, reference_id, model, type, commands, tags, direct, connected_at, disconnected_at, created_at, updated_at)
      SELECT ${id("d")}, ${workspace}, ${workspace}, CASE WHEN n % 10 > 0 THEN ${id("s", `1 + n % ${sites}`)} END,
        (ARRAY['Garage', 'Roof', 'Cellar', '=Porch'])[1 + n * 7 % 4] || ' ' || type || ' ' || n,
        slugs[1 + (n * 13 % 31) % cardinality(slugs)], 'FLEET-' || n, CASE WHEN n % 9 > 0 THEN 'SN-' || lpad(n::text, 7, '0') END,
        'user-' || n, 'Model ' || n % 40, type, '{}',
        CASE WHEN n % 1000 = 5 THEN '{rare,pilot}' WHEN n % 4 = 1 THEN '{pilot}' ELSE '{}' END::text[],
        false, now(), CASE WHEN n % 71 = 3 THEN now() END, now(), now()
      FROM (SELECT n, ${typeSql} AS type FROM generate_series(${first}, ${last}) AS n) AS given,
        (SELECT array_agg(slug ORDER BY slug) AS slugs FROM (SELECT slug FROM manufacturers
          WHERE organization_id IS NULL ORDER BY slug LIMIT 8) AS eight) AS makers`
    ),
    ...inParts(
      devices,
      (first, last) => `INSERT INTO device_states (device_id, reading_id, at, first_at, state, reported_status)
      SELECT d.id, ${id("r")}, now() - CASE WHEN n % 11 = 4 THEN n % 50 * interval '1 hour' + interval '1 day' ELSE n % 100 * interval '1 second' END,
        now() - interval '1 year', ${stateSql}, CASE WHEN n % 53 = 8 THEN 'asleep' END
      FROM generate_series(${first}, ${last}) AS n JOIN devices d ON d.id = ${id("d")} WHERE n % 50 > 0`
    ),
    `INSERT INTO alerts (id, workspace_id, source_system, type, severity, status, title, device_id, site_id, occurrence_count,
        last_occurred_at, created_at, updated_at)
      SELECT ${id("a")}, ${workspace}, 'edp', 'HARDWARE_FAULT', (ARRAY['CRITICAL', 'WARNING', 'INFO'])[1 + n / 37 % 3],
        (ARRAY['OPEN', 'ACKNOWLEDGED', 'OPEN', 'RESOLVED', 'IGNORED'])[1 + n / 37 % 5], 'Fault ' || n, d.id, d.site_id, 1,
        now(), now(), now()
      FROM generate_series(37, ${devices}, 37) AS n JOIN devices d ON d.id = ${id("d")}`,
    `ANALYZE sites, customers, customer_sites, devices, device_states, alerts, device_tags`
  ]
}

/** Fills a workspace with devices. On a busy machine a statement may take longer than those of the service may. */
export const seedFleet = (fleet: Fleet) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe("SET LOCAL statement_timeout = 0")
    for (const statement of fleetStatements(fleet)) yield* sql.unsafe(statement)
  }).pipe((seeding) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(seeding)))
