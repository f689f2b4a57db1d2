import { randomBytes, randomUUID } from "node:crypto"
import { appendFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { credentialsPurpose } from "@edp/server/accounts/accountRow"
import { NONCE_BYTES, seal } from "@edp/server/platform/secrets/sealed"
import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { describeServer } from "../support/describeServer.ts"
import { useDatabases } from "../support/Databases.ts"
import { eventually } from "../support/eventually.ts"
import { findProgram } from "../support/failover/findProgram.ts"
import { withClient } from "../support/failover/withClient.ts"
import { callHost, type HostOptions, startCells } from "../support/peers/cellsProxy.ts"
import { startCommandCloud } from "../support/peers/CommandCloud.ts"
import { type Receiver, startReceiver } from "../support/peers/webhookReceiver.ts"
import { sharedEncryptionKey, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { readHistory } from "./crash/home.ts"
import { edpProgram } from "./edp.ts"
import { stopAll, times } from "./fleet.ts"

const host = "home.example.com"
const batteries = 5
/** Readings that the workspace has before its move. docs/scale.md has the measured pauses by this number. */
const stored = Number(process.env["EDP_CELLS_READINGS"] ?? 20_000)
/** docs/scale.md promises callers a shorter time without service, in milliseconds. */
const longestPause = 30_000
const newId = () => `c${randomBytes(12).toString("hex")}`
const timeAt = (n: number) => new Date(Date.UTC(2024, 0, 1) + n * 1000).toISOString()
const limits = { EDP_RATE_LIMIT_READ: "1000000", EDP_RATE_LIMIT_WRITE: "1000000", EDP_RATE_LIMIT_BULK: "1000000" }

type Proxy = Awaited<ReturnType<typeof startCells>>

/** Callers of one workspace by its host name. What fails is tried again. */
class Callers {
  readonly readings = new Set<string>()
  readonly customers = new Set<string>()
  readonly commands = new Set<string>()
  readonly events: Array<{ readonly sequence: number; readonly type: string; readonly data: any }> = []
  readonly refusals = new Set<string>()
  /** The newest success of each kind of call, and the longest time without one. */
  readonly #newest = new Map<string, number>()
  readonly longest = new Map<string, number>()
  readonly #send: (method: string, path: string, options: HostOptions) => ReturnType<typeof callHost>
  readonly #keys: { readonly server: string; readonly manufacturer: string }
  readonly #ending = new AbortController()
  readonly #running: Array<Promise<void>> = []
  #number = 0

  constructor(proxy: Proxy, name: string, keys: { readonly server: string; readonly manufacturer: string }) {
    this.#send = (method, path, options) => callHost(proxy.port, name, method, path, options)
    this.#keys = keys
  }

  async #call(kind: string, method: string, path: string, options: HostOptions = {}) {
    const response = await this.#send(method, path, { key: this.#keys.server, ...options })
    const now = performance.now()
    if (response.status < 300) {
      this.longest.set(kind, Math.max(this.longest.get(kind) ?? 0, now - (this.#newest.get(kind) ?? now)))
      this.#newest.set(kind, now)
      return response.body
    }
    this.refusals.add(`${response.status} ${response.body?.code}`)
    await setTimeout(50)
    return undefined
  }

  async #untilAcknowledged(kind: string, path: string, body: object) {
    const headers = { "idempotency-key": randomUUID() }
    for (;;) {
      const created = await this.#call(kind, "POST", path, { body, headers })
      if (created !== undefined) return created.id as string
    }
  }

  start(deviceId: string, batteryIds: ReadonlyArray<string>) {
    const { manufacturer } = this.#keys
    const steps = [
      async () => {
        const timestamp = timeAt(stored + this.#number++)
        const body = { timestamp, state: { power: 1 } }
        if (await this.#call("readings", "POST", `/devices/${deviceId}/telemetry`, { key: manufacturer, body }))
          this.readings.add(timestamp)
      },
      async () =>
        this.customers.add(
          await this.#untilAcknowledged("customers", "/v1/customers", { firstName: `${this.#number++}` })
        ),
      async () => {
        if (batteryIds.length === 0) return setTimeout(50)
        const n = this.#number++
        const path = `/v1/devices/${batteryIds[n % batteryIds.length]}/commands`
        const body = { type: "battery:set-reserve", input: { chargePercentage: n % 100 } }
        this.commands.add(await this.#untilAcknowledged("commands", path, body))
        return setTimeout(50)
      },
      () => this.#call("lists", "GET", "/v1/devices?perPage=100"),
      async () => {
        const after = this.events.at(-1)?.sequence ?? 0
        const page = await this.#call("events", "GET", `/v1/events?after=${after}&perPage=100`)
        this.events.push(...(page?.data ?? []))
      }
    ]
    for (const step of steps)
      this.#running.push(
        (async () => {
          while (!this.#ending.signal.aborted) await step()
        })()
      )
  }

  async end() {
    this.#ending.abort()
    await Promise.all(this.#running)
  }
}

const isThere = inject("postgres") !== null && findProgram("haproxy") !== undefined

describeServer("PostgreSQL or HAProxy", isThere, "two cells behind HAProxy", () => {
  const databases = useDatabases()
  let servers: ReadonlyArray<SpawnedServer> = []
  /** The database of the second cell. */
  let target: string
  let proxy: Proxy
  let receiver: Receiver
  let cloud: Awaited<ReturnType<typeof startCommandCloud>>
  beforeAll(async () => {
    ;[receiver, cloud] = await Promise.all([startReceiver(), startCommandCloud(10)])
    const start = (database: string, more: Readonly<Record<string, string>>) =>
      spawnServer({
        preload: "commandCloudAdapter",
        env: {
          ...limits,
          DATABASE_URL: database,
          EDP_TRUSTED_PROXIES: "127.0.0.1",
          EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
          EDP_COMMANDCLOUD_BASE_URL: cloud.url,
          EDP_COMMANDCLOUD_HOLDS_CONNECTIONS: "yes",
          ...more
        }
      })
    const otherKey = { EDP_ENCRYPTION_KEY: randomBytes(32).toString("base64") }
    target = await databases.create()
    const [a, b] = await Promise.all([start(databases.url, {}), start(target, otherKey)])
    const second = await start(databases.url, {})
    servers = [a, b, second]
    proxy = await startCells(
      {
        "cell-a": { servers: [a, second], profile: a.credentials },
        "cell-b": { servers: [b], profile: b.credentials }
      },
      edpProgram
    )
  }, 120_000)
  afterAll(async () => {
    await proxy?.stop()
    await stopAll(servers)
    cloud?.stop()
    await receiver?.stop()
  }, 60_000)

  /** A workspace of the first cell with a device that is pushed to. */
  const arrange = async (name: string) => {
    const [{ baseUrl, credentials }] = servers as [SpawnedServer, SpawnedServer, SpawnedServer]
    const create = async (path: string, key: string, body: object) => {
      const response = await callAt(baseUrl, "POST", path, { key, body })
      expect(response.status, response.text).toBe(201)
      return response.body
    }
    const { id: workspaceId } = await create("/v1/workspaces", credentials.managementKey, { name })
    const newKey = async (body: object) =>
      (await create("/v1/api-keys", credentials.managementKey, { name, workspaceId, ...body })).key as string
    const server = await newKey({ type: "SERVER" })
    const manufacturer = await newKey({ type: "MANUFACTURER", manufacturerScope: ["generic"] })
    const models = await callAt(baseUrl, "GET", "/v1/device-models?manufacturer=generic&type=meter", { key: server })
    const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    const { id: siteId } = await create("/v1/sites", server, { address })
    const device = { manufacturerDeviceId: `meter of ${name}`, deviceModelId: models.body.data[0].id, siteId }
    const { id: deviceId } = await create("/devices", manufacturer, device)
    return { workspaceId: workspaceId as string, deviceId: deviceId as string, keys: { server, manufacturer }, create }
  }

  /** A connected battery of the manufacturer that records commands. */
  const link = async (workspaceId: string) => {
    const [accountId, deviceId, name] = [newId(), newId(), newId()]
    const key = Buffer.from(sharedEncryptionKey, "base64")
    const sealed = Buffer.from(seal(key, randomBytes(NONCE_BYTES), credentialsPurpose(accountId), "{}"))
    await withClient(databases.url, {
      text: `WITH account AS (
        INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status, sealed_credentials, created_at, updated_at)
        VALUES ($1, $2, 'commandcloud', $3, 'Account', 'user-1', '{}', 'connected', $4, now(), now()))
      INSERT INTO devices (id, workspace_id, origin_workspace_id, account_id, name, manufacturer, manufacturer_device_id, reference_id, model, type,
        commands, tags, direct, connected_at, created_at, updated_at)
      VALUES ($5, $2, $2, $1, 'Battery', 'commandcloud', $3, 'user-1', 'Battery', 'battery', '{battery:set-reserve}', '{}', false, now(), now(), now())`,
      values: [accountId, workspaceId, name, sealed, deviceId]
    })
    cloud.settings.set(name, { mode: "self-consumption", power: "5000" })
    return deviceId
  }

  test("move a workspace under load: everything acknowledged is there once, nothing is sent twice, and neighbours notice nothing", async () => {
    const [moved, neighbour] = [await arrange("Moved"), await arrange("Neighbour")]
    const { deviceId, keys, workspaceId } = moved
    const batteryIds = await Promise.all(times(batteries).map(() => link(workspaceId)))
    const destination = { destinationType: "WEBHOOK", url: receiver.url, eventTypes: ["CUSTOMER_CREATED"] }
    await moved.create("/v1/destinations", keys.server, destination)
    await proxy.run("route.sh", host, "cell-a")
    for (let n = 0; n < stored; n += 1000) {
      const readings = times(1000).map((at) => ({ timestamp: timeAt(n + at), state: { power: at } }))
      const body = { readings }
      const response = await callHost(proxy.port, host, "POST", `/devices/${deviceId}/telemetry`, {
        key: keys.manufacturer,
        body
      })
      expect(response.status, response.text).toBeLessThan(300)
    }

    const callers = new Callers(proxy, host, keys)
    const neighbours = new Callers(proxy, "cell-a.example.com", neighbour.keys)
    callers.start(deviceId, batteryIds)
    neighbours.start(neighbour.deviceId, [])
    const progress = () => {
      const enough = callers.customers.size + 20
      return eventually("callers are served", () => (callers.customers.size > enough ? true : undefined))
    }
    await progress()
    const steps = await proxy.run("move.sh", host, workspaceId, "cell-a", "cell-b")
    await progress()
    await callers.end()
    await neighbours.end()
    const pause = Math.max(...callers.longest.values())
    const report = process.env["EDP_CELLS_REPORT"]
    if (report !== undefined)
      appendFileSync(report, `${stored} readings: ${(pause / 1000).toFixed(1)} s without success\n${steps}`)

    expect(pause).toBeLessThan(longestPause)
    expect([...callers.refusals]).toEqual(["503 SERVICE_UNAVAILABLE"])
    expect([...neighbours.refusals]).toEqual([])

    const [a, b] = servers as [SpawnedServer, SpawnedServer, SpawnedServer]
    expect((await callAt(a.baseUrl, "GET", "/v1/devices", { key: keys.server })).status).toBe(401)
    const history = await readHistory(b.baseUrl, keys.server, deviceId)
    const there = history.stored.map(({ timestamp }) => timestamp)
    expect(new Set(there).size).toBe(there.length)
    expect(there.length).toBe(stored + callers.readings.size)
    expect([...callers.readings].filter((timestamp) => !new Set(there).has(timestamp))).toEqual([])

    // The follower of the feed saw each customer once, in order, from both cells.
    const follow = async () => {
      const path = `/v1/events?after=${callers.events.at(-1)!.sequence}&perPage=100`
      const { data } = (await callAt(b.baseUrl, "GET", path, { key: keys.server })).body
      callers.events.push(...data)
      return data.length === 0 ? true : undefined
    }
    await eventually("the feed is read to its end", follow)
    const sequences = callers.events.map(({ sequence }) => sequence)
    expect(sequences).toEqual([...new Set(sequences)].toSorted((one, other) => one - other))
    const created = callers.events.filter(({ type }) => type === "CUSTOMER_CREATED")
    expect(created.map(({ data }) => data.customer.id).toSorted()).toEqual([...callers.customers].toSorted())

    const commands = async () =>
      (
        await withClient(target, {
          text: "SELECT id, status, reason FROM commands WHERE id = ANY($1)",
          values: [[...callers.commands]]
        })
      ).rows as ReadonlyArray<{ readonly id: string; readonly status: string; readonly reason: string | null }>
    await eventually("no command waits", async () =>
      (await commands()).some(({ status }) => status === "pending" || status === "scheduled") ? undefined : true
    )
    const sent = cloud.calls.filter(({ what }) => what === "send").map(({ token }) => token)
    expect(new Set(sent).size).toBe(sent.length)
    // A command that a later one for its device overrides is never sent.
    const rows = await commands()
    expect(rows).toHaveLength(callers.commands.size)
    const unsent = rows.filter(({ id }) => !sent.includes(id))
    expect(unsent.filter(({ reason }) => reason !== "overridden")).toEqual([])
    await eventually("all events are delivered", () => (receiver.received.length >= created.length ? true : undefined))
    const delivered = receiver.received.map(({ event }) => event.data.customer.id)
    expect(delivered.toSorted()).toEqual([...callers.customers].toSorted())
  }, 300_000)
})
