import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { describePgbouncer, readRoleSettings, startPgbouncer } from "../support/failover/Pgbouncer.ts"
import { withClient } from "../support/failover/withClient.ts"
import { startReceiver } from "../support/peers/webhookReceiver.ts"
import { type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { runServer, spawnServer } from "../support/spawnServer.ts"

describePgbouncer("behind pgbouncer", () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false })
  })
  afterAll(() => postgres.stop())

  const refusal = async (url: string) => {
    const { code, stderr } = await runServer({ env: { DATABASE_URL: url } })
    expect(code).toBe(1)
    return stderr
  }

  test("transaction mode is refused at each start with one line", async () => {
    const pooler = await startPgbouncer(await postgres.createDatabase(), "transaction")
    for (const _ of [1, 2])
      expect(await refusal(pooler.url)).toMatch(
        /^edp: the pooler at 127\.0\.0\.1:\d+ is in transaction mode, [^\n]+\n$/
      )
    await pooler.stop()
  })

  test("session mode serves, delivers events and listens, once the role has the settings of sessions", async () => {
    const database = await postgres.createDatabase()
    const pooler = await startPgbouncer(database, "session")
    expect(await refusal(pooler.url)).toMatch(
      /^edp: the pooler at 127\.0\.0\.1:\d+ ignores settings of sessions: [^\n]+: idle_in_transaction_session_timeout, jit, lock_timeout, statement_timeout\n$/
    )
    await withClient(database, await readRoleSettings())
    const receiver = await startReceiver()
    // A new pooler has no process that began before the role had its settings.
    await pooler.stop()
    const whole = await startPgbouncer(database, "session")
    const server = await spawnServer({ env: { DATABASE_URL: whole.url, EDP_ALLOW_PRIVATE_DESTINATIONS: "true" } })
    const { serverKey } = server.credentials
    const create = (path: string, body: object) => callAt(server.baseUrl, "POST", path, { key: serverKey, body })
    const destination = { destinationType: "WEBHOOK", url: receiver.url, eventTypes: ["CUSTOMER_CREATED"] }
    expect(await create("/v1/destinations", destination)).toMatchObject({ status: 201 })
    const customer = await create("/v1/customers", { firstName: "Ada" })
    expect(customer.status).toBe(201)
    await eventually("the event is delivered", () =>
      receiver.received.some(({ event }) => event.data?.customer?.id === customer.body.id) ? true : undefined
    )
    const listening = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^LISTEN'`
    expect((await withClient(database, listening)).rows).toHaveLength(1)
    expect(await server.stop()).toBe(0)
    await whole.stop()
    await receiver.stop()
  })
})
