import { randomBytes, randomUUID } from "node:crypto"
import { appendFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { credentialsPurpose } from "@edp/server/accounts/accountRow"
import { NONCE_BYTES, seal } from "@edp/server/platform/secrets/sealed"
import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt, type Reply } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { type Cluster, describeCluster, startCluster } from "../support/failover/PostgresCluster.ts"
import { withClient } from "../support/failover/withClient.ts"
import { startCommandCloud } from "../support/peers/CommandCloud.ts"
import { type RedisServer, startRedis } from "../support/peers/RedisServer.ts"
import { type Receiver, startReceiver } from "../support/peers/webhookReceiver.ts"
import { rounds } from "../support/rounds.ts"
import { sharedEncryptionKey, type SpawnedServer } from "../support/spawnServer.ts"
import { readHistory } from "./crash/home.ts"
import { readCredentials, startAll, stopAll, times } from "./fleet.ts"

/**
 * Milliseconds after which an instance has certainly not found the new leader by itself. docs/failover.md has the measured times, which depend on
 * the load of the machine.
 */
const longestOutage = 60_000
const batteries = 10
const newId = () => `c${randomBytes(12).toString("hex")}`
const timeAt = (n: number) => new Date(Date.UTC(2024, 0, 1) + n * 1000).toISOString()

interface Keys {
  readonly serverKey: string
  readonly manufacturerKey: string
}

/** Writers at two instances, which record what was acknowledged. What fails is tried again, except readings. */
class Load {
  readonly readings = new Map<string, string>()
  readonly customers = new Set<string>()
  readonly commands = new Set<string>()
  readonly refusals = new Map<string, number>()
  /** The newest acknowledgement of each instance, and the longest time without one since the last failure. */
  readonly #newest = [0, 0]
  readonly #longest = [0, 0]
  /** Begin of the newest acknowledged write of each instance. */
  readonly #begun = [0, 0]
  /** Instants of failures. */
  readonly failures: Array<number> = []
  readonly #servers: ReadonlyArray<SpawnedServer>
  readonly #keys: Keys
  readonly #ending = new AbortController()
  readonly #writers: Array<Promise<void>> = []
  #number = 0

  constructor(servers: ReadonlyArray<SpawnedServer>, keys: Keys) {
    this.#servers = servers
    this.#keys = keys
  }

  /** One request; undefined unless it was acknowledged. */
  async #send(
    instance: number,
    path: string,
    key: string,
    body: object,
    headers: Record<string, string> = {}
  ): Promise<Reply | undefined> {
    const begun = performance.now()
    const options = { key, body, headers }
    const response = await callAt(this.#servers[instance]!.baseUrl, "POST", path, options).catch(() => undefined)
    if (response !== undefined && response.status < 300) {
      const now = performance.now()
      this.#longest[instance] = Math.max(now - this.#newest[instance]!, this.#longest[instance]!)
      this.#newest[instance] = now
      this.#begun[instance] = Math.max(begun, this.#begun[instance]!)
      return response
    }
    const said = `${response?.status} ${response?.body?.code}`
    this.refusals.set(said, (this.refusals.get(said) ?? 0) + 1)
    await setTimeout(50)
    return undefined
  }

  async #repeatedly(step: () => Promise<unknown>) {
    while (!this.#ending.signal.aborted) await step()
  }

  start(deviceIds: ReadonlyArray<string>, batteryIds: ReadonlyArray<string>) {
    const { manufacturerKey, serverKey } = this.#keys
    const untilAcknowledged = async (instance: number, path: string, body: object) => {
      const headers = { "Idempotency-Key": randomUUID() }
      for (let turn = instance; ; turn++) {
        const response = await this.#send(turn % 2, path, serverKey, body, headers)
        if (response !== undefined) return response
      }
    }
    const single = async (instance: number) => {
      const [deviceId] = deviceIds
      const timestamp = timeAt(this.#number++)
      const body = { timestamp, state: { power: 1 } }
      if (await this.#send(instance, `/devices/${deviceId}/telemetry`, manufacturerKey, body))
        this.readings.set(`${deviceId} ${timestamp}`, "single")
    }
    const bulk = async (instance: number) => {
      const readings = deviceIds.flatMap((deviceId) =>
        times(5).map(() => ({ deviceId, timestamp: timeAt(this.#number++), state: { power: 2 } }))
      )
      if (await this.#send(instance, "/devices/telemetry", manufacturerKey, { readings }))
        for (const { deviceId, timestamp } of readings) this.readings.set(`${deviceId} ${timestamp}`, "bulk")
    }
    const customer = async (instance: number) => {
      const { body } = await untilAcknowledged(instance, "/v1/customers", { firstName: `${this.#number++}` })
      this.customers.add(body.id)
    }
    const command = async (instance: number) => {
      const n = this.#number++
      const body = { type: "battery:set-reserve", input: { chargePercentage: n % 100 } }
      const path = `/v1/devices/${batteryIds[n % batteryIds.length]}/commands`
      this.commands.add((await untilAcknowledged(instance, path, body)).body.id)
      await setTimeout(100)
    }
    for (const instance of [0, 1])
      for (const step of [single, bulk, customer, command]) this.#writers.push(this.#repeatedly(() => step(instance)))
  }

  /**
   * Fails the cluster, waits until it has another leader, and returns the longest time for which each instance acknowledged nothing,
   * from the failure to a write that began after the change.
   */
  async through(fail: () => unknown, changed: () => Promise<unknown>): Promise<ReadonlyArray<number>> {
    await fail()
    this.failures.push(Date.now())
    const failed = performance.now()
    for (const instance of [0, 1]) {
      this.#newest[instance] = failed
      this.#longest[instance] = 0
    }
    await changed()
    const after = performance.now()
    return Promise.all(
      [0, 1].map((instance) =>
        eventually(`instance ${instance} acknowledges a write`, () =>
          this.#begun[instance]! > after ? this.#longest[instance]! : undefined
        )
      )
    )
  }

  async end() {
    this.#ending.abort()
    await Promise.all(this.#writers)
  }
}

type Leader = Awaited<ReturnType<Cluster["leader"]>>

/** Writes the figures of docs/failover.md to the file that EDP_FAILOVER_REPORT names. */
const report = (text: string) => {
  const file = process.env["EDP_FAILOVER_REPORT"]
  if (file !== undefined) appendFileSync(file, `${text}\n`)
}

describeCluster("two instances on PostgreSQL that fails over", () => {
  let cluster: Cluster
  let redis: RedisServer
  let receiver: Receiver
  let cloud: Awaited<ReturnType<typeof startCommandCloud>>
  let servers: ReadonlyArray<SpawnedServer> = []
  beforeAll(async () => {
    ;[cluster, redis, receiver, cloud] = await Promise.all([
      startCluster(),
      startRedis(),
      startReceiver(),
      startCommandCloud(10)
    ])
    servers = await startAll(
      2,
      {
        DATABASE_URL: cluster.url,
        REDIS_URL: redis.url,
        EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
        EDP_COMMANDCLOUD_BASE_URL: cloud.url,
        EDP_COMMANDCLOUD_HOLDS_CONNECTIONS: "yes",
        EDP_RATE_LIMIT_READ: "1000000",
        EDP_RATE_LIMIT_WRITE: "1000000",
        EDP_RATE_LIMIT_BULK: "1000000"
      },
      "commandCloudAdapter"
    )
  }, 180_000)
  afterAll(async () => {
    await stopAll(servers)
    cloud?.stop()
    await receiver?.stop()
    await redis?.close()
    await cluster?.stop()
  }, 120_000)

  /** A connected battery of the manufacturer that records commands. */
  const link = async (workspaceId: string) => {
    const [accountId, deviceId, name] = [newId(), newId(), newId()]
    const key = Buffer.from(sharedEncryptionKey, "base64")
    const sealed = Buffer.from(seal(key, randomBytes(NONCE_BYTES), credentialsPurpose(accountId), "{}"))
    await withClient(cluster.url, {
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

  test("loses nothing that was acknowledged, whatever its leader suffers, and both serve again by themselves", async () => {
    const { manufacturerKey, serverKey, workspaceId } = readCredentials(servers)
    const create = async (path: string, key: string, body: object) => {
      const response = await callAt(servers[0]!.baseUrl, "POST", path, { key, body })
      expect(response.status, response.text).toBe(201)
      return response.body.id as string
    }
    const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    const siteId = await create("/v1/sites", serverKey, { address })
    const models = await callAt(servers[0]!.baseUrl, "GET", "/v1/device-models?manufacturer=generic&type=inverter", {
      key: serverKey
    })
    const deviceModelId = models.body.data[0].id
    const deviceIds: Array<string> = []
    for (const n of times(2))
      deviceIds.push(
        await create("/devices", manufacturerKey, { manufacturerDeviceId: `inverter ${n}`, deviceModelId, siteId })
      )
    const batteryIds = await Promise.all(times(batteries).map(() => link(workspaceId)))
    const destination = { destinationType: "WEBHOOK", url: receiver.url, eventTypes: ["CUSTOMER_CREATED"] }
    await create("/v1/destinations", serverKey, destination)

    const load = new Load(servers, { serverKey, manufacturerKey })
    load.start(deviceIds, batteryIds)
    const underLoad = () => {
      const enough = load.customers.size + 20
      return eventually("writes are acknowledged", () => (load.customers.size > enough ? true : undefined))
    }
    const outages: Array<number> = []
    const through = async (kind: string, leader: Leader, fail: () => unknown) => {
      const took = await load.through(fail, () => cluster.leader(leader))
      report(`${kind}: ${took.map((ms) => (ms / 1000).toFixed(1)).join(", ")} s`)
      outages.push(...took)
    }
    for (const _ of times(Math.min(5, rounds(1)))) {
      await underLoad()
      const leader = await cluster.leader()
      await through("killed", leader, () => leader.kill9())
      await leader.startPatroni()
      await cluster.whole()
    }

    await underLoad()
    const frozen = await cluster.leader()
    await through("frozen", frozen, () => frozen.freeze())
    frozen.thaw()
    await cluster.whole()
    expect((await cluster.leader()).name).not.toBe(frozen.name)

    await underLoad()
    const cutOff = await cluster.leader()
    await through("cut off", cutOff, () => cutOff.cutOff())
    // The old leader takes itself for the leader. It acknowledges no write, because no other server confirms it any more.
    const write = withClient(cutOff.directUrl, "CREATE TABLE lost ()").then(
      () => "acknowledged",
      () => "failed"
    )
    expect(await Promise.race([write, setTimeout(4000, "waits")])).toBe("waits")
    cutOff.rejoin()
    await cluster.whole()
    expect((await cluster.leader()).name).not.toBe(cutOff.name)
    await underLoad()
    await load.end()
    expect(await write).toBe("failed")
    const lost = await withClient(cluster.url, "SELECT to_regclass('lost') AS lost")
    expect(lost.rows).toEqual([{ lost: null }])
    for (const [said, count] of load.refusals) report(`${said}: ${count} responses`)

    for (const [instance, { baseUrl }] of servers.entries()) {
      const isReady = async () => ((await callAt(baseUrl, "GET", "/health/ready")).status === 200 ? true : undefined)
      await eventually(`instance ${instance} is ready`, isReady)
    }
    expect(Math.max(...outages)).toBeLessThan(longestOutage)
    // An unavailable database is said to be unavailable; it is no error of the service.
    expect([...load.refusals.keys()].filter((said) => said.startsWith("500"))).toEqual([])

    const { baseUrl } = servers[0]!
    const stored: Array<string> = []
    for (const deviceId of deviceIds)
      for (const { timestamp } of (await readHistory(baseUrl, serverKey, deviceId)).stored)
        stored.push(`${deviceId} ${timestamp}`)
    expect(new Set(stored).size).toBe(stored.length)
    expect([...load.readings.keys()].filter((reading) => !new Set(stored).has(reading))).toEqual([])

    const events: Array<any> = []
    for (;;) {
      const path = `/v1/events?after=${events.at(-1)?.sequence ?? 0}&perPage=100&type=CUSTOMER_CREATED`
      const { data } = (await callAt(baseUrl, "GET", path, { key: serverKey })).body
      if (data.length === 0) break
      events.push(...data)
    }
    const customers = [...load.customers].toSorted()
    // Each was repeated until it was acknowledged: one record of each, with one event.
    expect(
      events
        .filter(({ type }) => type === "CUSTOMER_CREATED")
        .map(({ data }) => data.customer.id)
        .toSorted()
    ).toEqual(customers)
    await eventually("all events are delivered", () => {
      const delivered = new Set(receiver.received.map(({ event }) => event.data?.customer?.id))
      return customers.every((id) => delivered.has(id)) ? true : undefined
    })

    const open = () =>
      withClient(cluster.url, "SELECT id FROM commands WHERE status IN ('pending', 'scheduled') LIMIT 1")
    await eventually(
      "all commands are sent",
      async () => ((await open()).rows.length === 0 ? true : undefined),
      150_000
    )
    const calls = Map.groupBy(
      cloud.calls.filter(({ what }) => what === "send"),
      ({ token }) => token
    )
    const overridden = [...load.commands].filter((id) => !calls.has(id))
    const { rows } = await withClient(cluster.url, {
      text: "SELECT id, status FROM commands WHERE id = ANY($1)",
      values: [overridden]
    })
    expect(rows.filter(({ status }) => status === "delivered")).toEqual([])
    const repeated = [...calls.values()].filter((each) => each.length > 1)
    report(`of ${calls.size} commands, ${repeated.length} again with the same id`)
    for (const [first, ...more] of repeated) {
      // As documented: sent once more if the outcome of the call could not be stored, and so its instant is at a failure.
      expect(more).toHaveLength(1)
      expect(load.failures.some((at) => first!.at > at - 5_000 && first!.at < at + Math.max(...outages))).toBe(true)
    }
  }, 600_000)
})
