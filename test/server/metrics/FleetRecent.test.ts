import { type MetricName, metricNames } from "@edp/domain/metrics/Metric"
import type { MetricSeries } from "@edp/domain/metrics/MetricSeries"
import { EnergyRollups } from "@edp/server/metrics/EnergyRollups"
import { FleetLimits, FleetSums } from "@edp/server/metrics/FleetSums"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { inTurn, testSeed as seed } from "../../support/rounds.ts"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { Random } from "../../support/Random.ts"
import { type TestApp, useTestApp } from "../../support/TestApp.ts"
import { arrangeMetrics, HOUR, iso, type Query, states } from "./arrangeMetrics.ts"
import { someReadings } from "./someReadings.ts"

const DAY = 24 * HOUR
const QUARTER = HOUR / 4
const types = ["inverter", "battery", "meter", "vehicle"] as const
/** Fields that the API requires. */
const required = {
  inverter: { power: 100 },
  battery: states.battery(),
  meter: { power: 50 },
  vehicle: states.car()
}
const filters = { deviceType: ["battery", "inverter", "charger", "vehicle", "meter"] }

/** Every workspace is a fleet, divided into blocks of about two devices. */
const divide = (app: TestApp) =>
  app.run(
    Effect.flatMap(FleetSums, (fleets) => fleets.build).pipe(
      Effect.provideService(FleetLimits, { devices: 1, devicesOfBlock: 2, days: 12 })
    )
  )
const sumRecent = (app: TestApp, leastAge = 0) =>
  app.run(Effect.flatMap(FleetSums, (fleets) => fleets.sumRecent(leastAge)))
const rollSome = (app: TestApp) => app.run(Effect.flatMap(EnergyRollups, (rollups) => rollups.rollSome))

/** Each pass adds a day to the first two. */
const sumAll = async (app: TestApp) => {
  for (let pass = 0; pass < 10; pass++) await sumRecent(app)
}

/** The same question to the devices, with the span that was answered. */
const fromDevices = (
  on: Awaited<ReturnType<typeof arrangeMetrics>>,
  metric: MetricName,
  query: Query,
  { from, to }: MetricSeries["meta"]
) => {
  const { timeframe: _, ...rest } = query
  // All types that there are, or one of them twice: no sums are kept of such a selection.
  const deviceType = query["deviceType"] === undefined ? filters.deviceType : [query["deviceType"], "other"].flat()
  return on.read(metric, { ...rest, from, to, deviceType })
}

/** Compares the sums with what the devices say of the same span. Coverage is added by the quarter: only whether there is any is compared. */
const expectSame = async (
  on: Awaited<ReturnType<typeof arrangeMetrics>>,
  metrics: ReadonlyArray<MetricName>,
  query: Query,
  isSummed = true
) => {
  for (const metric of metrics) {
    const summed = await on.read(metric, query)
    if (isSummed) expect([metric, query, summed.meta.asOf === null]).toEqual([metric, query, false])
    const { data } = await fromDevices(on, metric, query, summed.meta)
    const plain = (series: MetricSeries["data"]) =>
      series.map(({ timestamp, value, coverage, reason }) => [timestamp, value, coverage > 0, reason])
    expect([metric, query, plain(summed.data)]).toEqual([metric, query, plain(data)])
  }
}

const frames: ReadonlyArray<Query> = [
  { timeframe: "1h", period: "15m" },
  { timeframe: "24h", period: "hour" },
  { timeframe: "24h", period: "15m" },
  { timeframe: "7d", period: "day" },
  { timeframe: "7d", period: "hour" },
  { timeframe: "30d", period: "day" },
  { timeframe: "30d", period: "week" },
  { timeframe: "1y", period: "month" }
]

/** The figures of batteries and meters on the dashboard. */
const ofTypes = [
  ["charging", "battery"],
  ["production", "battery"],
  ["production", "meter"],
  ["grid", "meter"]
] as const

const throughRandomHomes = async (app: TestApp, random: Random) => {
  const now = Date.now()
  const on = await arrangeMetrics(app)
  const zone = random.pick(["America/Denver", "Asia/Kathmandu", "UTC", "Europe/London"])
  await app.sql((sql) => sql`UPDATE workspaces SET timezone = ${zone} WHERE id = ${on.workspaceId}`)
  const sites = [(await on.site()).id, (await on.site()).id]
  const devices = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const type = random.pick(types)
      const siteId = random.pick([...sites, undefined])
      const id = await on.device({ type, ...(siteId !== undefined && { siteId }) })
      const readings = someReadings(random, type, now - random.pick([9, 3, 1, 0.2]) * DAY, 60 + random.below(200))
        .filter(({ at }) => at < now)
        .map(({ at, state }) => [at, { ...required[type], ...state }] as const)
      return { id, type, readings }
    })
  )
  await divide(app)
  await sumAll(app)
  const steps = devices.flatMap(({ id, readings }) => {
    const late = readings.filter(() => random.chance(0.1))
    const half = random.below(readings.length + 1)
    const others = readings.filter((each) => !late.includes(each))
    return [
      { id, readings: others.slice(0, half) },
      { id, readings: others.slice(half) },
      { id, readings: late }
    ]
  })
  // The first parts of all devices, then the other ones: so readings continue what has been summed.
  const ordered = [0, 1, 2].flatMap((part) => steps.filter((_, n) => n % 3 === part))
  const removed = new Set<string>()
  for (const { id, readings } of ordered) {
    if (removed.has(id)) continue
    if (readings.length > 0) await on.send(id, readings)
    if (random.chance(0.4)) await rollSome(app)
    if (random.chance(0.2)) {
      const instant = now - random.below(2 * DAY)
      await app.sql((sql) => sql`UPDATE devices SET disconnected_at = ${new Date(instant)} WHERE id = ${id}`)
    }
    if (random.chance(0.2)) await on.call("PUT", `/v1/sites/${random.pick(sites)}/devices/${id}`)
    if (random.chance(0.1)) {
      await app.sql((sql) => sql`UPDATE devices SET static_state = '{"power": 300}' WHERE id = ${id}`)
    }
    if (random.chance(0.05)) {
      await on.call("DELETE", `/v1/devices/${id}`)
      removed.add(id)
    }
    if (random.chance(0.15)) {
      const other = random.pick(["America/Denver", "Asia/Kathmandu", "UTC"])
      await app.sql((sql) => sql`UPDATE workspaces SET timezone = ${other} WHERE id = ${on.workspaceId}`)
      await divide(app)
    }
    if (random.chance(0.6)) {
      await sumRecent(app)
      await expectSame(on, [random.pick(metricNames)], random.pick(frames), false)
    }
  }
  await sumAll(app)
  for (const query of frames.slice(0, 5)) await expectSame(on, metricNames, query)
  for (const [metric, deviceType] of ofTypes) {
    await expectSame(on, [metric], { timeframe: "24h", period: "15m", deviceType })
    await expectSame(on, [metric], { timeframe: "30d", period: "day", deviceType }, false)
  }
  const [{ timezone }] = (await app.sql(
    (sql) => sql`SELECT timezone FROM workspaces WHERE id = ${on.workspaceId}`
  )) as [{ timezone: string }]
  await expectSame(on, metricNames, { timeframe: "7d", period: "day", timezone })
}

const guarantees = (app: TestApp, rounds: number) => {
  test.each(Array.from({ length: rounds }, (_, n) => seed + n))(
    "return the values of the devices, after any changes (seed %i)",
    (each) => throughRandomHomes(app, new Random(each))
  )

  test("say as of when they are, and are used for five minutes", async () => {
    const on = await arrangeMetrics(app)
    const device = await on.device()
    const now = Math.floor(Date.now() / HOUR) * HOUR
    const counted = (from: number, to: number) =>
      Array.from(
        { length: to - from + 1 },
        (_, n) => [now - 4 * HOUR + (from + n) * QUARTER, states.counted((from + n) * 100)] as const
      )
    await on.send(device, counted(0, 14))
    const query = { from: iso(now - 4 * HOUR), to: iso(now), period: "hour" }
    expect((await on.read("generation", query)).meta.asOf).toBe(null)
    await divide(app)
    await sumRecent(app)
    const summed = await on.read("generation", query)
    expect(summed.data.map(({ value }) => value)).toEqual([400, 400, 400, 200])
    const age = Date.now() - Date.parse(summed.meta.asOf!)
    expect(age).toBeGreaterThanOrEqual(0)
    expect(age).toBeLessThan(120_000)
    // A second instance leaves sums alone that the first one has just made.
    await sumRecent(app, 60_000)
    expect((await on.read("generation", query)).meta.asOf).toBe(summed.meta.asOf)
    // Later readings are in the figures of the devices at once, and in the sums after the next pass.
    await on.send(device, counted(15, 16))
    expect(await on.values("generation", query)).toEqual([400, 400, 400, 200])
    expect(await on.values("generation", { ...query, ...filters })).toEqual([400, 400, 400, 400])
    await sumRecent(app)
    expect(await on.values("generation", query)).toEqual([400, 400, 400, 400])
    await app.sql(
      (sql) => sql`UPDATE fleet_recent SET as_of = as_of - interval '6 minutes' WHERE workspace_id = ${on.workspaceId}`
    )
    expect((await on.read("generation", query)).meta.asOf).toBe(null)
  })

  test("have every bucket of the time frames that end now: the devices are not asked", async () => {
    const on = await arrangeMetrics(app)
    await app.sql((sql) => sql`UPDATE workspaces SET timezone = 'Asia/Kathmandu' WHERE id = ${on.workspaceId}`)
    const now = Date.now()
    const readings = Array.from({ length: 9 * 24 }, (_, n) => now - 9 * DAY + n * HOUR - 1000)
    const battery = await on.device({ type: "battery" })
    await on.send(
      battery,
      readings.map((at, n) => [at, { ...states.battery({ charge: 1000 + n, chargePercentage: 50 }) }] as const)
    )
    const inverter = await on.device()
    await on.send(
      inverter,
      readings.map((at, n) => [at, states.counted(n * 100)] as const)
    )
    await rollSome(app)
    await divide(app)
    await sumAll(app)
    const queries = (["storage", "generation"] as const).flatMap((metric) =>
      frames.slice(1, 5).map((query) => [metric, query] as const)
    )
    const before: Array<MetricSeries> = []
    for (const [metric, query] of queries) before.push(await on.read(metric, query))
    await app.sql((sql) => sql`DELETE FROM energy_rollups WHERE device_id IN (${battery}, ${inverter})`)
    await app.sql((sql) => sql`DELETE FROM readings WHERE device_id IN (${battery}, ${inverter})`)
    for (const [n, [metric, query]] of queries.entries()) {
      const { data, meta } = await on.read(metric, query)
      expect([metric, query, data]).toEqual([metric, query, before[n]!.data])
      expect(data.filter(({ value }) => value !== null).length).toBeGreaterThan(6)
      expect(meta.asOf).toBe(before[n]!.meta.asOf)
    }
  })

  test("are made visible together: a pass that is cut short changes nothing, and the next one makes up for it", async () => {
    const on = await arrangeMetrics(app)
    const device = await on.device()
    // Noon yesterday, so that the span is one day.
    const now = Math.floor(Date.now() / DAY) * DAY - DAY / 2
    const query = { from: iso(now - HOUR), to: iso(now), period: "hour" }
    await on.send(
      device,
      [0, 1, 2].map((n) => [now - HOUR + n * QUARTER, states.counted(n * 100)] as const)
    )
    await divide(app)
    await sumRecent(app)
    expect(await on.values("generation", query)).toEqual([200])
    await on.send(device, [[now - QUARTER, states.counted(300)]])
    // Another process takes the claim over while the blocks are summed.
    await app.sql(
      (sql) => sql`CREATE FUNCTION lose_claim() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN UPDATE fleet_recent SET claim = gen_random_uuid() WHERE workspace_id = NEW.workspace_id; RETURN NEW; END $$`
    )
    await app.sql(
      (sql) =>
        sql`CREATE TRIGGER lose_claim AFTER INSERT OR UPDATE ON fleet_blocks FOR EACH ROW EXECUTE FUNCTION lose_claim()`
    )
    await sumRecent(app)
    await app.sql((sql) => sql`DROP TRIGGER lose_claim ON fleet_blocks`)
    await app.sql((sql) => sql`DROP FUNCTION lose_claim()`)
    expect(await on.values("generation", query)).toEqual([200])
    await app.sql((sql) => sql`UPDATE fleet_recent SET claimed_at = NULL WHERE workspace_id = ${on.workspaceId}`)
    await sumRecent(app)
    expect(await on.values("generation", query)).toEqual([300])
  })
}

// They take turns, because both run the same tests.
inTurn(
  1,
  () =>
    describe("the sums of recent energy on the embedded database", () => {
      guarantees(useTestApp({ own: true }), 1)
    }),
  () =>
    describePostgres("the sums of recent energy on PostgreSQL", () => {
      const databases = useDatabases()
      guarantees(useTestApp({ databaseUrl: () => databases.url }), 2)
    })
)
