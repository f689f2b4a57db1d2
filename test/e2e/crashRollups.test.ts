import { Client } from "pg"
import { afterEach, beforeEach, expect, test } from "vitest"
import { recomputed } from "../server/metrics/recomputed.ts"
import { callAt } from "../support/callAt.ts"
import { testSeed } from "../support/rounds.ts"
import { eventually } from "../support/eventually.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { Random } from "../support/Random.ts"
import { type Credentials, spawnServer } from "../support/spawnServer.ts"
import { untilLockWait } from "../support/races.ts"

const DAY = 86_400_000

/** Which months are dropped depends on today's date: readings end a week ago and begin two months before that. */
const today = Math.floor(Date.now() / DAY) * DAY
const first = today - 68 * DAY
const last = today - 8 * DAY
const RETENTION = 9

const iso = (at: number) => new Date(at).toISOString()
const round = (amount: bigint) => Number((amount + 500n) / 1000n) / 1000

interface Reading {
  readonly at: number
  readonly state: { readonly power: number; readonly importedEnergy: number }
}

/** A meter's readings, with occasional counter resets. */
const someReadings = (random: Random): ReadonlyArray<Reading> => {
  const readings: Array<Reading> = []
  let importedEnergy = 0
  for (let at = first; at < last; at += 1 + random.below(5 * 3_600_000)) {
    importedEnergy = random.chance(0.01) ? random.below(100) : importedEnergy + random.below(5_000_000) / 1000
    readings.push({ at, state: { power: random.below(4000) - 1000, importedEnergy } })
  }
  return readings
}

/** The readings in the order in which they arrive, some of them days late. */
const mixed = (random: Random, readings: ReadonlyArray<Reading>) => {
  const order = readings.map((reading, place) => ({ reading, place: place + random.next() * 30 }))
  return order.toSorted((one, other) => one.place - other.place).map(({ reading }) => reading)
}

describePostgres(`kill -9 of the service (seed ${testSeed})`, () => {
  const databases = useDatabases()
  /** A session that holds locks, so that the service waits until it is killed. */
  let stranger: Client
  let url: string
  beforeEach(async () => {
    url = await databases.create()
    stranger = new Client({ connectionString: url })
    await stranger.connect()
  })
  afterEach(() => stranger.end())

  const start = (env: Readonly<Record<string, string>> = {}) => spawnServer({ env: { DATABASE_URL: url, ...env } })
  const ask = async (sql: string) => (await stranger.query(sql)).rows[0]

  const somebodyWaits = () => untilLockWait(url, "the service waits for the stranger")
  const allRolled = () =>
    eventually("everything is rolled up", async () => {
      // The claim of a killed process expires after a minute.
      await ask(
        "UPDATE device_states SET roll_claimed_at = roll_claimed_at - interval '1 hour' WHERE roll_claim IS NOT NULL"
      )
      return (await ask("SELECT count(*)::int AS n FROM device_states WHERE unrolled")).n === 0 ? true : undefined
    })

  const makeMeters = async (baseUrl: string, { manufacturerKey, serverKey }: Credentials, count: number) => {
    const create = async (path: string, key: string, body: object) =>
      (await callAt(baseUrl, "POST", path, { key, body })).body.id as string
    const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    const siteId = await create("/v1/sites", serverKey, { address })
    const models = await callAt(baseUrl, "GET", "/v1/device-models?manufacturer=generic&type=meter", { key: serverKey })
    const deviceModelId = models.body.data[0].id
    return Promise.all(
      Array.from({ length: count }, (_, n) =>
        create("/devices", manufacturerKey, { manufacturerDeviceId: `meter-${n}`, deviceModelId, siteId })
      )
    )
  }
  const push = async (baseUrl: string, key: string, id: string, readings: ReadonlyArray<Reading>) => {
    const body = { readings: readings.map(({ at, state }) => ({ timestamp: iso(at), state })) }
    const response = await callAt(baseUrl, "POST", `/devices/${id}/telemetry`, { key, body })
    expect(response.status, response.text).toBe(200)
  }
  /** Compares the service's response for each day with a computation from all readings. */
  const expectTold = async (baseUrl: string, key: string, sent: ReadonlyMap<string, ReadonlyArray<Reading>>) => {
    const bounds = Array.from({ length: (today - first) / DAY + 1 }, (_, n) => first + n * DAY)
    const query = `period=day&timezone=UTC&groupBy=device&from=${iso(first)}&to=${iso(today)}`
    const { body, text } = await callAt(baseUrl, "GET", `/v1/metrics/consumption?${query}`, { key })
    for (const [id, readings] of sent) {
      const points = body.data.filter(({ deviceId }: { readonly deviceId: string }) => deviceId === id)
      const { amounts, covered } = recomputed("meter", null, readings, bounds).energy.get("imported")!
      // A counter's energy over a gap is exact, although its coverage is low.
      const expected = amounts.map((amount, day) => (covered[day]! > 0 || Number(amount) !== 0 ? round(amount) : null))
      expect(
        points.map(({ value }: { readonly value: number | null }) => value),
        text.slice(0, 300)
      ).toEqual(expected)
    }
  }

  test("during a rollup changes no response, neither before nor after the rollup is repeated", async () => {
    const random = new Random(testSeed)
    const server = await start()
    const { credentials } = server
    const ids = await makeMeters(server.baseUrl, credentials, 3)
    const sent = new Map(ids.map((id) => [id, mixed(random, someReadings(random))]))
    await stranger.query("BEGIN")
    await stranger.query("LOCK TABLE energy_rollups IN SHARE MODE")
    for (const [id, readings] of sent)
      await push(server.baseUrl, credentials.manufacturerKey, id, readings.slice(0, 200))
    await somebodyWaits()
    await server.kill9()
    await stranger.query("COMMIT")

    const second = await start()
    await stranger.query("BEGIN")
    await stranger.query("LOCK TABLE energy_rollups IN SHARE MODE")
    for (const [id, readings] of sent) await push(second.baseUrl, credentials.manufacturerKey, id, readings.slice(200))
    await expectTold(second.baseUrl, credentials.serverKey, sent)
    await somebodyWaits()
    await second.kill9()
    await stranger.query("COMMIT")

    const third = await start()
    await expectTold(third.baseUrl, credentials.serverKey, sent)
    await allRolled()
    await expectTold(third.baseUrl, credentials.serverKey, sent)
    expect(await third.stop()).toBe(0)
  })

  test("at any step of dropping old months changes no response, and the next start continues", async () => {
    const random = new Random(testSeed)
    const server = await start()
    const { credentials } = server
    // More devices than one step copies.
    const ids = await makeMeters(server.baseUrl, credentials, 55)
    const readings = mixed(random, someReadings(random)).slice(0, 150)
    const sent = new Map(ids.map((id) => [id, readings]))
    await Promise.all(ids.map((id) => push(server.baseUrl, credentials.manufacturerKey, id, readings)))
    await allRolled()
    await expectTold(server.baseUrl, credentials.serverKey, sent)
    expect(await server.stop()).toBe(0)

    const env = { EDP_TELEMETRY_RETENTION: `${RETENTION} days` }
    const frozen = () => ask("SELECT frozen_at IS NOT NULL AS done FROM readings_floor WHERE kept_from > '1970-02-01'")
    await stranger.query("BEGIN")
    await stranger.query("SELECT FROM device_states ORDER BY device_id DESC LIMIT 1 FOR UPDATE")
    const second = await start(env)
    await somebodyWaits()
    expect((await ask("SELECT count(*)::int AS n FROM kept_readings")).n).toBeGreaterThan(0)
    expect(await frozen()).toEqual({ done: false })
    await expectTold(second.baseUrl, credentials.serverKey, sent)
    await second.kill9()
    await stranger.query("COMMIT")

    const third = await start(env)
    await eventually("the rollups need no old reading", async () => ((await frozen()).done ? true : undefined))
    await expectTold(third.baseUrl, credentials.serverKey, sent)
    await third.kill9()
    // Long enough ago that no query still reads the dropped months.
    await ask("UPDATE readings_floor SET frozen_at = frozen_at - interval '1 hour'")

    const fourth = await start(env)
    await eventually("the months are dropped", async () =>
      (
        await ask(`SELECT count(*)::int AS n FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'readings'::regclass
          AND relname < 'readings_' || to_char((SELECT kept_from FROM readings_floor) AT TIME ZONE 'UTC', 'YYYYMM')`)
      ).n === 0
        ? true
        : undefined
    )
    await expectTold(fourth.baseUrl, credentials.serverKey, sent)
    expect(fourth.stdout()).toContain("are dropped")
    expect(await fourth.stop()).toBe(0)
  })
})
