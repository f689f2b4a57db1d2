import { migrations } from "@edp/server/platform/sql/migrationList"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describePostgres, type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { onPostgres } from "../server/platform/sql/postgres.ts"

/**
 * Migrations after this one are checked. It stays where it is: a later migration that fails the check is written anew. Before it, indexes were built
 * on commands, a table that no release had.
 */
const baseline = "0073_look_up_taken_settings"

const rowsEach = Number(process.env["EDP_TEST_ROWS"] ?? 5_000_000)
const longestWaitMs = 2000

/** The large tables: how they are filled, and what a caller writes and reads meanwhile. `n` is the number of a row. */
const tables = {
  readings: {
    // Ten a second, which fit into a month.
    into: "readings (device_id, at, id, state)",
    values: `'d' || n % 10, date_trunc('month', now()) + n / 10 * interval '100 milliseconds', 'r' || n,
      jsonb_build_object('power', n % 5000, 'lifetimeEnergyGenerated', n)`,
    read: "SELECT at FROM readings WHERE device_id = 'd1' ORDER BY at DESC LIMIT 1"
  },
  events: {
    into: "events (id, sequence, workspace_id, type, subject, device_id, created_at, payload)",
    values: `'e' || n, n, 'w1', 'DEVICE_UPDATED', 'd' || n % 1000, 'd' || n % 1000, date_trunc('day', now()) + n * interval '10 milliseconds',
      jsonb_build_object('device', jsonb_build_object('id', 'd' || n % 1000))`,
    read: "SELECT sequence FROM events WHERE workspace_id = 'w1' ORDER BY sequence DESC LIMIT 1"
  },
  commands: {
    into: "commands (id, workspace_id, device_id, type, input, source, status, issued_at, expires_at, due_at, deadline, executed_at)",
    values: `'c' || lpad(n::text, 9, '0'), 'w1', 'd' || n % 1000, 'battery:set-reserve', '{"chargePercentage": 20}', 'user', 'completed', now(), now(),
      'infinity', '-infinity', now()`,
    read: "SELECT id FROM commands WHERE workspace_id = 'w1' ORDER BY id DESC LIMIT 1"
  }
} as const

const insert = ({ into, values }: (typeof tables)[keyof typeof tables], from: number, to: number) =>
  `INSERT INTO ${into} SELECT ${values} FROM generate_series(${from}, ${to}) AS n`

/** The records that a row refers to are missing, which foreign keys would refuse. The locks of a statement are the same. */
const connect = async (url: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("SET session_replication_role = replica")
  return client
}

const fill = async (url: string) => {
  const client = await connect(url)
  try {
    await client.query(`SELECT ensure_readings_partition(date_trunc('month', now())::date)`)
    await client.query(`SELECT ensure_events_partition(now()::date)`)
    for (const table of Object.values(tables)) await client.query(insert(table, 1, rowsEach))
    await client.query("ANALYZE")
  } finally {
    await client.end()
  }
}

/** The number of the newest row. */
let newest = rowsEach

/** Writes to the tables and reads them until it is stopped, and returns the longest wait for each statement. */
const useTables = (url: string) => {
  const ending = new AbortController()
  const longest: Record<string, number> = {}
  const use = async (name: string, statement: () => string) => {
    const client = await connect(url)
    while (!ending.signal.aborted) {
      const begun = performance.now()
      await client.query(statement())
      longest[name] = Math.max(longest[name] ?? 0, performance.now() - begun)
    }
    await client.end()
  }
  const users = Object.entries(tables).flatMap(([name, table]) => [
    use(`insert into ${name}`, () => insert(table, ++newest, newest)),
    use(`select from ${name}`, () => table.read)
  ])
  return async () => {
    ending.abort()
    await Promise.all(users)
    return longest
  }
}

type List = Parameters<typeof Migrations.runMigrations>[0]

const upTo = (last: string): List => Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= last))

const bad: List = {
  ...migrations,
  "9999_index_commands": Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.asVoid(sql.unsafe("CREATE INDEX commands_by_input ON commands (md5(input::text))"))
  )
}

describePostgres(`migrations of tables with ${rowsEach} rows`, () => {
  let postgres: PostgresServer
  let adminUrl: string
  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false, settings: { max_wal_size: "8GB", synchronous_commit: "off" } })
    await Effect.runPromise(onPostgres(postgres.url, Migrations.runMigrations(upTo(baseline))))
    adminUrl = postgres.adminUrl.replace(/[^/]*$/u, "edp")
    await fill(adminUrl)
  }, 1_800_000)
  afterAll(() => postgres?.stop())

  /** The statements that wait for too long while migrations are applied, each with its time. */
  const findWaits = async (list: List) => {
    const stop = useTables(adminUrl)
    try {
      const applied = await Effect.runPromise(onPostgres(postgres.url, Migrations.runMigrations(list)))
      expect(applied.length).toBeGreaterThan(0)
    } catch (error) {
      await stop()
      throw error
    }
    const longest = Object.entries(await stop()).map(([name, ms]) => [name, Math.round(ms)] as const)
    process.stderr.write(`Longest waits, ms: ${JSON.stringify(Object.fromEntries(longest))}\n`)
    return longest.filter(([, ms]) => ms > longestWaitMs)
  }

  test(`after ${baseline} let callers wait for ${longestWaitMs} ms at most`, async () => {
    expect(await findWaits(migrations)).toEqual([])
  }, 1_800_000)

  test("are found by this check if they index a large table that has rows", async () => {
    const waits = (await findWaits(bad)).map(([name]) => name)
    expect(waits).toEqual(["insert into commands"])
  }, 1_800_000)
})
