import { fileURLToPath } from "node:url"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  type ClickHouseServer,
  describeClickHouse,
  startClickHouse
} from "../../../support/clickhouse/ClickHouseServer.ts"
import { useDatabases } from "../../../support/Databases.ts"
import { launch } from "../../../support/launch.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { untilLockWait } from "../../../support/races.ts"
import { Random } from "../../../support/Random.ts"
import { rounds, testSeed } from "../../../support/rounds.ts"

const DAY = 86_400_000
const script = fileURLToPath(new URL("moveInProcess.ts", import.meta.url))

/** The start of the month before the last one: all of it is old. */
const month = (() => {
  const date = new Date()
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 3)
})()
const DEVICES = 7
const READINGS = 60

const digits = (n: number, length: number) => `${n}`.padStart(length, "0")

interface Row {
  readonly deviceId: string
  readonly at: number
  readonly id: string
  readonly state: string
}

const suite = () => {
  const databases = useDatabases()
  let server: ClickHouseServer
  let heard: (event: string) => void = () => undefined
  beforeAll(async () => {
    server = await startClickHouse()
    server.onStatement((event) => heard(event))
  })
  afterAll(() => server.close())

  const random = new Random(testSeed)
  let issued = 0

  /** Runs a move on a database of its own, which `disturb` may kill, and then one to its end. Every reading is somewhere exactly once. */
  const killed = async (
    disturb: (run: {
      readonly kill: () => void
      readonly exited: Promise<unknown>
      readonly url: string
    }) => Promise<void>
  ) => {
    const url = await databases.create()
    const client = new Client({ connectionString: url })
    await client.connect()
    const round = ++issued
    const make = (device: number, n: number): Row => ({
      deviceId: `c${digits(round, 4)}${digits(device, 20)}`,
      at: month + n * 600_000 + device,
      id: `c${(month + n * 600_000).toString(36).padStart(8, "0")}${digits(round, 4)}${digits(device, 4)}${digits(n, 8)}`,
      state: JSON.stringify({ power: n * 1.5, note: `it's "${n}" é\\` }, null, 1).replaceAll(/\n */gu, " ")
    })
    const insert = async (rows: ReadonlyArray<Row>) => {
      const { rows: stored } = await client.query(
        `INSERT INTO readings (device_id, at, id, state) SELECT d, to_timestamp(a / 1000), i, s::jsonb
          FROM unnest($1::text[], $2::float8[], $3::text[], $4::text[]) AS r (d, a, i, s) RETURNING id, state::text AS state`,
        [
          rows.map(({ deviceId }) => deviceId),
          rows.map(({ at }) => at),
          rows.map(({ id }) => id),
          rows.map(({ state }) => state)
        ]
      )
      return stored.map(({ id, state }) => `${id} ${state}`)
    }
    try {
      await client.query("SELECT ensure_readings_partition($1::date)", [new Date(month).toISOString().slice(0, 10)])
      const expected = await insert(
        Array.from({ length: DEVICES * READINGS }, (_, n) => make(n % DEVICES, Math.floor(n / DEVICES)))
      )
      const run = () =>
        launch(process.execPath, ["--conditions=@edp/source", script], {
          env: { ...process.env, DATABASE_URL: url, EDP_CLICKHOUSE_URL: server.url, EDP_HOT_DAYS: "35 days" }
        })
      const first = await run()
      let late: Promise<ReadonlyArray<string>> = Promise.resolve([])
      const lateAfter = random.below(8)
      let events = 0
      const disturbed = disturb({ kill: () => first.kill("SIGKILL"), exited: first.exited, url })
      const listening = heard
      heard = (event) => {
        if (events++ === lateAfter) late = insert([make(random.below(DEVICES), READINGS + 1)])
        listening(event)
      }
      await first.exited
      await disturbed
      heard = () => undefined
      expected.push(...(await late))

      const inDatabase = async () => {
        const { rows } = await client.query("SELECT id, state::text AS state FROM readings WHERE at < $1", [
          new Date(month + 31 * DAY)
        ])
        return rows.map(({ id, state }) => `${id} ${state}`)
      }
      const { rows: shown } = await client.query("SELECT 1 FROM archive_border")
      if (shown.length === 0) expect((await inDatabase()).toSorted()).toEqual(expected.toSorted())

      const last = await run()
      await last.printed(/^moved$/mu)
      await last.exited
      expect(await inDatabase()).toEqual([])
      const archived = await server.rows(
        `SELECT toUnixTimestamp64Milli(at) + delay, suffix, count, state FROM edp_readings FINAL
          WHERE startsWith(device_id, 'c${digits(round, 4)}')`
      )
      const found = archived.map(
        ([at, suffix, count, state]) =>
          `c${Number(at).toString(36).padStart(8, "0")}${suffix}${Number(count).toString(36).padStart(3, "0")} ${state}`
      )
      expect(found.toSorted()).toEqual(expected.toSorted())
      const { rows: left } = await client.query(
        "SELECT 'noted' FROM archive_changes UNION ALL SELECT 'moving' FROM archive_moves"
      )
      expect(left).toEqual([])
    } finally {
      heard = () => undefined
      await client.end()
    }
  }

  /** Kills at a random statement of a kind, before or after it. */
  const atStatement = (kind: string, most: number) => () =>
    killed(async ({ exited, kill }) => {
      const wanted = `${random.chance(0.5) ? "begin" : "end"} ${kind}`
      let left = 1 + random.below(most)
      heard = (event) => {
        if (event === wanted && --left === 0) kill()
      }
      await exited
    })

  const repeated = async (times: number, round: () => Promise<void>) => {
    for (let n = 0; n < times; n++) await round()
  }

  test.skipIf(process.env["EDP_TEST_CLICKHOUSE_URL"] !== undefined)(
    "a process that is killed while it copies",
    () => repeated(rounds(2), atStatement("INSERT", 8)),
    600_000
  )
  test.skipIf(process.env["EDP_TEST_CLICKHOUSE_URL"] !== undefined)(
    "a process that is killed while it compares",
    () => repeated(rounds(2), atStatement("SELECT", 25)),
    600_000
  )
  test(
    "a process that is killed while it drops",
    () =>
      repeated(rounds(2), () =>
        killed(async ({ kill, url }) => {
          const stranger = new Client({ connectionString: url })
          await stranger.connect()
          await stranger.query("BEGIN")
          await stranger.query("LOCK TABLE ONLY readings IN ACCESS SHARE MODE")
          await untilLockWait(url, "the drop waits", { statement: "%drop_archived_partition%" })
          if (random.chance(0.5)) await stranger.query("ROLLBACK")
          kill()
          await stranger.end()
        })
      ),
    600_000
  )
}

describeClickHouse(`the move of readings loses and doubles nothing (seed ${testSeed})`, () => {
  describePostgres("on PostgreSQL", suite)
})
