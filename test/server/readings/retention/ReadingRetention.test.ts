import { metricTable } from "@edp/domain/metrics/Metric"
import { Client } from "pg"
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { type TestApp, useTestApp } from "../../../support/TestApp.ts"
import { arrangeMetrics, HOUR, iso, states } from "../../metrics/arrangeMetrics.ts"
import { RETENTION, retiring } from "../../metrics/retiring.ts"

const DAY = 24 * HOUR

/** The last month's end that lies three weeks back. */
const monthEnd = () => {
  const date = new Date(Date.now() - 21 * DAY)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}
const end = monthEnd()
const first = end - 35 * DAY
const last = end + 6 * DAY

/** Every so often, from then on through. */
const instants = (from: number, to: number, step: number) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step)

const wave = (at: number, period: number) => Math.round(1000 * Math.sin(at / period)) / 10

/** A home whose devices report over a month's end, and one that has fallen silent long before. */
const arrangeHome = async (app: TestApp) => {
  const on = await arrangeMetrics(app)
  const site = await on.site({ timezone: "America/New_York" })
  const solar = await on.device({ siteId: site.id })
  const battery = await on.device({ siteId: site.id, type: "battery" })
  const meter = await on.device({ type: "meter" })
  const silent = await on.device({ type: "meter" })
  const times = instants(first, last, 85 * 60_000 + 7123)
  await on.send(
    solar,
    times.map((at, n) => [
      at,
      { power: Math.abs(wave(at, 9e6)), ...(n % 3 === 0 ? { lifetimeEnergyGenerated: n * 71 } : {}) }
    ])
  )
  await on.send(
    battery,
    times.map((at) => [at, states.battery({ charge: 5000 + wave(at, 1e7), chargeRate: 10 * wave(at, 8e6) })])
  )
  await on.send(
    meter,
    times.map((at, n) => [at, states.metered(n * 113.007, n * 17)])
  )
  await on.send(
    silent,
    times.filter((at) => at < end - 5 * DAY).map((at, n) => [at, states.metered(n * 3, 0)])
  )
  const background = retiring(app)
  await background.rollAll()

  const history = async (id: string, query = "") => {
    const response = await on.get(`/v1/devices/${id}/history?from=${iso(first - DAY)}&order=asc&perPage=5${query}`)
    expect(response.status, response.text).toBe(200)
    return response.body
  }
  /** Every metric in every period and grouping, in a zone with an offset of quarter hours. */
  const everything = async () => {
    const span = (period: string) => ({
      from: iso(period === "15m" ? end - 3 * DAY : first - DAY),
      to: iso(period === "15m" ? end + 3 * DAY : last + DAY)
    })
    const found: Array<unknown> = []
    for (const metric of Object.keys(metricTable) as ReadonlyArray<keyof typeof metricTable>) {
      for (const period of ["15m", "hour", "day", "week", "month", "year"]) {
        const query = { ...span(period), period, timezone: "Asia/Kathmandu" }
        found.push([metric, query, (await on.read(metric, query)).data])
      }
      const local = { ...span("day"), period: "day", timezone: "America/New_York" }
      found.push([metric, local, (await on.read(metric, local)).data])
      for (const groupBy of ["device", "site"]) {
        found.push([metric, groupBy, (await on.read(metric, { ...span("day"), period: "day", groupBy })).data])
      }
    }
    return found
  }
  return { ...on, ...background, solar, battery, meter, silent, times, history, everything }
}

const drop = async ({ dropOld, letPass }: Pick<ReturnType<typeof retiring>, "dropOld" | "letPass">) => {
  if (!(await dropOld(end))) return
  await letPass()
  expect(await dropOld(end)).toBe(false)
}

const named = (at: number) => `readings_${iso(at).slice(0, 4)}${iso(at).slice(5, 7)}`

const guarantees = (app: () => TestApp) => {
  test("metrics are unchanged, histories begin with the remaining readings, states are kept, and dropped times are rejected", async () => {
    const home = await arrangeHome(app())
    const before = await home.everything()
    expect((await home.history(home.meter)).totalItems).toBe(home.times.length)
    await drop(home)
    expect((await home.months()).filter((name) => name < named(end))).toEqual([])
    expect(await home.months()).toContain(named(end))

    expect(await home.everything()).toEqual(before)
    const left = home.times.filter((at) => at >= end)
    const history = await home.history(home.meter)
    expect([history.totalItems, history.data[0].createdAt]).toEqual([left.length, iso(left[0]!)])
    expect((await home.history(home.meter, `&to=${iso(end)}`)).totalItems).toBe(0)
    expect(await home.history(home.silent)).toMatchObject({ data: [], totalItems: 0 })
    const { body: device } = await home.get(`/v1/devices/${home.silent}`)
    expect(device.state).toMatchObject({ createdAt: expect.any(String), power: 0 })

    const push = (id: string, at: number, state: object) =>
      app().call("POST", `/devices/${id}/telemetry`, {
        key: home.keys.MANUFACTURER,
        body: { readings: [{ timestamp: iso(at), state }] }
      })
    const refused = await push(home.meter, end - 1, states.metered(1, 1))
    expect([refused.status, refused.body.details["readings.0.timestamp"]]).toEqual([
      400,
      `Must not be before ${iso(end)}: older readings have been dropped`
    ])
    expect(await home.everything()).toEqual(before)
    expect((await push(home.meter, end + 1, states.metered(1, 1))).status).toBe(200)
    expect((await home.history(home.meter)).totalItems).toBe(left.length + 1)
    const found = await app().call("GET", "/dashboard/api/kept-readings", { key: home.keys.MANAGEMENT })
    expect(found.body).toEqual({ retentionDays: RETENTION, droppedBefore: iso(end), oldestAt: iso(end + 1) })
  })
}

const env = { EDP_TELEMETRY_RETENTION: `${RETENTION} days` }

describe("readings older than the retention are dropped from the embedded database:", () => {
  const app = useTestApp({ env })
  guarantees(() => app)
})

describePostgres("readings older than the retention are dropped from PostgreSQL:", () => {
  const databases = useDatabases()
  /** Somebody else, whose transactions are open while months are dropped. */
  let stranger: Client
  beforeAll(async () => {})
  beforeEach(async () => {
    stranger = new Client({ connectionString: databases.url })
    await stranger.connect()
  })
  afterEach(() => stranger.end())
  const app = useTestApp({ env, databaseUrl: () => databases.url })
  guarantees(() => app)
})
