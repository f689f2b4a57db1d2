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
/** Recent enough that few days are summed, and old enough that all of them are long over. */
const start = Math.floor(Date.now() / DAY) * DAY - 30 * DAY
const types = ["inverter", "battery", "meter"] as const
/** Fields that the API requires. */
const required = { inverter: { power: 100 }, battery: states.battery(), meter: { power: 50 } }
const filters = { deviceType: ["battery", "inverter", "charger", "vehicle", "meter"] }

/** Every workspace is a fleet, divided into blocks of about two devices. */
const build = (app: TestApp) =>
  app.run(
    Effect.flatMap(FleetSums, (fleets) => fleets.build).pipe(
      Effect.provideService(FleetLimits, { devices: 1, devicesOfBlock: 2, days: 60 })
    )
  )

const rollSome = (app: TestApp) => app.run(Effect.flatMap(EnergyRollups, (rollups) => rollups.rollSome))
const rollAll = async (app: TestApp): Promise<void> => {
  if ((await rollSome(app)) > 0) await rollAll(app)
}

/** Coverage of weeks and months is added by the day: only whether there is any is compared. */
const comparable = ({ data, meta }: MetricSeries) => ({
  meta,
  data: ["week", "month"].includes(meta.period)
    ? data.map(({ coverage, ...point }) => ({ ...point, isCovered: coverage > 0 }))
    : data
})

/** Compares responses with those to the same question with a filter that excludes nothing: they are computed from the devices. */
const expectSame = async (
  on: Awaited<ReturnType<typeof arrangeMetrics>>,
  metrics: ReadonlyArray<MetricName>,
  query: Query
) => {
  for (const metric of metrics) {
    const [summed, plain] = [await on.read(metric, query), await on.read(metric, { ...query, ...filters })]
    expect([metric, comparable(summed)]).toEqual([metric, comparable(plain)])
  }
}

const throughRandomHomes = async (app: TestApp, random: Random) => {
  const on = await arrangeMetrics(app)
  await app.sql((sql) => sql`UPDATE workspaces SET timezone = 'America/Denver' WHERE id = ${on.workspaceId}`)
  const sites = [(await on.site()).id, (await on.site({ timezone: "Asia/Kathmandu" })).id]
  const devices = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const type = random.pick(types)
      const siteId = random.pick([...sites, undefined])
      const id = await on.device({ type, ...(siteId !== undefined && { siteId }) })
      const readings = someReadings(random, type, start + random.below(3 * DAY), 20 + random.below(60))
      return { id, type, readings: readings.map(({ at, state }) => [at, { ...required[type], ...state }] as const) }
    })
  )
  const zones = ["America/Denver", "Asia/Kathmandu", "UTC"]
  const check = () =>
    expectSame(on, [random.pick(metricNames), random.pick(metricNames)], {
      from: iso(start + random.pick([0, 6 * HOUR, -3 * DAY, 1234])),
      to: iso(start + random.pick([8 * DAY, 8 * DAY + 6 * HOUR, 30 * DAY])),
      period: random.pick(["day", "day", "day", "hour", "week", "month"]),
      ...(random.chance(0.5) && { timezone: random.pick(zones) })
    })
  for (const { id, readings } of devices) {
    const late = readings.filter(() => random.chance(0.1))
    await on.send(
      id,
      readings.filter((each) => !late.includes(each))
    )
    if (random.chance(0.5)) await rollSome(app)
    if (random.chance(0.5)) await build(app)
    await on.send(id, late)
    if (random.chance(0.3)) await rollAll(app)
    if (random.chance(0.3)) {
      const instant = start + random.below(5 * DAY)
      await app.sql((sql) => sql`UPDATE devices SET disconnected_at = ${new Date(instant)} WHERE id = ${id}`)
    }
    if (random.chance(0.3)) await on.call("PUT", `/v1/sites/${random.pick(sites)}/devices/${id}`)
    if (random.chance(0.2)) {
      await app.sql((sql) => sql`UPDATE devices SET static_state = '{"power": 300}' WHERE id = ${id}`)
    }
    await check()
  }
  await rollAll(app)
  await build(app)
  for (const zone of zones) {
    await expectSame(on, metricNames, {
      from: iso(start - 2 * DAY),
      to: iso(start + 10 * DAY),
      period: "day",
      timezone: zone
    })
  }
  const total = await on.read("generation", { from: iso(start), to: iso(start + 9 * DAY), period: "day" })
  const apart = await on.read("generation", {
    from: iso(start),
    to: iso(start + 9 * DAY),
    period: "day",
    groupBy: "site"
  })
  for (const { timestamp, value } of total.data) {
    const values = apart.data.flatMap((point) => (point.timestamp === timestamp ? (point.value ?? []) : []))
    if (value === null) expect(values).toEqual([])
    else
      expect(value).toBeCloseTo(
        values.reduce((sum, each) => sum + each, 0),
        1
      )
  }
}

const guarantees = (app: TestApp) => {
  test.each(Array.from({ length: 3 }, (_, n) => seed + n))(
    "return the same as the devices, after any changes (seed %i)",
    (each) => throughRandomHomes(app, new Random(each))
  )

  test("are read instead of the devices, until a device changes", async () => {
    const on = await arrangeMetrics(app)
    const device = await on.device()
    const counted = (from: number, to: number, step: number) =>
      Array.from(
        { length: to - from + 1 },
        (_, n) => [start + (from + n) * HOUR, { power: 0, lifetimeEnergyGenerated: (from + n) * step }] as const
      )
    await on.send(device, counted(0, 72, 100))
    await rollAll(app)
    await build(app)
    const days = { from: iso(start), to: iso(start + 2 * DAY), period: "day" }
    expect(await on.values("generation", days)).toEqual([2400, 2400])
    await app.sql((sql) => sql`UPDATE fleet_sums SET amount = amount + 1000000 WHERE workspace_id = ${on.workspaceId}`)
    expect(await on.values("generation", days)).toEqual([2401, 2401])
    expect(await on.values("generation", { ...days, ...filters })).toEqual([2400, 2400])
    // A late reading takes the device out of the sums, and its rollup makes them invalid.
    await on.send(device, [[start + 30 * 60_000, { power: 0, lifetimeEnergyGenerated: 60 }]])
    expect(await on.values("generation", days)).toEqual([2401, 2401])
    await rollAll(app)
    expect(await on.values("generation", days)).toEqual([2400, 2400])
    await build(app)
    expect(await on.values("generation", days)).toEqual([2400, 2400])
  })

  test("are kept of every workspace with devices, however many there are", async () => {
    const on = await arrangeMetrics(app)
    await on.device()
    await app.sql(
      (sql) => sql`INSERT INTO workspaces SELECT 'b' || n, organization_id, 'Other ' || n, false, 'UTC', now(), now()
        FROM workspaces, generate_series(1000, 3500) AS n WHERE id = ${on.workspaceId}`
    )
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO workspace_device_counts SELECT id, shard, 1 FROM workspaces, generate_series(0, 1) AS shard
        WHERE id LIKE 'b%'`
    )
    await build(app)
    const [missing] = await app.sql(
      (
        sql
      ) => sql`SELECT count(*)::int AS n FROM workspaces WHERE id IN (SELECT workspace_id FROM workspace_device_counts)
        AND id NOT IN (SELECT workspace_id FROM fleets)`
    )
    expect(missing).toEqual({ n: 0 })
  })
}

// They take turns, because both run the same tests.
inTurn(
  1,
  () =>
    describePostgres("the sums of fleets on PostgreSQL", () => {
      const databases = useDatabases()
      guarantees(useTestApp({ databaseUrl: () => databases.url }))
    }),
  () =>
    describe("the sums of fleets on the embedded database", () => {
      guarantees(useTestApp({ own: true }))
    })
)
