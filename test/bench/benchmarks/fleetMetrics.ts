import { setInterval } from "node:timers"
import { setTimeout } from "node:timers/promises"
import { metricNames } from "@edp/domain/metrics/Metric"
import { Client } from "pg"
import type { Benchmark, Figure, Setting } from "../Figure.ts"
import { startLoad } from "../load/Load.ts"
import { openPage } from "../../support/chromium.ts"
import { guardedFolder } from "../../support/guardedFolder.ts"
import type { Platform } from "../setting/platform.ts"
import { signIn } from "../setting/signIn.ts"
import { median } from "../statistics.ts"
import { cpuSeconds, residentMegabytes } from "../setting/residentMemory.ts"
import { onPostgres, type PostgresSetting } from "../setting/postgresSetting.ts"

const DAY = 86_400_000
const DAYS = 30
const YEAR = 365
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
    SELECT id, 'c1', timestamptz '${to.toISOString()}' + interval '1 day', timestamptz '${from.toISOString()}' - interval '400 days', '{}',
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
    FROM block, generate_series(timestamptz '${new Date(to.getTime() - YEAR * DAY).toISOString()}', timestamptz '${to.toISOString()}' - interval '1 day',
      interval '1 day') AS day`,
  "VACUUM ANALYZE"
]

const QUARTER = 900_000

/** Energies of the present and the last UTC day: 100 Wh in each quarter of an hour until now, all of them rolled up. */
const seedRecent = (now: Date) => {
  const last = `timestamptz '${new Date(Math.floor(now.getTime() / QUARTER) * QUARTER).toISOString()}'`
  return [
    `UPDATE device_states SET at = ${last}, rolled_until = ${last}, marked_until = ${last}, settled_until = ${last}`,
    `INSERT INTO energy_rollups (device_id, quantity, day, amounts, covered)
      SELECT d.id, reports.quantity, day, day_sums.amounts, day_sums.covered
      FROM devices d JOIN (VALUES ('inverter', 2), ('battery', 0), ('battery', 1), ('meter', 3), ('meter', 4), ('charger', 5), ('vehicle', 5))
          AS reports (type, quantity) ON reports.type = d.type,
        generate_series(date '${new Date(now.getTime() - DAY).toISOString().slice(0, 10)}', date '${now.toISOString().slice(0, 10)}',
          interval '1 day') AS day,
        LATERAL (SELECT array_agg(q * 100000000::bigint ORDER BY q) AS amounts, array_agg(q * 900000 ORDER BY q) AS covered
          FROM generate_series(1, 96) AS q WHERE day AT TIME ZONE 'UTC' + q * interval '15 minutes' <= ${last}) AS day_sums
      ON CONFLICT DO NOTHING`
  ]
}

const MINUTES = 6

/** A reading of each device at an instant, as pushes store them. */
const seedReadings = (at: Date) => {
  const time = `timestamptz '${at.toISOString()}'`
  const count = `${Math.round(at.getTime() / 60_000) % 10_000_000} * 10`
  const state = `CASE d.type WHEN 'inverter' THEN jsonb_build_object('power', 600, 'lifetimeEnergyGenerated', ${count})
    WHEN 'battery' THEN jsonb_build_object('chargingState', 'discharging', 'charge', 5000, 'chargePercentage', 50, 'whConsumed', NULL, 'chargeRate', 600)
    WHEN 'meter' THEN jsonb_build_object('power', 600, 'importedEnergy', ${count}, 'exportedEnergy', 0)
    ELSE jsonb_build_object('chargingState', 'charging', 'chargePercentage', 50, 'range', 100, 'chargerWattage', 600) END`
  return [
    `INSERT INTO readings (device_id, at, id, state) SELECT d.id, ${time}, 'c' || md5(d.id || ${time}::text), ${state} FROM devices d`,
    `UPDATE device_states s SET at = ${time}, reading_id = 'c1', state = ${state} FROM devices d WHERE d.id = s.device_id`
  ]
}

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

const READINGS_A_SECOND = 1000

/** Pushes readings of some inverters every second, others each time, until it is stopped. Tells how many were pushed. */
const startPushes = ({ credentials, port }: Platform, { devicesOfSite, sites }: Shape) => {
  let turn = 0
  let stored = 0
  let waiting = Promise.resolve()
  const push = async () => {
    const timestamp = new Date().toISOString()
    const readings = Array.from({ length: READINGS_A_SECOND }, (_, n) => {
      const site = ((turn * READINGS_A_SECOND + n) % sites) + 1
      const deviceId = `c0d${String(site * devicesOfSite + 1).padStart(22, "0")}`
      return { deviceId, timestamp, state: { power: 600, lifetimeEnergyGenerated: 1_000_000 + turn } }
    })
    turn++
    const response = await fetch(`http://127.0.0.1:${port}/devices/telemetry`, {
      method: "POST",
      headers: { "service-api-key": credentials.serverKey, "content-type": "application/json" },
      body: JSON.stringify({ readings })
    })
    const { accepted, results }: any = await response.json()
    if (response.status !== 200) throw new Error(`A push was answered ${response.status}: ${JSON.stringify(results)}`)
    stored += accepted ?? READINGS_A_SECOND
  }
  const began = performance.now()
  const timer = setInterval(() => void (waiting = waiting.then(push)), 1000)
  return async () => {
    clearInterval(timer)
    await waiting
    return (1000 * stored) / (performance.now() - began)
  }
}

const CLICKS = 7

/** From the click on the link to the energy page until its figures and its chart stand, in Chromium. */
const clickOnEnergy = async (platform: Platform, name: string): Promise<Figure> => {
  const profile = await guardedFolder("edp-chromium")
  try {
    const page = await openPage(profile.path, "about:blank")
    try {
      await signIn(page, platform)
      const clicks: Array<number> = []
      for (let click = 0; click < CLICKS; click++) {
        await page.goTo(`http://127.0.0.1:${platform.port}/`)
        await page.until(`document.querySelector('a.nav-link[href^="/dashboard/energy"]') !== null`)
        const ms: number = await page.evaluate(`new Promise((done) => {
          const began = performance.now()
          const look = () => document.querySelector("main .figures") === null || document.querySelector("main .chart canvas") === null
            ? requestAnimationFrame(look)
            : setTimeout(() => done(performance.now() - began))
          document.querySelector('a.nav-link[href^="/dashboard/energy"]').click()
          look()
        })`)
        clicks.push(ms)
      }
      return {
        name: `the energy page of ${name}, from the click until figures and chart stand`,
        measured: median(clicks) / 1000,
        unit: "s",
        target: { atMost: 1.5 },
        behind: clicks.map((ms) => `${ms.toFixed(0)} ms`).join(", ")
      }
    } finally {
      await page.close()
    }
  } finally {
    await profile.remove()
  }
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
    const year = `from=${new Date(to.getTime() - YEAR * DAY).toISOString()}&to=${to.toISOString()}&timezone=UTC`
    const ofYear: Array<Figure> = []
    for (const period of ["day", "month"]) {
      note(`asks for the year of ${name} by the ${period}`)
      const query = `generation?period=${period}&${year}`
      const { data }: any = await (await get(query)).json()
      const total = data?.reduce((sum: number, { value }: any) => sum + value, 0)
      if (total !== YEAR * expected) throw new Error(`The generation of a year of ${name} is ${total}`)
      const traffic = { kind: "get" as const, paths: [`/v1/metrics/${query}`] }
      for (const connections of [1, 4]) {
        const { p50 } = await load.ask({
          port,
          key: credentials.serverKey,
          traffic,
          connections,
          seconds: 5 * patience
        })
        ofYear.push({
          name: `generation of ${name}, a year by the ${period}${connections === 1 ? "" : ", four at once"}`,
          measured: p50 / 1000,
          unit: "s",
          target: { atMost: connections === 1 ? 1 : 3 }
        })
      }
    }
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
      ...ofYear,
      { name: `generation of ${name}, memory meanwhile`, measured: growth, unit: "MB", target: { atMost: 50 } },
      {
        name: `generation of each of ${name}, ${DAYS} days by day, memory meanwhile`,
        measured: streamed,
        unit: "MB",
        behind: `${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s; ${SITES_WITH_ROLLUPS} of the sites have rollups`
      }
    ]
  }

  /** The energy of the present and of the last 24 hours, by the hour, of each metric. */
  const measureRecent = async ({ devicesOfSite, sites }: Shape): Promise<ReadonlyArray<Figure>> => {
    const name = `${sites} sites of ${devicesOfSite}`
    note(`seeds the recent energy of ${name}`)
    const now = new Date()
    await client.query("BEGIN")
    for (const statement of seedRecent(now)) await client.query(statement)
    await client.query("COMMIT")
    await client.query("VACUUM ANALYZE")
    const today = `period=hour&timezone=UTC&from=${new Date(Math.floor(now.getTime() / DAY) * DAY).toISOString()}`
    const began = performance.now()
    note("waits for the first sums")
    const expected = sites * 400
    for (;;) {
      const { data, meta }: any = await (await get(`generation?${today}`)).json()
      // Sums from before the seeding are there, too.
      if (meta?.asOf != null && (data.length <= 2 || data[0].value === expected)) break
      if (performance.now() - began > 1_200_000) {
        throw new Error(`After 20 minutes the generation of an hour is ${data[0]?.value} as of ${meta?.asOf}`)
      }
      await setTimeout(5000)
    }
    const waited = (performance.now() - began) / 1000
    const figures: Array<Figure> = [{ name: `first sums of the recent energy of ${name}`, measured: waited, unit: "s" }]
    for (const [frame, query] of [
      ["today", today],
      ["the last 24 hours", "period=hour&timezone=UTC&timeframe=24h"]
    ] as const) {
      for (const metric of metricNames) {
        const ask = (connections: number) =>
          load.ask({
            port,
            key: credentials.serverKey,
            traffic: { kind: "get", paths: [`/v1/metrics/${metric}?${query}`] },
            connections,
            seconds: 2 * patience
          })
        const limit = metric === "load" || metric === "consumption" ? 2 : 1
        figures.push({
          name: `${metric} of ${name}, ${frame} by the hour`,
          measured: (await ask(1)).p50 / 1000,
          unit: "s",
          target: { atMost: limit }
        })
        figures.push({
          name: `${metric} of ${name}, ${frame} by the hour, four at once`,
          measured: (await ask(4)).p50 / 1000,
          unit: "s",
          target: { atMost: 3 }
        })
      }
    }
    note("opens the energy page")
    figures.push(await clickOnEnergy(platform, name))
    note(`asks for the present day while ${READINGS_A_SECOND} readings a second arrive`)
    await client.query("SELECT ensure_readings_partition(now()::date)")
    const stopPushes = startPushes(platform, { devicesOfSite, sites })
    const during: Array<Figure> = []
    for (const metric of metricNames) {
      const { p50 } = await load.ask({
        port,
        key: credentials.serverKey,
        traffic: { kind: "get", paths: [`/v1/metrics/${metric}?${today}`] },
        connections: 1,
        seconds: 5 * patience
      })
      during.push({
        name: `${metric} of ${name}, today by the hour, while readings arrive`,
        measured: p50 / 1000,
        unit: "s",
        target: { atMost: metric === "load" || metric === "consumption" ? 2 : 1 }
      })
    }
    const arrived = `${(await stopPushes()).toFixed(0)} readings/s`
    figures.push(...during.map((figure) => ({ ...figure, behind: arrived })))
    note(`sums the recent energy of ${name} while each device reports every minute`)
    const databaseSeconds = async () =>
      Number(
        (await client.query("SELECT active_time FROM pg_stat_database WHERE datname = current_database()")).rows[0]
          .active_time
      ) / 1000
    const [processBefore, databaseBefore, from] = [cpuSeconds(pid), await databaseSeconds(), performance.now()]
    let own = 0
    for (let minute = 0; minute < MINUTES; minute++) {
      const started = performance.now()
      for (const statement of seedReadings(new Date())) await client.query(statement)
      own += (performance.now() - started) / 1000
      await setTimeout(Math.max(0, 60_000 - (performance.now() - started)))
    }
    const seconds = (performance.now() - from) / 1000
    const { meta }: any = await (await get(`generation?${today}`)).json()
    const age = meta.asOf === null ? Number.NaN : (Date.now() - Date.parse(meta.asOf)) / 1000
    return [
      ...figures,
      {
        name: `share of a core of the process, summing ${name} with a reading a minute`,
        measured: (100 * (cpuSeconds(pid) - processBefore)) / seconds,
        unit: "%"
      },
      {
        name: `share of a core of the database, without storing the readings`,
        measured: (100 * ((await databaseSeconds()) - databaseBefore - own)) / seconds,
        unit: "%"
      },
      { name: `age of the sums at the end`, measured: age, unit: "s", target: { atMost: 300 } }
    ]
  }

  try {
    const figures: Array<Figure> = []
    for (const shape of shapes) figures.push(...(await measureShape(shape)))
    return [...figures, ...(await measureRecent(shapes.at(-1)!))]
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
