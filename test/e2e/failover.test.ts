import { appendFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { arrangeLoad } from "../support/arrangeLoad.ts"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { type Cluster, describeCluster, startCluster } from "../support/failover/PostgresCluster.ts"
import { withClient } from "../support/failover/withClient.ts"
import { startCommandCloud } from "../support/peers/CommandCloud.ts"
import { type RedisServer, startRedis } from "../support/peers/RedisServer.ts"
import { type Receiver, startReceiver } from "../support/peers/webhookReceiver.ts"
import { isSuccess, RecordingLoad } from "../support/RecordingLoad.ts"
import { rounds } from "../support/rounds.ts"
import type { SpawnedServer } from "../support/spawnServer.ts"
import { readHistory } from "./crash/home.ts"
import { readCredentials, startAll, stopAll, times } from "./fleet.ts"

/**
 * Milliseconds after which an instance has certainly not found the new leader by itself. docs/failover.md has the measured times, which depend on
 * the load of the machine.
 */
const longestOutage = 60_000
/**
 * Fails the cluster, waits until it has another leader, and returns the longest time for which each instance acknowledged nothing,
 * from the failure to a write that began after the change.
 */
const measureOutage = async (load: RecordingLoad, fail: () => unknown, changed: () => Promise<unknown>) => {
  await fail()
  const failed = performance.now()
  await changed()
  const after = performance.now()
  return Promise.all(
    [0, 1].map((instance) =>
      eventually(`instance ${instance} acknowledges a write`, () =>
        load.hasSucceeded(instance, after) ? load.longestGap(instance, failed) : undefined
      )
    )
  )
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

  test("loses nothing that was acknowledged, whatever its leader suffers, and both serve again by themselves", async () => {
    const credentials = readCredentials(servers)
    const { serverKey } = credentials
    const webhook = { url: receiver.url, eventTypes: ["CUSTOMER_CREATED"] }
    const { batteryIds, deviceIds } = await arrangeLoad(servers[0]!.baseUrl, credentials, cluster.url, cloud, {
      inverters: 2,
      ...webhook
    })

    const baseUrls = servers.map(({ baseUrl }) => baseUrl)
    const load = new RecordingLoad(baseUrls, { keys: credentials, deviceIds, batteryIds })
    load.start()
    const underLoad = () => {
      const enough = load.customers.size + 20
      return eventually("writes are acknowledged", () => (load.customers.size > enough ? true : undefined))
    }
    const outages: Array<number> = []
    const failures: Array<number> = []
    const through = async (kind: string, leader: Leader, fail: () => unknown) => {
      failures.push(Date.now())
      const took = await measureOutage(load, fail, () => cluster.leader(leader))
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
    await underLoad()
    await load.end()
    expect(await write).toBe("failed")
    const lost = await withClient(cluster.url, "SELECT to_regclass('lost') AS lost")
    expect(lost.rows).toEqual([{ lost: null }])
    const refusals = Map.groupBy(
      load.outcomes.filter((one) => !isSuccess(one)),
      ({ status, code }) => `${status} ${code}`
    )
    for (const [said, { length }] of refusals) report(`${said}: ${length} responses`)

    for (const [instance, { baseUrl }] of servers.entries()) {
      const isReady = async () => ((await callAt(baseUrl, "GET", "/health/ready")).status === 200 ? true : undefined)
      await eventually(`instance ${instance} is ready`, isReady)
    }
    expect(Math.max(...outages)).toBeLessThan(longestOutage)
    // An unavailable database is said to be unavailable; it is no error of the service.
    expect([...refusals.keys()].filter((said) => said.startsWith("500"))).toEqual([])

    const { baseUrl } = servers[0]!
    const stored: Array<string> = []
    for (const deviceId of deviceIds)
      for (const { timestamp } of (await readHistory(baseUrl, serverKey, deviceId)).stored)
        stored.push(`${deviceId} ${timestamp}`)
    expect(new Set(stored).size).toBe(stored.length)
    expect([...load.readings].filter((reading) => !new Set(stored).has(reading))).toEqual([])

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
      expect(failures.some((at) => first!.at > at - 5_000 && first!.at < at + Math.max(...outages))).toBe(true)
    }
  }, 600_000)
})
