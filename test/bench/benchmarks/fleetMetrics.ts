import { readFileSync } from "node:fs"
import { setInterval } from "node:timers"
import { Client } from "pg"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad } from "../load/Load.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"

const DAY = 86_400_000
const DAYS = 30
const WATT_HOURS_A_DAY = 9600
const types = ["inverter", "battery", "meter", "charger", "vehicle"]

interface Shape {
  readonly sites: number
  readonly devicesOfSite: number
}

const shapes: ReadonlyArray<Shape> = [
  { sites: 100_000, devicesOfSite: 1 },
  { sites: 20_000, devicesOfSite: 5 }
]

/** Sites whose rollups are seeded, too: with a series for each site these are what is read. */
const SITES_WITH_ROLLUPS = 2000
const BLOCKS = 1024

const id = (kind: string, n: string) => `('c0${kind}' || lpad((${n})::text, 22, '0'))`

const seedFleet = (workspaceId: string, { devicesOfSite, sites }: Shape, from: Date, to: Date) => [
  "DELETE FROM energy_rollups",
  "DELETE FROM fleets",
  "DELETE FROM devices",
  "DELETE FROM device_states",
  "DELETE FROM sites",
  `INSERT INTO sites (id, workspace_id, name, street_one, city, state, postal_code, country, state_key, postal_key,
      address_hash, latitude, longitude, tags, created_at, updated_at)
    SELECT ${id("s", "n")}, '${workspaceId}', 'Home ' || n, n || ' Main Street', 'Denver', 'CO', '80202', 'USA', 'CO', '80202',
      n::text, 39.75, -105.0, '{}', now(), now() FROM generate_series(1, ${sites}) AS n`,
  `INSERT INTO devices (id, workspace_id, origin_workspace_id, site_id, name, manufacturer, manufacturer_device_id,
      reference_id, model, type, commands, tags, direct, connected_at, created_at, updated_at)
    SELECT ${id("d", `n * ${devicesOfSite} + m`)}, '${workspaceId}', '${workspaceId}', ${id("s", "n")}, 'Device', 'generic',
      n || '-' || m, 'user-' || n, 'Model', ('{${types.join()}}'::text[])[m], '{}', '{}', true, now(), now(), now()
    FROM generate_series(1, ${sites}) AS n, generate_series(1, ${devicesOfSite}) AS m`,
  // Their readings are rolled up through the end, the last quarter of an hour included.
  `INSERT INTO device_states (device_id, reading_id, at, first_at, state, rolled_until, marked_until, settled_until)
    SELECT id, 'c1', timestamptz '${to.toISOString()}' + interval '1 day', timestamptz '${from.toISOString()}' - interval '90 days', '{}',
      timestamptz '${to.toISOString()}' + interval '1 day', timestamptz '${to.toISOString()}' + interval '1 day',
      timestamptz '${to.toISOString()}' + interval '1 day' FROM devices`,
  // 100 Wh in each quarter of an hour; a battery charges half of what it discharges, a meter imports a tenth.
  `INSERT INTO energy_rollups (device_id, quantity, day, amounts, covered)
    SELECT d.id, day_sums.quantity, day, day_sums.amounts, day_sums.covered
    FROM devices d JOIN (VALUES ('inverter', 2), ('battery', 0), ('battery', 1), ('meter', 3), ('meter', 4), ('charger', 5), ('vehicle', 5))
        AS reports (type, quantity) ON reports.type = d.type,
      LATERAL (SELECT reports.quantity, array_agg(q * 100000000::bigint ORDER BY q) AS amounts, array_agg(q * 900000 ORDER BY q) AS covered
        FROM generate_series(1, 96) AS q) AS day_sums,
      generate_series(date '${from.toISOString().slice(0, 10)}', date '${to.toISOString().slice(0, 10)}', interval '1 day') AS day
    WHERE d.site_id <= ${id("s", `${SITES_WITH_ROLLUPS}`)}`,
  `INSERT INTO fleets VALUES ('${workspaceId}', ${BLOCKS}, 'UTC', now())`,
  // A site's only inverter generates all of it; a site of five has one, too.
  `WITH device AS (
      SELECT coalesce(d.site_id, d.id) AS site, hash_record_extended(ROW(d.id, d.type, d.site_id, first_ever, d.disconnected_at,
        s.rollup_revision), 0) AS hash
      FROM devices d JOIN device_states s ON s.device_id = d.id,
        LATERAL (SELECT least(s.first_at, s.first_dropped_at) AS first_ever) AS ever
    ), block AS (
      SELECT ((hashtextextended(site, 0) >> ${64 - Math.log2(BLOCKS)}) + ${BLOCKS / 2})::int AS block, sum(hash) AS signature, count(DISTINCT site)::int AS sites
      FROM device GROUP BY 1
    )
    INSERT INTO fleet_sums SELECT '${workspaceId}', 'generation', day, day + interval '1 day', block, signature,
      sites * ${WATT_HOURS_A_DAY}::numeric * 1000000, sites, sites * ${DAY}::float8, sites
    FROM block, generate_series(timestamptz '${from.toISOString()}', timestamptz '${to.toISOString()}' - interval '1 day',
      interval '1 day') AS day`,
  "VACUUM ANALYZE"
]

const residentMegabytes = (pid: number) =>
  Number(/^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024

/** How much more memory a process has meanwhile than before, at most. */
const growthDuring = async (pid: number, work: () => Promise<void>) => {
  const before = residentMegabytes(pid)
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, residentMegabytes(pid))
  }, 20)
  try {
    await work()
  } finally {
    clearInterval(watch)
  }
  return most - before
}

const measure = async (
  { platform, postgres }: PostgresSetting,
  { note, patience }: Setting
): Promise<ReadonlyArray<Figure>> => {
  const { credentials, pid, port } = platform
  const load = startLoad()
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  // Whole days that are long over: the sums of fleets are kept of them.
  const to = new Date(Math.floor(Date.now() / DAY) * DAY - 10 * DAY)
  const from = new Date(to.getTime() - DAYS * DAY)
  const span = (begin: Date) => `from=${begin.toISOString()}&to=${to.toISOString()}&timezone=UTC`
  const headers = { "service-api-key": credentials.serverKey }
  const get = (query: string) => fetch(`http://127.0.0.1:${port}/v1/metrics/${query}`, { headers })

  const measureShape = async (shape: Shape): Promise<ReadonlyArray<Figure>> => {
    const name = `${shape.sites} sites of ${shape.devicesOfSite}`
    note(`seeds ${name}`)
    for (const statement of seedFleet(credentials.workspaceId, shape, from, to)) await client.query(statement)
    const byDay = `generation?period=day&${span(from)}`
    const response: any = await (await get(byDay)).json()
    const expected = shape.sites * WATT_HOURS_A_DAY
    const isRight =
      response.data?.length === DAYS &&
      response.data.every(({ coverage, value }: any) => value === expected && coverage === 1)
    if (!isRight)
      throw new Error(`The generation of ${name} is not that of its rollups: ${JSON.stringify(response).slice(0, 300)}`)
    const ask = (connections: number) =>
      load.ask({
        port,
        key: credentials.serverKey,
        traffic: { kind: "get", paths: [`/v1/metrics/${byDay}`] },
        connections,
        seconds: 5 * patience
      })
    note(`asks for the days of ${name}`)
    await ask(1)
    let [alone, atFour] = [0, 0]
    const growth = await growthDuring(pid, async () => {
      alone = (await ask(1)).p50
      atFour = (await ask(4)).p50
    })
    note(`asks for the sites of ${name} with rollups`)
    const series = `generation?period=day&groupBy=site&${span(from)}`
    let bytes = 0
    const began = performance.now()
    const streamed = await growthDuring(pid, async () => {
      for await (const part of (await get(series)).body!) bytes += part.length
    })
    const seconds = (performance.now() - began) / 1000
    return [
      { name: `generation of ${name}, ${DAYS} days by day`, measured: alone / 1000, unit: "s", target: { atMost: 1 } },
      { name: `generation of ${name}, ${DAYS} days by day, four at once`, measured: atFour / 1000, unit: "s" },
      { name: `generation of ${name}, memory meanwhile`, measured: growth, unit: "MB", target: { atMost: 50 } },
      {
        name: `generation of each of ${name}, ${DAYS} days by day, memory meanwhile`,
        measured: streamed,
        unit: "MB",
        behind: `${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s; ${SITES_WITH_ROLLUPS} of the sites have rollups`
      }
    ]
  }

  try {
    const figures: Array<Figure> = []
    for (const shape of shapes) figures.push(...(await measureShape(shape)))
    return figures
  } finally {
    await client.end()
    await load.stop()
  }
}

/** Metrics of a workspace of 100,000 devices. The kept sums are seeded as the platform makes them of the seeded rollups. */
export const fleetMetrics: Benchmark = {
  name: "fleet-metrics",
  run: (setting) => onPostgres(setting, { devices: 0 }, (on) => measure(on, setting))
}
