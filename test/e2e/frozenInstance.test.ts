import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Reply, callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import type { SpawnedServer } from "../support/spawnServer.ts"
import { type Receiver, startReceiver } from "../support/peers/webhookReceiver.ts"
import { readCredentials, startAll, stopAll, times } from "./fleet.ts"

const WRITERS = 8

/** Transactions that have been idle for a while and hold back all later events. */
const abandoned = `SELECT FROM pg_stat_activity JOIN pg_locks USING (pid)
  WHERE datname = current_database() AND state = 'idle in transaction'
  AND state_change < clock_timestamp() - interval '250 milliseconds' AND locktype = 'advisory' AND mode = 'ShareLock' AND classid::bigint >> 16 = x'6576'::bigint`

describePostgres("an instance that freezes inside transactions", () => {
  const databases = useDatabases()
  let database: Client
  let servers: ReadonlyArray<SpawnedServer>
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await startReceiver()
    servers = await startAll(2, {
      DATABASE_URL: databases.url,
      EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
      EDP_RATE_LIMIT_WRITE: "1000000"
    })
    database = new Client({ connectionString: databases.url })
    await database.connect()
  })
  afterAll(async () => {
    await database.end()
    await stopAll(servers)
    await receiver.stop()
  })

  const count = async (statement: string, ...values: ReadonlyArray<unknown>) =>
    (await database.query(statement, [...values])).rowCount!

  test("delays no delivery of another instance while it is frozen, and leaves no partial change", async () => {
    const { serverKey: key } = readCredentials(servers)
    const [frozen, other] = servers as [SpawnedServer, SpawnedServer]
    const destination = { destinationType: "WEBHOOK", eventTypes: ["CUSTOMER_CREATED"], url: receiver.url }
    expect((await callAt(other.baseUrl, "POST", "/v1/destinations", { key, body: destination })).status).toBe(201)

    const responses = new Map<string, Reply>()
    const writers = { on: true }
    const create = async (at: SpawnedServer, referenceId: string) =>
      responses.set(referenceId, await callAt(at.baseUrl, "POST", "/v1/customers", { key, body: { referenceId } }))
    // A server that was frozen may close connections that were idle for too long before it reads a request that arrived meanwhile.
    const lost: Array<string> = []
    const writing = times(WRITERS).map(async (writer) => {
      for (let n = 0; writers.on; n++) {
        const referenceId = `frozen ${writer} ${n}`
        await create(frozen, referenceId).catch((error: Error) => {
          expect(error.cause).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET)$/) })
          lost.push(referenceId)
        })
      }
    })

    await eventually("it freezes inside a transaction", async () => {
      process.kill(frozen.pid, "SIGSTOP")
      // Statements that it had already sent have finished by then.
      await database.query("SELECT pg_sleep(0.3)")
      if ((await count(abandoned)) > 0) return true
      process.kill(frozen.pid, "SIGCONT")
      return undefined
    })
    writers.on = false
    try {
      const late = times(5).map((n) => `late ${n}`)
      for (const referenceId of late) await create(other, referenceId)
      await eventually("what happens on the other instance is delivered", () =>
        late.every((reference) => receiver.received.some(({ event }) => event.data.customer.referenceId === reference))
          ? true
          : undefined
      )
      expect(await count(abandoned)).toBe(0)
    } finally {
      process.kill(frozen.pid, "SIGCONT")
    }
    await Promise.all(writing)
    expect((await create(frozen, "thawed")).get("thawed")!.status).toBe(201)

    const refused = [...responses.values()].filter(({ status }) => status !== 201)
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [502, "SERVICE_UNAVAILABLE"])
    )
    expect(refused.length).toBeGreaterThan(0)
    const { rows } = await database.query<{ reference_id: string }>("SELECT reference_id FROM customers")
    const stored = rows.map((row) => row.reference_id)
    expect(new Set(stored).size).toBe(stored.length)
    for (const [referenceId, { status }] of responses)
      expect([referenceId, stored.includes(referenceId)]).toEqual([referenceId, status === 201])
    expect(lost.length).toBeLessThanOrEqual(WRITERS)
    expect(stored.filter((referenceId) => !responses.has(referenceId) && !lost.includes(referenceId))).toEqual([])
    await eventually("exactly the customers that are stored are reported", () => {
      const reported = new Set(receiver.received.map(({ event }) => event.data.customer.referenceId))
      return stored.every((reference) => reported.has(reference)) && reported.size === stored.length ? true : undefined
    })
  })
})
