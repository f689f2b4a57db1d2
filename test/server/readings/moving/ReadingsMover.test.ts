import { afterAll, beforeAll, expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import {
  type ClickHouseServer,
  describeClickHouse,
  startClickHouse
} from "../../../support/clickhouse/ClickHouseServer.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { inTurn } from "../../../support/rounds.ts"
import { type TestApp, useTestApp } from "../../../support/TestApp.ts"
import { HOUR, iso, states } from "../../metrics/arrangeMetrics.ts"
import { RETENTION } from "../../metrics/retiring.ts"
import { arrangeHome, border, first, last, moving } from "./archiving.ts"

const DAY = 24 * HOUR

/** A PostgreSQL or an embedded database with its archive, for the tests of a suite. */
const useArchive = (databaseUrl?: () => string) => {
  const server: { current: ClickHouseServer | undefined } = { current: undefined }
  const app = useTestApp({
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    env: { EDP_TELEMETRY_RETENTION: `${RETENTION} days` },
    clickHouseUrl: async () => (server.current = await startClickHouse()).url
  })
  afterAll(() => server.current?.close())
  return { app, clickHouse: () => server.current! }
}

const archived = async (server: ClickHouseServer, deviceId: string) => {
  const [row] = await server.rows(`SELECT count() FROM edp_readings FINAL WHERE device_id = '${deviceId}'`)
  return Number(row![0])
}

const guarantees = (app: TestApp, clickHouse: () => ClickHouseServer) => {
  const mover = moving(app)

  test("histories, their totals and metrics are the same before a move, in its middle and after it", async () => {
    const home = await arrangeHome(app)
    const [histories, metrics] = [await home.histories(), await home.metrics()]
    /** The readings as `edp export` pages through them, and their number in an archive of the workspace. */
    const exported = async () => {
      const body = { deviceIds: [home.meter, home.solar], from: iso(first), to: iso(last + 1) }
      const { readings } = (await app.call("POST", "/dashboard/api/reading-pages", { key: home.keys.SERVER, body }))
        .body
      const at = "/dashboard/api/workspace-exports"
      const key = home.keys.MANAGEMENT
      const started = await app.call("POST", at, {
        key,
        body: { workspaceId: home.workspaceId, passphrase: "correct horse battery staple" }
      })
      const { text } = await app.call("GET", `${at}/${started.body.id}`, { key })
      const { parts } = JSON.parse(text.slice(text.lastIndexOf('{"parts":'), text.lastIndexOf("]}") + 2))
      const rows = parts.filter((part: any) => part.table === "readings").map((part: any) => part.rows)
      return { readings, filed: rows.reduce((sum: number, n: number) => sum + n, 0) }
    }
    const before = await exported()
    expect(before.readings.length).toBeGreaterThan(100)
    expect(await mover.move()).toBe(true)
    await mover.letPass()
    // The first month is in both.
    expect(await home.histories()).toEqual(histories)
    expect(await home.metrics()).toEqual(metrics)
    expect(await exported()).toEqual(before)
    await mover.moveAll()
    expect(await mover.stored()).toBe(0)
    expect(await archived(clickHouse(), home.meter)).toBe(home.times.filter((at) => at < border).length)
    expect(await home.histories()).toEqual(histories)
    expect(await home.metrics()).toEqual(metrics)
    expect(await exported()).toEqual(before)
  })

  test("late readings of archived days are taken once, are seen at once, change metrics and move", async () => {
    const home = await arrangeHome(app)
    const late = home.times.filter((at) => at > first + DAY && at < border - DAY).slice(0, 400)
    const state = (n: number) => states.metered(n * 7.5, n)
    const other = await home.device({ type: "meter" })
    const own = await home.device({ type: "meter" })
    const kept = home.times.filter((at) => !late.includes(at))
    const of = (at: number) => state(home.times.indexOf(at))
    await home.send(
      other,
      home.times.map((at) => [at, of(at)])
    )
    await home.send(
      own,
      kept.map((at) => [at, of(at)])
    )
    await home.rollAll()
    await mover.moveAll()

    const pushed = await home.push(
      own,
      [...late, kept[3]!].map((at) => [at, of(at)])
    )
    expect([pushed.status, pushed.body.accepted, pushed.body.duplicates]).toEqual([200, 400, 1])
    const again = await home.push(
      own,
      late.slice(0, 5).map((at) => [at, states.metered(1, 1)])
    )
    expect([again.body.accepted, again.body.duplicates]).toEqual([0, 5])
    const readings = async (id: string) =>
      ((await home.walk(id, "order=asc&perPage=97")) as ReadonlyArray<{ readonly id: string }>).map((reading) => ({
        ...reading,
        id: ""
      }))
    const compare = async () => {
      expect(await readings(own)).toEqual(await readings(other))
      for (const page of [1, 3, 9]) {
        const totals = async (id: string) => {
          const { data, ...rest } = (await home.history(id, `order=desc&perPage=53&page=${page}`)).body
          return [data.map((each: { createdAt: string }) => each.createdAt), rest]
        }
        expect(await totals(own)).toEqual(await totals(other))
      }
      const values = async (id: string) =>
        (await home.read("consumption", { from: iso(first), to: iso(last), period: "day", deviceId: id })).data.map(
          ({ timestamp, value, coverage }) => [timestamp, value, coverage]
        )
      expect(await values(own)).toEqual(await values(other))
    }
    await compare()
    await home.rollAll()
    await compare()
    await mover.moveAll()
    expect(await mover.stored()).toBe(0)
    expect(await archived(clickHouse(), own)).toBe(home.times.filter((at) => at < border).length)
    await compare()
  })

  test("a removed device's readings are deleted, and not shown when it comes back before that", async () => {
    const home = await arrangeHome(app)
    await mover.moveAll()
    expect(await archived(clickHouse(), home.meter)).toBeGreaterThan(100)
    expect((await home.call("DELETE", `/v1/devices/${home.meter}`)).status).toBe(204)
    await mover.deleteHistories()
    const { workspaceId } = home
    await app.sql((sql) => sql`UPDATE devices SET workspace_id = ${workspaceId} WHERE id = ${home.meter}`)
    await home.push(home.meter, [[first + DAY, states.metered(1, 1)]])
    const found = (await home.walk(home.meter, "order=asc&perPage=97")) as ReadonlyArray<{ createdAt: string }>
    expect(found.map(({ createdAt }) => createdAt)).toEqual([iso(first + DAY)])
    await mover.moveAll()
    expect(await archived(clickHouse(), home.meter)).toBe(1)
    expect(await home.walk(home.meter, "order=asc&perPage=97")).toEqual(found)
    expect(await archived(clickHouse(), home.solar)).toBeGreaterThan(100)
  })

  test("the audit log says when the readings of a deleted workspace are gone", async () => {
    const home = await arrangeHome(app)
    await mover.moveAll()
    const { workspaceId } = home
    const other = await app.workspace(home.organizationId)
    const management = other.keys.MANAGEMENT
    const removed = await app.call("DELETE", `/v1/workspaces/${workspaceId}`, { key: management })
    expect(removed.status, removed.text).toBe(204)
    const recorded = async () =>
      (await app.call("GET", "/v1/audit-logs", { key: management })).body.data.map(
        (record: { action: string; workspaceId: string }) => [record.action, record.workspaceId]
      )
    await mover.moveAll()
    expect(await recorded()).toEqual([["workspace.delete", workspaceId]])
    await mover.deleteHistories()
    await mover.moveAll()
    expect(await recorded()).toEqual([
      ["workspace.erase", workspaceId],
      ["workspace.delete", workspaceId]
    ])
    expect(await archived(clickHouse(), home.meter)).toBe(0)
  })

  test("old readings are dropped from the archive once their retention has ended, and metrics stay", async () => {
    const home = await arrangeHome(app)
    await mover.moveAll()
    const metrics = await home.metrics()
    const keptFrom = Date.UTC(new Date(border).getUTCFullYear(), new Date(border).getUTCMonth() - 1)
    await home.dropOld(keptFrom)
    await home.letPass()
    await home.dropOld(keptFrom)
    await mover.moveAll()
    const [row] = await clickHouse().rows(
      `SELECT count() FROM edp_readings WHERE at < fromUnixTimestamp64Milli(${keptFrom})`
    )
    expect(row).toEqual([0])
    expect(await home.metrics()).toEqual(metrics)
    const left = home.times.filter((at) => at >= keptFrom)
    const { body } = await home.history(home.meter, "order=asc&perPage=5")
    expect([body.totalItems, body.data[0].createdAt]).toEqual([left.length, iso(left[0]!)])
  })
}

inTurn(
  1,
  () =>
    describeClickHouse("the archive of an embedded database", () => {
      const { app, clickHouse } = useArchive()
      guarantees(app, clickHouse)
    }),
  () =>
    describeClickHouse("the archive of a PostgreSQL server", () => {
      describePostgres("with readings", () => {
        const databases = useDatabases()
        const { app, clickHouse } = useArchive(() => databases.url)
        guarantees(app, clickHouse)
      })
    })
)

describeClickHouse("an archive that does not respond", () => {
  const { app, clickHouse } = useArchive()
  const mover = moving(app)
  let home: Awaited<ReturnType<typeof arrangeHome>>
  beforeAll(async () => {
    home = await arrangeHome(app)
    await mover.moveAll()
  })

  test("fails only what needs it, takes late readings, and takes readings again when it is back", async () => {
    const server = clickHouse()
    if (server.stop === undefined) return
    await server.stop()
    const past = await home.get(`/v1/devices/${home.meter}/history?from=${iso(first)}&to=${iso(last)}&order=asc`)
    expect(past.status).toBe(503)
    expect(past.body).toEqual({
      code: "SERVICE_UNAVAILABLE",
      message: `The archive of readings is not available; readings from ${iso(border)} on are. Try again`
    })
    expect(past.headers.get("retry-after")).toBe("30")
    const present = await home.get(`/v1/devices/${home.meter}/history?from=${iso(border)}&to=${iso(last)}`)
    expect(present.status, present.text).toBe(200)
    const days = { from: iso(first - DAY), to: iso(last + DAY), period: "day" } as const
    await home.read("consumption", days)

    const late = home.times[7]! + 1
    const pushed = await home.push(home.meter, [
      [late, states.metered(1, 1)],
      [home.times[8]!, states.metered(2, 2)]
    ])
    expect([pushed.status, pushed.body.accepted]).toEqual([200, 2])
    const now = await home.push(home.meter, [[last + HOUR, states.metered(90_000_000, 90_000)]])
    expect(now.status).toBe(200)
    await expect(mover.move()).rejects.toThrow(/archive of readings is not available/u)

    await server.start()
    await expect.poll(() => mover.move().catch(() => true), { timeout: 20_000 }).toBe(false)
    expect(await mover.stored()).toBe(0)
    const found = (await home.walk(home.meter, "order=asc&perPage=97")) as ReadonlyArray<{
      createdAt: string
      importedEnergy: number
    }>
    expect(found.map(({ createdAt }) => createdAt)).toEqual(
      [...home.times, late, last + HOUR].toSorted((one, other) => one - other).map(iso)
    )
    // The reading that was archived first stays.
    expect(found[9]!.importedEnergy).toBe(8 * 113.007)
  })
})

describeClickHouse("the archive before its first month", () => {
  const { app, clickHouse } = useArchive()

  test("a device whose energies are not rolled up delays a month by a week at most, and keeps its energies", async () => {
    const mover = moving(app)
    const home = await arrangeHome(app)
    const [rolled, unrolled] = [await home.device({ type: "meter" }), await home.device({ type: "meter" })]
    const sent = home.times.map((at, n) => [at, states.metered(n * 7.5, n)] as const)
    await home.send(rolled, sent)
    await home.rollAll()
    await home.send(unrolled, sent)
    const energies = async (deviceId: string) =>
      (await home.read("consumption", { from: iso(first), to: iso(last), period: "day", deviceId })).data.map(
        ({ timestamp, value, coverage }) => [timestamp, value, coverage]
      )
    const known = await energies(rolled)
    expect(known.length).toBeGreaterThan(50)
    for (let runs = 0; runs < 6; runs++) {
      expect(await mover.move()).toBe(true)
      await mover.letPass()
    }
    expect(await mover.stored()).toBeGreaterThan(0)
    await mover.moveAll(43)
    expect(await mover.stored()).toBe(0)
    for (const id of [rolled, unrolled])
      expect(await archived(clickHouse(), id)).toBe(home.times.filter((at) => at < border).length)
    expect(await energies(unrolled)).toEqual(known)
    await home.rollAll()
    expect(await energies(unrolled)).toEqual(known)
    expect(await energies(rolled)).toEqual(known)
  })
})
