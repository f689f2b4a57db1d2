import { randomUUID } from "node:crypto"
import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { atOnce } from "../support/races.ts"

const waitingForAlerts = `FROM pg_locks JOIN pg_database ON pg_database.oid = database
  WHERE datname = current_database() AND relation = 'alerts'::regclass AND NOT granted`

const unlimited = {
  EDP_RATE_LIMIT_READ: "1000000",
  EDP_RATE_LIMIT_WRITE: "1000000"
}

describePostgres("four processes on one database", () => {
  const databases = useDatabases()
  let servers: ReadonlyArray<SpawnedServer>
  let database: Client
  let key: string
  let siteId: string

  beforeAll(async () => {
    const env = { ...unlimited, DATABASE_URL: databases.url }
    const first = await spawnServer({ env })
    servers = [first, ...(await Promise.all([1, 2, 3].map(() => spawnServer({ env }))))]
    key = first.credentials.serverKey
    database = new Client({ connectionString: databases.url })
    await database.connect()
    const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    siteId = (await callAt(first.baseUrl, "POST", "/v1/sites", { key, body: { address } })).body.id
  })
  afterAll(async () => {
    await database.end()
    await Promise.all(servers.map((server) => server.stop()))
  })

  /** Each POST creates an alert, unless its header marks it as a repetition. */
  const alert = (title: string) => ({ siteId, title, sourceSystem: "watch", severity: "INFO" })
  const post = (server: SpawnedServer, title: string, signal?: AbortSignal) =>
    fetch(`${server.baseUrl}/v1/alerts`, {
      method: "POST",
      headers: { "Service-Api-Key": key, "Content-Type": "application/json", "Idempotency-Key": title },
      body: JSON.stringify(alert(title)),
      ...(signal !== undefined && { signal })
    }).then(async (response) => ({
      status: response.status,
      text: await response.text(),
      replayed: response.headers.get("idempotency-replayed")
    }))
  const listAlerts = async (title: string) =>
    (await database.query("SELECT id FROM alerts WHERE title = $1", [title])).rows.map(({ id }) => id)

  /** Nobody can write alerts until `release`. */
  const holdAlerts = async () => {
    const other = new Client({ connectionString: databases.url })
    await other.connect()
    await other.query("BEGIN; LOCK TABLE alerts IN ACCESS EXCLUSIVE MODE")
    const waiting = () =>
      eventually("a request waits for the table", async () => {
        const { rows } = await other.query(`SELECT 1 ${waitingForAlerts}`)
        return rows.length > 0 ? true : undefined
      })
    return { waiting, release: () => other.query("COMMIT").then(() => other.end()) }
  }

  test("50 concurrent repetitions of a POST have one effect and one response", async () => {
    for (let round = 0; round < 10; round++) {
      const title = randomUUID()
      const replies = await atOnce(50, (n) => post(servers[n % 4]!, title))
      expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
      expect(replies[0]!.status).toBe(201)
      expect(replies.filter(({ replayed }) => replayed === null)).toHaveLength(1)
      expect(await listAlerts(title)).toEqual([JSON.parse(replies[0]!.text).id])
    }
  })

  test("50 concurrent different POSTs have 50 effects", async () => {
    const titles = Array.from({ length: 50 }, () => randomUUID())
    const replies = await Promise.all(titles.map((title, n) => post(servers[n % 4]!, title)))
    expect(replies.map(({ status, replayed }) => `${status} ${replayed}`)).toEqual(titles.map(() => "201 null"))
    for (const title of titles) expect(await listAlerts(title)).toHaveLength(1)
  })

  test("a repetition at another process waits for the first request, even if its caller has disconnected", async () => {
    const title = randomUUID()
    const { waiting, release } = await holdAlerts()
    const caller = new AbortController()
    const first = post(servers[0]!, title, caller.signal).catch(() => "gone")
    await waiting()
    caller.abort()
    expect(await first).toBe("gone")
    const again = post(servers[1]!, title)
    await release()
    expect(await again).toMatchObject({ status: 201, replayed: "true" })
    expect(await listAlerts(title)).toHaveLength(1)
  })

  test("a killed process leaves a claim: repetitions get 502 while it holds, and have the effect after that", async () => {
    const title = randomUUID()
    const { waiting, release } = await holdAlerts()
    const doomed = await spawnServer({ env: { ...unlimited, DATABASE_URL: databases.url } })
    const first = post(doomed, title).catch(() => "gone")
    await waiting()
    await doomed.kill9()
    expect(await first).toBe("gone")
    // Its session would still run the last statement: end it as well, as when a machine dies.
    await database.query(`SELECT pg_terminate_backend(pid) ${waitingForAlerts}`)
    const leaseEnds = (moment: string) =>
      database.query("UPDATE idempotent_answers SET expires_at = $1::timestamptz WHERE status IS NULL", [moment])
    await leaseEnds("infinity")
    expect((await post(servers[1]!, title)).status).toBe(502)
    await leaseEnds("now")
    const again = post(servers[2]!, title)
    await release()
    expect(await again).toMatchObject({ status: 201, replayed: null })
    expect(await listAlerts(title)).toHaveLength(1)
  })

  test("a request that outlasts its claim's lease keeps the claim, while repetitions wait", async () => {
    const title = randomUUID()
    const { waiting, release } = await holdAlerts()
    const first = post(servers[0]!, title)
    await waiting()
    await eventually("the claim would have ended", async () => {
      const { rows } = await database.query(
        "SELECT 1 FROM idempotent_answers WHERE status IS NULL AND expires_at <= now()"
      )
      return rows.length > 0 ? true : undefined
    })
    const again = post(servers[1]!, title)
    await eventually("the other process has looked for the claim", async () => {
      const { rows } = await database.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
          AND query LIKE '%expires_at <= now() AS expired%' AND pid <> pg_backend_pid()`
      )
      return rows.length > 0 ? true : undefined
    })
    await release()
    expect((await first).status).toBe(201)
    expect(await again).toMatchObject({ status: 201, replayed: "true" })
    expect(await listAlerts(title)).toHaveLength(1)
  })
})
