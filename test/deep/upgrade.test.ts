import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, onTestFinished, test } from "vitest"
import { endpoints, formatRoute } from "../contract/endpoints.ts"
import { must, seedWorld, type World, type WorldApp } from "../contract/world.ts"
import { worldPath } from "../contract/worldPath.ts"
import { Arrivals, checkInvariants } from "./invariants.ts"
import { onPostgres } from "../server/platform/sql/postgres.ts"
import { arrangeLoad } from "../support/arrangeLoad.ts"
import { callAt, type Reply } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { guardedFolder } from "../support/guardedFolder.ts"
import { checkOut, findLastRelease } from "../support/lastRelease.ts"
import { openApiOracle } from "../support/OpenApiOracle.ts"
import { startCommandCloud } from "../support/peers/CommandCloud.ts"
import { startReceiver } from "../support/peers/webhookReceiver.ts"
import { describePostgres, startPostgres } from "../support/PostgresServer.ts"
import { isSuccess, type Outcome, RecordingLoad } from "../support/RecordingLoad.ts"
import { type Credentials, runServer, spawnServer } from "../support/spawnServer.ts"

const release = findLastRelease()
const root = join(import.meta.dirname, "../..")

const eventTypes = ["CUSTOMER_CREATED", "DEVICE_UPDATED", "COMMAND_SUCCEEDED", "COMMAND_FAILED", "COMMAND_OVERRIDDEN"]
const limits = { EDP_RATE_LIMIT_READ: "1000000", EDP_RATE_LIMIT_WRITE: "1000000", EDP_RATE_LIMIT_BULK: "1000000" }
const kinds: ReadonlyArray<Outcome["kind"]> = ["single", "bulk", "customer", "command", "history"]
/** Successes of each kind at each instance that make a phase. */
const rounds = 5

/** A running version as the contract's worlds use it. */
const worldApp = (baseUrl: string, databaseUrl: string, key: string, name: string): WorldApp => {
  const call: WorldApp["call"] = (method, path, options) => callAt(baseUrl, method, path, options)
  return {
    call,
    sql: (statement) => Effect.runPromise(onPostgres(databaseUrl, Effect.flatMap(SqlClient.SqlClient, statement))),
    workspace: async () => {
      const { id, organizationId } = must(await call("POST", "/v1/workspaces", { key, body: { name } }), 201)
      const make = async (type: string, more: object = {}) => {
        const body = { name: type, type, workspaceId: id, ...more }
        return [type, must(await call("POST", "/v1/api-keys", { key, body }), 201).key] as const
      }
      const keys = [
        await make("SERVER"),
        await make("API"),
        await make("CONNECT"),
        await make("MANUFACTURER", { manufacturerScope: ["generic", "simulator"] }),
        await make("MANAGEMENT", { ownerId: "owner-1" })
      ]
      return { organizationId, workspaceId: id, keys: Object.fromEntries(keys) as never }
    }
  }
}

const documentIn = (folder: string) =>
  openApiOracle(JSON.parse(readFileSync(join(folder, "packages/domain/openapi.json"), "utf8")))

describePostgres(`an upgrade from ${release?.version ?? "the last release, which this clone does not have,"}`, () => {
  test.skipIf(release === undefined)("lets both versions serve until the old one has ended", async () => {
    const folder = await guardedFolder("edp-upgrade")
    onTestFinished(() => folder.remove())
    await checkOut(release!.commit, folder.path)
    const [postgres, receiver, cloud] = await Promise.all([startPostgres(), startReceiver(), startCommandCloud(10)])
    onTestFinished(async () => {
      await Promise.all([postgres.stop(), receiver.stop()])
      cloud.stop()
    })
    const options = {
      preload: "commandCloudAdapter",
      env: {
        ...limits,
        DATABASE_URL: postgres.url,
        EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
        EDP_COMMANDCLOUD_BASE_URL: cloud.url,
        EDP_COMMANDCLOUD_HOLDS_CONNECTIONS: "yes"
      }
    } as const
    const old = await spawnServer({ ...options, checkout: folder.path })
    onTestFinished(() => old.kill9())
    const credentials: Credentials = old.credentials
    const devices = await arrangeLoad(old.baseUrl, credentials, postgres.url, cloud, {
      inverters: 4,
      url: receiver.url,
      eventTypes
    })
    // The invariants expect a customer that is not of the load.
    await callAt(old.baseUrl, "POST", "/v1/customers", { key: credentials.serverKey, body: {} })

    const port = await freePort()
    const versions = [
      { baseUrl: old.baseUrl, document: documentIn(folder.path) },
      { baseUrl: `http://127.0.0.1:${port}`, document: documentIn(root) }
    ] as const
    const [oldOne, newOne] = versions
    const undocumented: Array<string> = []
    const check = ({ document }: (typeof versions)[number], method: string, path: string, reply: Reply) => {
      try {
        expect(reply.status, reply.text).toBeLessThan(500)
        document.check(method, path, reply.status, reply.headers, reply.text)
      } catch (error) {
        undocumented.push(`${method} ${path}: ${error}`)
      }
    }
    /** Reads everything of a world that both versions know, and compares their statuses. */
    const readWorld = async (world: World) => {
      for (const endpoint of endpoints) {
        const { allowed, method } = endpoint
        const type = allowed.find((each) => world.keys[each] !== undefined)
        const path = worldPath(endpoint, world)
        if (method !== "GET" || type === undefined || oldOne.document.findOperation(method, path) === undefined)
          continue
        const replies = versions.map(async (version) => {
          const reply = await callAt(version.baseUrl, method, path, { key: world.keys[type] })
          check(version, method, path, reply)
          return reply.status
        })
        const [before, after] = await Promise.all(replies)
        if (before !== after) undocumented.push(`${formatRoute(endpoint)} has the status ${before}, and now ${after}`)
      }
    }
    const seed = (name: string, { baseUrl }: (typeof versions)[number]) =>
      seedWorld(worldApp(baseUrl, postgres.url, credentials.managementKey, name), name)

    const load = new RecordingLoad(
      versions.map(({ baseUrl }) => baseUrl),
      {
        keys: credentials,
        ...devices,
        pause: 100,
        reads: true,
        check: (method, path, reply, instance) => check(versions[instance]!, method, path, reply)
      }
    )
    onTestFinished(() => load.abandon())
    /** From when until when each version serves. */
    const serving: ReadonlyArray<{ from: number; to: number }> = [
      { from: 0, to: Infinity },
      { from: Infinity, to: Infinity }
    ]
    const failed = () =>
      load.outcomes.filter((one) => {
        const { from, to } = serving[one.instance]!
        return !isSuccess(one) && one.begun > from && one.ended < to
      })
    const succeeds = (instance: number) => {
      const since = performance.now()
      const isDone = (kind: string) =>
        load.outcomes.filter(
          (one) => one.instance === instance && one.kind === kind && one.begun > since && isSuccess(one)
        ).length >= rounds
      return eventually(`requests of each kind at instance ${instance}`, () => {
        expect(failed()).toEqual([])
        return kinds.every(isDone) ? true : undefined
      })
    }

    load.start()
    const before = await seed("before", oldOne)
    await succeeds(0)
    const migrated = await runServer({ ...options, args: ["migrate"] })
    expect(migrated.stderr).toBe("")
    expect(migrated.code).toBe(0)
    await succeeds(0)
    const server = await spawnServer({ ...options, port })
    serving[1]!.from = performance.now()
    onTestFinished(() => server.kill9())
    const beside = await Promise.all([seed("beside", newOne), seed("beside the new", oldOne)])
    await Promise.all([succeeds(0), succeeds(1)])
    await Promise.all([before, ...beside].map(readWorld))
    serving[0]!.to = performance.now()
    const from = Date.now()
    await old.kill9()
    await succeeds(1)
    await load.end()

    expect(failed()).toEqual([])
    const cuts = [{ from: from - 1000, to: Date.now() }]
    const instances = [{ server }, { server }] as const
    const on = {
      cloud,
      credentials,
      deviceIds: devices.deviceIds,
      eventTypes,
      instances,
      load,
      postgres,
      receiver,
      undocumented
    }
    const { evidence, violated } = await checkInvariants(on, new Arrivals(), cuts)
    process.stderr.write(`${evidence.join("\n")}\n`)
    expect(violated).toEqual([])
    expect(await server.stop()).toBe(0)
  })
})
