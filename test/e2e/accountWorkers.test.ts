import { randomBytes } from "node:crypto"
import { credentialsPurpose } from "@edp/server/accounts/accountRow"
import { NONCE_BYTES, seal } from "@edp/server/platform/secrets/sealed"
import { Client } from "pg"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { eventually } from "../support/eventually.ts"
import { useDatabases } from "../support/Databases.ts"
import { type CloudCall, startCloud } from "../support/peers/ManufacturerCloud.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { sharedEncryptionKey, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { stopAll, times } from "./fleet.ts"

const key = Buffer.from(sharedEncryptionKey, "base64")
const newId = () => `c${randomBytes(12).toString("hex")}`

describePostgres("two instances over the accounts of one manufacturer", () => {
  const databases = useDatabases()
  let cloud: Awaited<ReturnType<typeof startCloud>>
  let database: Client
  let servers: Array<SpawnedServer>
  let workspaceId: string
  const start = () =>
    spawnServer({
      preload: "cloudAdapter",
      env: { DATABASE_URL: databases.url, EDP_CLOUD_BASE_URL: cloud.url }
    })
  beforeAll(async () => {
    // Tokens live for four seconds, so that they are renewed every other second.
    cloud = await startCloud({ expiresIn: 4, delayMs: 5 })
    servers = [await start()]
    workspaceId = servers[0]!.credentials.workspaceId
    servers.push(await start())
    database = new Client({ connectionString: databases.url })
    await database.connect()
  })
  afterEach(async () => {
    cloud.intercept({})
    await database.query("UPDATE account_work SET due_at = 'infinity', claim = NULL")
  })
  afterAll(async () => {
    await database.end()
    await stopAll(servers)
    cloud.stop()
  })

  /** A connected account with a device. Its first work is the renewal of its credentials. */
  const link = async () => {
    const [id, externalId] = [newId(), newId()]
    const { accessToken, refreshToken } = cloud.add(externalId)
    const secret = JSON.stringify({ accessToken, refreshToken })
    const sealed = Buffer.from(seal(key, randomBytes(NONCE_BYTES), credentialsPurpose(id), secret))
    await database.query(
      `INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
        sealed_credentials, expires_at, refresh_at, created_at, updated_at)
        VALUES ($1, $2, 'cloud', $3, 'Account', 'user-1', '{}', 'connected', $4, now(), now(), now(), now())`,
      [id, workspaceId, externalId, sealed]
    )
    await database.query(
      `INSERT INTO devices (id, workspace_id, origin_workspace_id, account_id, name, manufacturer, manufacturer_device_id,
        reference_id, model, type, commands, tags, direct, connected_at, created_at, updated_at)
        VALUES ($1, $2, $2, $3, 'Meter', 'cloud', $4, 'user-1', 'Meter', 'meter', '{}', '{}', false, now(), now(), now())`,
      [newId(), workspaceId, id, externalId]
    )
    await database.query(
      `INSERT INTO account_work (account_id, manufacturer, due_at, discover_at) VALUES ($1, 'cloud', now(), 'infinity')`,
      [id]
    )
    return { id, externalId, known: cloud.accounts.get(externalId)! }
  }
  const status = async (id: string) =>
    (await database.query("SELECT status FROM accounts WHERE id = $1", [id])).rows[0].status as string
  const connectedDevices = async (id: string) =>
    (await database.query("SELECT FROM devices WHERE account_id = $1 AND disconnected_at IS NULL", [id])).rowCount
  const openAlerts = async (id: string) =>
    (await database.query("SELECT FROM alerts WHERE external_id = $1 AND status = 'OPEN'", [`account ${id} grant`]))
      .rowCount
  const callsFor = (externalId: string) => cloud.calls.filter(({ account }) => account === externalId)
  const findServer = ({ worker }: CloudCall) => servers.find(({ pid }) => pid === worker)!

  /** Runs `act` on the worker whose refresh of the account has arrived, before or after the cloud has rotated its token. */
  const inRefresh = async (
    externalId: string,
    when: "before" | "after",
    act: (call: CloudCall) => Promise<"response" | "drop">
  ) => {
    const acted = Promise.withResolvers<CloudCall>()
    let isFirst = true
    cloud.intercept({
      [when]: (call: CloudCall) => {
        if (call.account !== externalId || call.path !== "/token" || !isFirst) return undefined
        isFirst = false
        return act(call).finally(() => acted.resolve(call))
      }
    })
    return acted.promise
  }

  test("never call for one account twice at once, and use each refresh token once", async () => {
    const accounts: Array<Awaited<ReturnType<typeof link>>> = []
    for (const _ of times(40)) accounts.push(await link())
    // Spread over an interval: those that are due together go to the instance that looks first.
    await database.query("UPDATE account_work SET due_at = now() + random() * interval '2 seconds' WHERE claim IS NULL")
    await eventually("each account is read and renewed several times", () =>
      accounts.every(({ known }) => known.reads >= 5 && known.refreshes >= 4) ? true : undefined
    )
    const tokens = cloud.calls.filter(({ path }) => path === "/token").map(({ token }) => token)
    expect(new Set(tokens).size).toBe(tokens.length)
    expect(cloud.overlaps).toEqual([])
    expect(new Set(cloud.calls.map(({ worker }) => worker)).size).toBe(2)
    const reads = cloud.calls.filter(({ path }) => path === "/devices").length
    const stored = await database.query("SELECT FROM readings")
    expect(stored.rowCount).toBeLessThanOrEqual(reads)
    expect(stored.rowCount).toBeGreaterThan(reads - 100)
  }, 120_000)

  test("leave an account to a worker that is stopped for a minute in the middle of its refresh", async () => {
    const { externalId, id, known } = await link()
    const frozen = await inRefresh(externalId, "after", async ({ worker }) => {
      process.kill(worker, "SIGSTOP")
      return "response"
    })
    try {
      await database.query("SELECT pg_sleep(60)")
      expect(callsFor(externalId)).toHaveLength(1)
      expect(known.refreshes).toBe(1)
    } finally {
      process.kill(frozen.worker, "SIGCONT")
    }
    await eventually("the account is read with the credentials that it brought", () =>
      known.reads > 0 ? true : undefined
    )
    expect(callsFor(externalId)[1]).toMatchObject({ path: "/devices", token: expect.any(String) })
    expect(await status(id)).toBe("connected")
    expect(cloud.overlaps).toEqual([])
  }, 150_000)

  test("connect an account again that failed while the worker with its new credentials was stopped", async () => {
    const { externalId, id, known } = await link()
    const frozen = await inRefresh(externalId, "after", async ({ worker }) => {
      process.kill(worker, "SIGSTOP")
      return "response"
    })
    try {
      // As after two minutes: the lease has ended, and the other worker tries the old credentials once.
      await database.query("UPDATE account_work SET due_at = now() WHERE account_id = $1", [id])
      await eventually("the account fails", async () => ((await status(id)) === "failed" ? true : undefined))
      expect(await connectedDevices(id)).toBe(0)
      expect(await openAlerts(id)).toBe(1)
      expect(callsFor(externalId)).toHaveLength(2)
    } finally {
      process.kill(frozen.worker, "SIGCONT")
    }
    await eventually("it is read again", () => (known.reads > 0 ? true : undefined))
    expect(await status(id)).toBe("connected")
    expect(await connectedDevices(id)).toBe(1)
    expect(await openAlerts(id)).toBe(0)
    expect(cloud.overlaps).toEqual([])
  }, 120_000)

  test("try the old credentials once after a crash before the manufacturer knew of the refresh, and go on", async () => {
    const { externalId, id, known } = await link()
    const killed = await inRefresh(externalId, "before", async (call) => {
      await findServer(call).kill9()
      return "drop"
    })
    cloud.forget(externalId)
    servers.splice(servers.indexOf(findServer(killed)), 1, await start())
    await database.query("UPDATE account_work SET due_at = now() WHERE account_id = $1", [id])
    await eventually("the account is read", () => (known.reads > 0 ? true : undefined))
    expect(known.refreshes).toBeGreaterThanOrEqual(1)
    expect(await status(id)).toBe("connected")
  }, 120_000)

  test("fail an account whose new credentials were lost in a crash, with one alert and one event", async () => {
    const { externalId, id, known } = await link()
    const killed = await inRefresh(externalId, "after", async (call) => {
      await findServer(call).kill9()
      return "drop"
    })
    cloud.forget(externalId)
    servers.splice(servers.indexOf(findServer(killed)), 1, await start())
    await database.query("UPDATE account_work SET due_at = now() WHERE account_id = $1", [id])
    await eventually("the account fails", async () => ((await status(id)) === "failed" ? true : undefined))
    expect(callsFor(externalId).map(({ path }) => path)).toEqual(["/token", "/token"])
    expect(known.reads).toBe(0)
    expect(await openAlerts(id)).toBe(1)
    const events = await database.query("SELECT type FROM events WHERE payload->'account'->>'id' = $1", [id])
    expect(events.rows).toEqual([{ type: "CONNECTION_FAILED" }])
  }, 120_000)
})
