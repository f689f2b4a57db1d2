import { metricTable } from "@edp/domain/metrics/Metric"
import { ReadingsMover } from "@edp/server/readings/moving/ReadingsMover"
import { WorkspaceRemoval } from "@edp/server/readings/retention/WorkspaceRemoval"
import { Clock, Effect, Logger } from "effect"
import { afterAll, expect, test } from "vitest"
import {
  type ClickHouseServer,
  describeClickHouse,
  startClickHouse
} from "../../../support/clickhouse/ClickHouseServer.ts"
import { type TestApp, useTestApp } from "../../../support/TestApp.ts"
import { arrangeMetrics, HOUR, iso, states } from "../../metrics/arrangeMetrics.ts"
import { clockAt } from "../../metrics/measuring.ts"
import { retiring, RETENTION } from "../../metrics/retiring.ts"
import { arrangeHome, border, first, last, moving } from "../moving/archiving.ts"

const DAY = 24 * HOUR
const env = { EDP_TELEMETRY_RETENTION: `${RETENTION} days` }

/** The retention of workspaces, with the background work done when a test says so. */
const limiting = (app: TestApp) => {
  const path = (workspaceId: string) => `/dashboard/api/workspaces/${workspaceId}/reading-retention`
  return {
    read: (workspaceId: string, key: string) => app.call("GET", path(workspaceId), { key }),
    save: (workspaceId: string, key: string, body: object) => app.call("PUT", path(workspaceId), { key, body }),
    removeOld: (at: number) =>
      app.run(
        Effect.flatMap(WorkspaceRemoval, ({ removeOld }) => removeOld).pipe(
          Effect.provideService(Clock.Clock, clockAt(at)),
          Effect.provide(Logger.layer([]))
        )
      ),
    /** Lets the time pass in which every instance learns of a retention. */
    letPass: () => app.sql((sql) => sql`UPDATE workspace_retentions SET changed_at = changed_at - interval '1 hour'`),
    stored: async (deviceId: string, before: number) => {
      const [row] = await app.sql(
        (sql) => sql<{ readonly n: number; readonly bytes: number }>`SELECT count(*)::int AS n,
          coalesce(sum(pg_column_size(r.*)), 0)::int AS bytes FROM readings r
          WHERE device_id = ${deviceId} AND at < ${new Date(before)}`
      )
      return row!
    }
  }
}

const app = useTestApp({ env })
const { letPass, read, removeOld, save, stored } = limiting(app)

test("a workspace's readings go by type exactly at the day, as a dry run names them, and metrics stay", async () => {
  const home = await arrangeMetrics(app)
  const other = await arrangeMetrics(app, home.organizationId)
  const meter = await home.device({ type: "meter" })
  const second = await home.device({ type: "meter" })
  const charger = await home.device({ type: "charger" })
  const solar = await home.device({ type: "inverter" })
  const stranger = await other.device({ type: "meter" })

  const now = Date.now()
  /** The clock at which a day begins to be older than the retention. */
  const turn = Math.floor((now - HOUR) / DAY) * DAY + HOUR
  const [meterBorder, chargerBorder] = [turn - HOUR - 20 * DAY, turn - HOUR - 10 * DAY]
  const times = [
    ...Array.from({ length: 320 }, (_, n) => now - 45 * DAY + n * (3 * HOUR + 7123)),
    ...[meterBorder, chargerBorder].flatMap((at) => [at - 1, at])
  ].toSorted((one, another) => one - another)
  for (const [on, id] of [
    [home, meter],
    [home, second],
    [other, stranger]
  ] as const)
    await on.send(
      id,
      times.map((at, n) => [at, states.metered(n * 113.007, n * 17)])
    )
  await home.send(
    charger,
    times.map((at, n) => [at, states.charger(1000 + (n % 7) * 100)])
  )
  await home.send(
    solar,
    times.map((at, n) => [at, states.counted(n * 71)])
  )
  await retiring(app).rollAll()

  const history = async (on: typeof home, id: string) => {
    const found = await on.get(`/v1/devices/${id}/history?from=${iso(now - 50 * DAY)}&order=asc&perPage=100`)
    return { total: found.body.totalItems as number, first: found.body.data[0]?.createdAt as string }
  }
  const histories = async () => ({
    meter: await history(home, meter),
    second: await history(home, second),
    charger: await history(home, charger),
    solar: await history(home, solar),
    stranger: await history(other, stranger)
  })
  const metrics = async () => {
    const found: Array<unknown> = []
    for (const metric of Object.keys(metricTable) as ReadonlyArray<keyof typeof metricTable>)
      for (const period of ["hour", "day", "month"])
        found.push([
          metric,
          (await home.read(metric, { from: iso(now - 46 * DAY), to: iso(now), period, groupBy: "device" })).data
        ])
    return found
  }
  /** The oldest events of the devices' readings, which refer to these for their states. */
  const events = async () => {
    const found = await home.get(`/v1/events?type=DEVICE_UPDATED&deviceId=${charger}&after=0&perPage=100`)
    return found.body.data as ReadonlyArray<{ data: { state: object } }>
  }
  const before = { histories: await histories(), metrics: await metrics(), events: await events() }
  expect(JSON.stringify(before.events[0])).toContain("chargerWattage")
  expect(before.histories.meter.total).toBe(times.length)

  const key = home.keys.MANAGEMENT
  const settings = { retentionDays: 20, retentionDaysByType: { charger: 10, inverter: RETENTION } }
  const refused = await save(home.workspaceId, key, {
    retentionDays: 6,
    retentionDaysByType: { charger: 6.5 }
  })
  expect([refused.status, Object.keys(refused.body.details)]).toEqual([
    400,
    ["retentionDays", "retentionDaysByType.charger"]
  ])
  const unknown = await save(home.workspaceId, key, {
    retentionDays: RETENTION + 1,
    retentionDaysByType: { chargers: 90 }
  })
  expect([unknown.status, unknown.body.details]).toEqual([
    400,
    {
      retentionDays: `Must be at most the ${RETENTION} days of EDP_TELEMETRY_RETENTION`,
      "retentionDaysByType.chargers": expect.stringContaining("Must be one of battery, charger")
    }
  ])
  const abroad = await app.workspace()
  expect((await save(home.workspaceId, abroad.keys.MANAGEMENT, settings)).status).toBe(404)
  expect((await read(home.workspaceId, abroad.keys.MANAGEMENT)).status).toBe(404)

  const dry = await save(home.workspaceId, key, { ...settings, dryRun: true })
  expect(dry.status, dry.text).toBe(200)
  const removals = new Map<string, any>(dry.body.removals.map((each: any) => [each.deviceType, each]))
  const older = (limit: number) => times.filter((at) => at < limit)
  const named = (limit: number, devices: number, bytes: number) => ({
    before: iso(limit),
    devices,
    readings: older(limit).length * devices,
    from: iso(times[0]!),
    to: iso(limit - 1),
    bytes,
    reason: null
  })
  const bytes = async (limit: number, ...ids: ReadonlyArray<string>) =>
    (await Promise.all(ids.map((id) => stored(id, limit)))).reduce((sum, each) => sum + each.bytes, 0)
  expect(removals.get("meter")).toMatchObject(named(meterBorder, 2, await bytes(meterBorder, meter, second)))
  expect(removals.get("charger")).toMatchObject(named(chargerBorder, 1, await bytes(chargerBorder, charger)))
  expect(removals.get("inverter")).toMatchObject({ devices: 0, readings: 0, from: null, to: null, bytes: 0 })
  expect((await read(home.workspaceId, key)).body).toMatchObject({
    retentionDays: null,
    retentionDaysByType: {},
    removals: null
  })

  expect((await save(home.workspaceId, key, settings)).status).toBe(200)
  const logs = await app.call("GET", `/v1/audit-logs?workspaceId=${home.workspaceId}&action=workspace.update`, { key })
  expect(logs.body.data.map((log: any) => [log.before, log.after])).toEqual([
    [{ retentionDays: null, retentionDaysByType: {} }, settings]
  ])

  // Other instances may not know the retention yet, and would take readings that are removed.
  await removeOld(turn)
  expect(await histories()).toEqual(before.histories)

  // The rollups are behind a reading that arrived just before the retention.
  await letPass()
  await app.sql(
    (sql) => sql`UPDATE device_states SET unrolled = true, stale = tstzmultirange(tstzrange(
    ${new Date(times[0]!)}::timestamptz, ${new Date(times[9]!)}::timestamptz)) WHERE device_id = ${meter}`
  )
  await removeOld(turn)
  expect((await histories()).meter).toEqual(before.histories.meter)
  expect((await histories()).charger.first).toBe(iso(chargerBorder))
  await retiring(app).rollAll()

  // The database goes away while the second meter's readings are deleted.
  await app.sql((sql) =>
    sql.unsafe(`CREATE FUNCTION go_away() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'gone' USING ERRCODE = '57P01'; END $$`)
  )
  await app.sql((sql) =>
    sql.unsafe(`CREATE TRIGGER go_away BEFORE DELETE ON readings FOR EACH ROW
      WHEN (OLD.device_id = '${second}' AND OLD.at < '${iso(meterBorder - DAY)}') EXECUTE FUNCTION go_away()`)
  )
  await removeOld(turn)
  expect((await stored(meter, meterBorder)).n).toBe(0)
  expect((await stored(second, meterBorder)).n).toBeGreaterThan(100)
  const after = {
    ...before.histories,
    meter: { total: times.length - older(meterBorder).length, first: iso(meterBorder) },
    second: { total: times.length - older(meterBorder).length, first: iso(meterBorder) },
    charger: { total: times.length - older(chargerBorder).length, first: iso(chargerBorder) }
  }
  expect(await histories()).toEqual(after)
  const pages = await app.call("POST", "/dashboard/api/reading-pages", {
    key: home.keys.SERVER,
    body: { deviceIds: [second], from: iso(now - 50 * DAY), to: iso(now) }
  })
  expect(pages.body.readings[0].timestamp).toBe(iso(meterBorder))
  await app.sql((sql) => sql.unsafe("DROP TRIGGER go_away ON readings"))
  await removeOld(turn)
  expect((await stored(second, meterBorder)).n).toBe(0)
  expect((await stored(stranger, meterBorder)).n).toBe(older(meterBorder).length)
  expect(await histories()).toEqual(after)
  expect(await metrics()).toEqual(before.metrics)
  expect(await events()).toEqual(before.events)
  expect((await read(home.workspaceId, key)).body.removedBefore).toMatchObject({
    meter: iso(meterBorder),
    charger: iso(chargerBorder)
  })
  const again = await save(home.workspaceId, key, { ...settings, dryRun: true })
  expect(again.body.removals.map((each: any) => each.readings)).toEqual(again.body.removals.map(() => 0))

  const push = (on: typeof home, id: string, at: number, state: object) =>
    app.call("POST", `/devices/${id}/telemetry`, {
      key: on.keys.MANUFACTURER,
      body: { readings: [{ timestamp: iso(at), state }] }
    })
  const late = await push(home, charger, now - 11 * DAY, states.charger(1))
  expect([late.status, late.body.details]).toEqual([
    400,
    { "readings.0.timestamp": "Must be within the 10 days for which readings are kept" }
  ])
  const reading = { timestamp: iso(now - 21 * DAY), state: states.metered(1, 1) }
  const bulk = await app.call("POST", "/devices/telemetry", {
    key: home.keys.MANUFACTURER,
    body: { readings: [{ deviceId: meter, ...reading }] }
  })
  expect(bulk.body.errors).toMatchObject([{ code: "VALIDATION_ERROR", message: expect.stringContaining("20 days") }])
  expect((await push(other, stranger, now - 21 * DAY, states.metered(1, 1))).status).toBe(200)

  // Nothing that was removed can be sent again once the retention is longer.
  expect((await save(home.workspaceId, key, {})).status).toBe(200)
  const removed = await push(home, charger, chargerBorder - 1, states.charger(1))
  expect(removed.body.details).toEqual({
    "readings.0.timestamp": `Must not be before ${iso(chargerBorder)}: older readings have been dropped`
  })
  expect((await push(home, charger, chargerBorder + 1, states.charger(1))).status).toBe(200)
})

describeClickHouse("with an archive", () => {
  const server: { current: ClickHouseServer | undefined } = { current: undefined }
  const archiving = useTestApp({ env, clickHouseUrl: async () => (server.current = await startClickHouse()).url })
  afterAll(() => server.current?.close())

  test("a workspace's archived readings go by type, and metrics and other histories stay", async () => {
    const limits = limiting(archiving)
    const home = await arrangeHome(archiving)
    await moving(archiving).moveAll()
    const metrics = await home.metrics()
    const walk = (id: string) => home.walk(id, "order=asc&perPage=97") as Promise<ReadonlyArray<{ createdAt: string }>>
    const before = { meter: await walk(home.meter), silent: await walk(home.silent), solar: await walk(home.solar) }

    const turn = Math.floor((Date.now() - HOUR) / DAY) * DAY + HOUR
    const keptFrom = border - 10 * DAY
    const settings = { retentionDaysByType: { meter: (turn - HOUR - keptFrom) / DAY } }
    const key = home.keys.MANAGEMENT
    const dry = await limits.save(home.workspaceId, key, { ...settings, dryRun: true })
    expect(dry.status, dry.text).toBe(200)
    const [removal] = dry.body.removals
    await limits.save(home.workspaceId, key, settings)
    await limits.letPass()
    await limits.removeOld(turn)

    const kept = (all: typeof before.meter) => all.filter(({ createdAt }) => Date.parse(createdAt) >= keptFrom)
    expect(await walk(home.meter)).toEqual(kept(before.meter))
    expect(await walk(home.silent)).toEqual(kept(before.silent))
    const gone = before.meter.length + before.silent.length - kept(before.meter).length - kept(before.silent).length
    expect(removal).toMatchObject({
      deviceType: "meter",
      devices: 2,
      readings: gone,
      from: before.meter[0]!.createdAt,
      bytes: null,
      reason: expect.stringContaining("are in the archive")
    })

    const inArchive = async (until: number) => {
      const [row] = await server.current!.rows(`SELECT count() FROM edp_readings FINAL
        WHERE device_id IN ('${home.meter}', '${home.silent}') AND at < fromUnixTimestamp64Milli(${until})`)
      return Number(row![0])
    }
    const month = new Date(keptFrom)
    const firstOfMonth = Date.UTC(month.getUTCFullYear(), month.getUTCMonth())
    expect(await inArchive(firstOfMonth)).toBeGreaterThan(10)
    await archiving.run(Effect.flatMap(ReadingsMover, (mover) => mover.move))
    expect(await inArchive(firstOfMonth)).toBe(0)
    expect(await inArchive(last)).toBeGreaterThan(10)
    expect(await walk(home.meter)).toEqual(kept(before.meter))
    expect(await walk(home.solar)).toEqual(before.solar)
    expect(first).toBeLessThan(firstOfMonth)
    expect(await home.metrics()).toEqual(metrics)
  })
})
