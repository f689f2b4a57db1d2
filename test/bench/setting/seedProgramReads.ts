import type { Client } from "pg"

const idSql = (kind: string, n = "n") => `'cp${kind}' || lpad((${n})::text, 22, '0')`

/** Adds programs, and instances of the first one. */
export const seedCatalog = async (
  database: Client,
  { instances, programs, workspaceId }: { workspaceId: string; programs: number; instances: number }
): Promise<void> => {
  await database.query(`INSERT INTO programs (id, slug, name, description, states, active, visibility, eligibility,
      created_at, updated_at)
    SELECT ${idSql("p")}, 'program-' || n, 'Program ' || n, '', ARRAY[(ARRAY['CA', 'TX', 'NY', 'CO'])[n % 4 + 1]], true,
      'PUBLIC', '{"attribute": "type", "operator": "eq", "value": "battery"}', now(), now()
    FROM generate_series(1, ${programs}) AS n`)
  await database.query(`INSERT INTO program_instances (id, workspace_id, program_id, slug, page_slug, title, description,
      eligibility_criteria, program_terms, terms_version, enrollment_periods, status, created_at, updated_at)
    SELECT ${idSql("i")}, '${workspaceId}', ${idSql("p", `n % ${programs} + 1`)}, 'instance-' || n, 'instance-' || n,
      'Instance ' || n, '', '', '', 1, '[]', (ARRAY['ACTIVE', 'INACTIVE', 'ARCHIVED'])[n % 3 + 1], now(), now()
    FROM generate_series(1, ${instances}) AS n`)
  await database.query("ANALYZE programs, program_instances")
}

export interface RolledBatteries {
  readonly workspaceId: string
  /** A battery at each of so many homes, with its energy of the last days before the end. */
  readonly batteries: number
  readonly days: number
  /** The first ones have the energy of more days. */
  readonly first: number
  readonly firstDays: number
  readonly to: Date
}

const DAY = 86_400_000

/** Adds batteries at homes whose readings are rolled up: 100 Wh discharged in each quarter of an hour, half of it charged. */
export const seedRolledBatteries = async (
  database: Client,
  { batteries, days, first, firstDays, to, workspaceId }: RolledBatteries
): Promise<void> => {
  const from = new Date(to.getTime() - firstDays * DAY).toISOString()
  const end = to.toISOString()
  await database.query(`INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer,
      manufacturer_device_id, reference_id, model, type, static_state, commands, tags, direct, connected_at, created_at,
      updated_at)
    SELECT 'cd0' || lpad(n::text, 22, '0'), '${workspaceId}', '${workspaceId}', ${idSql("s")}, 'Battery', 'generic', 'B-' || n,
      'user-' || n, 'Battery', 'battery', '{"capacity": 13500, "maxDischargeRate": 5000, "maxChargeRate": 5000}', '{}', '{}',
      true, now(), timestamptz '${from}', now()
    FROM generate_series(1, ${batteries}) AS n`)
  // Their readings are rolled up through the end.
  await database.query(`INSERT INTO device_states (device_id, reading_id, at, first_at, state, rolled_until,
      marked_until, settled_until)
    SELECT 'cd0' || lpad(n::text, 22, '0'), 'c1', end_at, timestamptz '${from}', '{}', end_at, end_at, end_at
    FROM generate_series(1, ${batteries}) AS n, LATERAL (SELECT timestamptz '${end}' + interval '1 day' AS end_at) AS t`)
  await database.query(`INSERT INTO energy_rollups (device_id, quantity, day, amounts, covered)
    SELECT 'cd0' || lpad(n::text, 22, '0'), sums.quantity, day, sums.amounts, sums.covered
    FROM generate_series(1, ${batteries}) AS n,
      LATERAL generate_series(date '${end.slice(0, 10)}' - CASE WHEN n <= ${first} THEN ${firstDays} ELSE ${days} END,
        date '${end.slice(0, 10)}', interval '1 day') AS day,
      (SELECT quantity, array_agg(q * 100000000::bigint / (2 - quantity) ORDER BY q) AS amounts,
          array_agg(q * 900000 ORDER BY q) AS covered
        FROM generate_series(0, 1) AS quantity, generate_series(1, 96) AS q GROUP BY 1) AS sums`)
  await database.query("VACUUM ANALYZE devices, device_states, energy_rollups")
}

interface SeededDispatch {
  readonly workspaceId: string
  readonly programInstanceId: string
  readonly sites: number
}

/** Adds a dispatch of two hours over the first homes. Returns its id. */
const seedDispatch = async (
  database: Client,
  of: SeededDispatch & { readonly kind: string; readonly startsAt: Date; readonly status: string }
): Promise<string> => {
  const id = `cp${of.kind}${`${of.sites}`.padStart(22, "0")}`
  const [from, to] = [of.startsAt.toISOString(), new Date(of.startsAt.getTime() + 7_200_000).toISOString()]
  const intervals = [{ startsAt: from, durationSeconds: 7200, actions: { battery: { operatingMode: "discharge" } } }]
  await database.query(
    `INSERT INTO dispatches (id, workspace_id, program_instance_id, name, starts_at, ends_at, intervals, priority,
        randomize_start_seconds, voluntary, test, baseline, status, created_at, updated_at)
      VALUES ($1, $2, $3, 'Peak', $4, $5, $6, 50, 0, true, false, '{"method": "device-metered", "parameters": {}}',
        $7, $4, $5)`,
    [id, of.workspaceId, of.programInstanceId, from, to, JSON.stringify(intervals), of.status]
  )
  await database.query(
    `INSERT INTO dispatch_sites (dispatch_id, site_id, customer_id, enrollment_id, state, held_out, starts_at, reasons,
        updated_at)
      SELECT $1, ${idSql("s")}, ${idSql("u")}, ${idSql("e")}, CASE WHEN n % 25 = 0 THEN 'unresponsive' ELSE 'done' END, false,
        $2, '[]', $3
      FROM generate_series(1, ${of.sites}) AS n`,
    [id, from, to]
  )
  await database.query(
    `INSERT INTO dispatch_devices (dispatch_id, device_id, site_id, type, phase, interval_index, code, outcome,
        unresponsive)
      SELECT $1, 'cd0' || lpad(n::text, 22, '0'), ${idSql("s")}, 'battery', 'ended', 0,
        CASE WHEN n % 25 = 0 THEN 'timeout' END, CASE WHEN n % 25 = 0 THEN 'failed' ELSE 'completed' END, n % 25 = 0
      FROM generate_series(1, ${of.sites}) AS n`,
    [id]
  )
  return id
}

/** Adds a dispatch that has ended. */
export const seedEnded = (database: Client, of: SeededDispatch & { readonly startsAt: Date }): Promise<string> =>
  seedDispatch(database, { ...of, kind: "z", status: "completed" })

/** Adds a dispatch that runs for an hour already, with readings of its batteries, a minute apart. The last hour is not rolled up. */
export const seedRunning = async (
  database: Client,
  { readings, ...of }: SeededDispatch & { readonly readings: number }
): Promise<string> => {
  await database.query(
    `INSERT INTO readings (device_id, at, id, state)
      SELECT device_id, date_trunc('minute', now()) - m * interval '1 minute', 'cr' || lpad((n * 1000 + m)::text, 23, '0'),
        '{"chargingState": "discharging", "charge": 5000, "chargePercentage": 50, "whConsumed": null, "chargeRate": 2000}'
      FROM (SELECT n, 'cd0' || lpad(n::text, 22, '0') AS device_id FROM generate_series(1, $1::int) AS n) AS battery,
        generate_series(0, $2::int - 1) AS m`,
    [of.sites, readings]
  )
  await database.query(
    `UPDATE device_states SET at = date_trunc('minute', now()), rolled_until = date_trunc('minute', now()) - interval '1 hour',
        marked_until = date_trunc('minute', now()) - interval '1 hour', settled_until = date_trunc('hour', now()) - interval '1 hour'
      WHERE device_id <= 'cd0' || lpad($1::text, 22, '0')`,
    [of.sites]
  )
  await database.query("VACUUM ANALYZE readings, device_states")
  return await seedDispatch(database, {
    ...of,
    kind: "w",
    startsAt: new Date(Math.floor(Date.now() / 900_000 - 4) * 900_000),
    status: "running"
  })
}
