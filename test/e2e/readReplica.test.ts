import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt, type CallOptions } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { withClient } from "../support/failover/withClient.ts"
import {
  describePostgres,
  type PostgresReplica,
  type PostgresServer,
  startPostgres,
  startReplica
} from "../support/PostgresServer.ts"
import { runServer, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { makeHome } from "./crash/home.ts"

const lagSeconds = 1
const beginning = Date.UTC(2024, 0, 1)

describePostgres("a read replica", () => {
  let primary: PostgresServer
  let replica: PostgresReplica
  let server: SpawnedServer
  let deviceId: string
  let stored = 0

  const asAdmin = (on: PostgresReplica, statement: string) => withClient(on.address("postgres", "edp"), statement)
  const call = (method: string, path: string, options: CallOptions = {}) =>
    callAt(server.baseUrl, method, path, { key: server.credentials.serverKey, ...options })
  const push = async () => {
    const timestamp = new Date(beginning + stored++ * 3_600_000).toISOString()
    const body = { readings: [{ timestamp, state: { power: stored, lifetimeEnergyGenerated: stored * 10 } }] }
    const key = server.credentials.manufacturerKey
    expect((await call("POST", `/devices/${deviceId}/telemetry`, { key, body })).status).toBeLessThan(300)
  }
  const history = () => call("GET", `/v1/devices/${deviceId}/history?from=2024-01-01T00:00:00Z&perPage=100`)
  const readings = async () => {
    const { body, status, text } = await history()
    expect(status, text).toBe(200)
    return body.data.length as number
  }
  const metric = "/v1/metrics/production?from=2024-01-01T00:00:00Z&to=2024-01-02T00:00:00Z&period=day"
  const replicaState = async () => (await call("GET", "/health/ready")).body.checks.replica as string
  const isUsed = () =>
    eventually("the replica is used", async () => ((await replicaState()) === "ok" ? true : undefined))
  const countReads = async () => {
    const { text } = await call("GET", "/metrics", { key: server.credentials.managementKey })
    const read = (on: string) =>
      Number(new RegExp(`edp_replica_reads_total\\{on="${on}"\\} (\\d+)`, "u").exec(text)![1])
    return { primary: read("primary"), replica: read("replica"), repeated: read("repeated"), text }
  }

  /** The reads of some requests, once all of them run on the replica: a server that gets no time to compute knows no lag. */
  const countOnReplica = (requests: () => Promise<void>) =>
    eventually("all reads run on the replica", async () => {
      const before = await countReads()
      await requests()
      const after = await countReads()
      return after.primary > before.primary
        ? undefined
        : { replica: after.replica - before.replica, repeated: after.repeated - before.repeated }
    })

  /** Reads of readings take a minute on the replica while the action runs, which begins when one of them does. */
  const whileReading = async (interrupt: () => Promise<unknown>) => {
    await asAdmin(
      primary,
      `ALTER TABLE readings ENABLE ROW LEVEL SECURITY; ALTER TABLE readings FORCE ROW LEVEL SECURITY;
      CREATE POLICY slow ON readings USING (CASE WHEN pg_is_in_recovery() THEN pg_sleep(60) IS NOT NULL ELSE true END)`
    )
    await eventually("the replica has the policy", async () =>
      (await asAdmin(replica, "SELECT FROM pg_policies")).rowCount === 1 ? true : undefined
    )
    await isUsed()
    let isOver = true
    let reading = Promise.resolve(0)
    const begin = () => {
      isOver = false
      reading = readings().finally(() => (isOver = true))
    }
    await eventually("a read sleeps on the replica", async () => {
      if (isOver) begin()
      const sleeping = "SELECT FROM pg_stat_activity WHERE application_name = 'edp' AND wait_event = 'PgSleep'"
      return (await asAdmin(replica, sleeping)).rowCount! > 0 ? true : undefined
    })
    await interrupt()
    const found = await reading
    await asAdmin(primary, "DROP POLICY slow ON readings; ALTER TABLE readings DISABLE ROW LEVEL SECURITY")
    return found
  }

  beforeAll(async () => {
    primary = await startPostgres({ fsync: false })
    // A conflict with recovery ends reads at once.
    replica = await startReplica(primary, {
      fsync: false,
      settings: { log_statement: "all", max_standby_streaming_delay: "0" }
    })
    server = await spawnServer({
      env: { DATABASE_URL: primary.url, DATABASE_READ_URL: replica.url, EDP_READ_LAG: `${lagSeconds} second` }
    })
    const [[reading] = []] = await makeHome(server.baseUrl, server.credentials, 1)
    deviceId = reading!.deviceId
    await push()
    await push()
  })
  afterAll(async () => {
    await server?.stop()
    await replica?.stop()
    await primary?.stop()
  })

  test("responds to histories and metrics, and to nothing that must see its own writes", async () => {
    await isUsed()
    await eventually("the history is there", async () => ((await readings()) === stored ? true : undefined))
    await eventually("the metric is there", async () => {
      const { body, status } = await call("GET", `${metric}&deviceId=${deviceId}`)
      expect(status).toBe(200)
      return body.data[0].value === 10 ? true : undefined
    })
    const log = replica.log()
    expect(log).toContain("FROM readings WHERE device_id")
    expect(log).toContain("ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    for (const table of ["api_keys", "instances", "events", "deliveries"])
      expect(log).not.toMatch(new RegExp(`(?:FROM|INTO|JOIN|UPDATE) ${table}\\b`, "u"))
    const { repeated, replica: onReplica, text } = await countReads()
    expect([onReplica > 1, repeated]).toEqual([true, 0])
    expect(text).toMatch(/^edp_replica_lag_seconds \d/mu)
  })

  test("responds to reports at once, although what they are about was just made", async () => {
    await isUsed()
    const make = async (path: string, body: object, key = server.credentials.serverKey) => {
      const made = await call("POST", path, { key, body })
      expect(made.status, made.text).toBe(201)
      return made.body
    }
    const texts = { title: "Peak", description: "", eligibilityCriteria: "", programTerms: "" }
    await make("/v1/programs", { slug: "peak", name: "Peak" }, server.credentials.managementKey)
    const instance = `/v1/programInstances/${(await make("/v1/programInstances", { slug: "peak-1", programSlug: "peak", ...texts })).id}`
    const startsAt = new Date(Date.now() + 86_400_000).toISOString()
    const intervals = [{ startsAt, durationSeconds: 3600, actions: { battery: { targetPowerW: 100 } } }]
    const dispatch = `/v1/dispatches/${(await make(`${instance}/dispatches`, { name: "Evening", intervals })).id}`
    const reports = async () => {
      for (const path of [instance, dispatch]) expect((await call("GET", `${path}/report`)).status).toBe(200)
      const csv = await call("GET", `${dispatch}/report`, { headers: { accept: "text/csv" } })
      expect([csv.status, csv.text]).toEqual([200, expect.stringContaining("siteId")])
    }
    // The rows of a CSV are read apart from its dispatch.
    expect(await countOnReplica(reports)).toEqual({ replica: 4, repeated: 0 })
  })

  test("that stops replaying is left within the allowed lag, and used again", async () => {
    await isUsed()
    await asAdmin(replica, "SELECT pg_wal_replay_pause()")
    await eventually("it pauses", async () =>
      (await asAdmin(replica, "SELECT WHERE pg_get_wal_replay_pause_state() = 'paused'")).rowCount ? true : undefined
    )
    await push()
    const pushed = performance.now()
    const customer = (await call("POST", "/v1/customers", { body: { firstName: "Ada" } })).body.id
    expect((await call("GET", "/v1/customers")).body.data.map(({ id }: { id: string }) => id)).toContain(customer)
    await eventually("the history is current", async () => {
      const begun = performance.now()
      const found = await readings()
      if (begun - pushed > lagSeconds * 1000) expect(found).toBe(stored)
      return found === stored && begun - pushed > lagSeconds * 1000 ? true : undefined
    })
    expect(await replicaState()).toBe("behind")
    expect((await call("GET", "/health/ready")).status).toBe(200)
    expect(server.stdout()).toMatch(/Reads run on the primary: the replica is \d+ seconds behind, or more/u)
    await asAdmin(replica, "SELECT pg_wal_replay_resume()")
    await isUsed()
    const current = async () => expect(await readings()).toBe(stored)
    expect(await countOnReplica(current)).toEqual({ replica: 1, repeated: 0 })
  })

  test("that cancels a read because of recovery has it repeated on the primary", async () => {
    const before = await countReads()
    // The replica replays the lock at once, and ends what holds the table.
    const lock = "BEGIN; LOCK TABLE readings IN ACCESS EXCLUSIVE MODE; COMMIT"
    expect(await whileReading(() => asAdmin(primary, lock))).toBe(stored)
    expect(replica.log()).toContain("canceling statement due to conflict with recovery")
    expect((await countReads()).repeated).toBe(before.repeated + 1)
  })

  test("that dies is left at once, with the reads that run there, and used again when it is back", async () => {
    expect(await whileReading(() => replica.kill9())).toBe(stored)
    expect(await readings()).toBe(stored)
    await eventually("its lag is unknown", async () => ((await replicaState()) === "unknown" ? true : undefined))
    expect((await call("GET", "/health/ready")).status).toBe(200)
    await push()
    expect(await readings()).toBe(stored)
    await replica.restart()
    await isUsed()
    await eventually("reads run there", async () => {
      const found = await readings()
      return found === stored && replica.log().includes("FROM readings WHERE device_id") ? true : undefined
    })
  })

  test("is refused without a primary", async () => {
    const { code, stderr } = await runServer({ env: { DATABASE_READ_URL: replica.url } })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^edp: DATABASE_READ_URL needs DATABASE_URL[^\n]*\n$/u)])
  })
})
