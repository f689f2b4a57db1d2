import { afterAll, beforeAll, expect, test } from "vitest"
import { type Reply, callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { describeRedis, type RedisServer, startRedis } from "../support/peers/RedisServer.ts"
import { type Credentials, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { readCredentials, startAll, stopAll, times } from "./fleet.ts"

describePostgres("instances on one database", () => {
  const databases = useDatabases()

  describeRedis("four with Redis", () => {
    const limit = 300
    let redis: RedisServer
    let servers: ReadonlyArray<SpawnedServer>
    let credentials: Credentials
    beforeAll(async () => {
      redis = await startRedis()
      servers = await startAll(4, { DATABASE_URL: await databases.create(), REDIS_URL: redis.url })
      credentials = readCredentials(servers)
    })
    afterAll(async () => {
      await stopAll(servers)
      await redis.close()
    })

    /** Reads with a new key, spread over the instances, all within one window of a minute. */
    const readInOneWindow = async (count: number): Promise<ReadonlyArray<Reply>> => {
      const { baseUrl } = servers[0]!
      const body = { name: "Reader", type: "SERVER" }
      const made = await callAt(baseUrl, "POST", "/v1/api-keys", { key: credentials.managementKey, body })
      expect(made, made.text).toMatchObject({ status: 201 })
      const read = (one: number) => callAt(servers[one % 4]!.baseUrl, "GET", "/v1/workspaces", { key: made.body.key })
      const responses: Array<Reply> = []
      for (let at = 0; at < count; at += 40)
        responses.push(...(await Promise.all(times(40).map((one) => read(at + one)))))
      const windows = new Set(responses.map(({ headers }) => headers.get("x-ratelimit-reset")))
      return windows.size === 1 ? responses : readInOneWindow(count)
    }
    const admitted = (responses: ReadonlyArray<Reply>) => responses.filter(({ status }) => status === 200)
    const readLimits = async ({ baseUrl }: SpawnedServer) => {
      const { status, body } = await callAt(baseUrl, "GET", "/health/ready")
      return `${status} ${body.checks.rateLimits}`
    }
    const allSay = (what: string) =>
      eventually(`all instances say ${what}`, async () =>
        (await Promise.all(servers.map(readLimits))).every((said) => said === what) ? true : undefined
      )
    const expectShared = async () => {
      const responses = await readInOneWindow(400)
      expect(admitted(responses)).toHaveLength(limit)
      const remaining = admitted(responses).map(({ headers }) => Number(headers.get("x-ratelimit-remaining")))
      expect(remaining.sort((a, b) => a - b)).toEqual(times(limit))
      for (const { status, body } of responses.filter(({ status }) => status !== 200)) {
        expect([status, body.code]).toEqual([429, "RATE_LIMITED"])
      }
    }

    test("one key is admitted exactly 300 times in a window, whichever instance it asks", async () => {
      await allSay("200 ok")
      await expectShared()
    })

    test("without Redis they keep serving, each counts alone, and readiness reports it; with Redis they share again", async () => {
      await redis.stop()
      const responses = await readInOneWindow(400)
      expect(admitted(responses)).toHaveLength(400)
      await allSay("200 degraded")
      await redis.start()
      await allSay("200 ok")
      await expectShared()
    })
  })

  describeRedis("two whose Redis fails", () => {
    const limit = 300
    let redis: RedisServer
    let servers: ReadonlyArray<SpawnedServer>
    beforeAll(async () => {
      redis = await startRedis()
      servers = await startAll(2, { DATABASE_URL: await databases.create(), REDIS_URL: redis.url })
    })
    afterAll(async () => {
      await stopAll(servers)
      await redis.close()
    })

    const allSay = (what: string) =>
      eventually(`all instances say ${what}`, async () => {
        const said = await Promise.all(servers.map(({ baseUrl }) => callAt(baseUrl, "GET", "/health/ready")))
        return said.every(({ status, body }) => `${status} ${body.checks.rateLimits}` === what) ? true : undefined
      })
    const newKey = async () => {
      const key = readCredentials(servers).managementKey
      const body = { name: "Reader", type: "SERVER" }
      return (await callAt(servers[0]!.baseUrl, "POST", "/v1/api-keys", { key, body })).body.key as string
    }
    const atOnce = 25
    const read = async (key: string, count: number): Promise<ReadonlyArray<Reply>> => {
      const responses: Array<Reply> = []
      for (let at = 0; at < count; at += atOnce) {
        const some = times(atOnce).map((one) => callAt(servers[one % 2]!.baseUrl, "GET", "/v1/workspaces", { key }))
        responses.push(...(await Promise.all(some)))
      }
      return responses
    }
    const admitted = (responses: ReadonlyArray<Reply>) => responses.filter(({ status }) => status === 200).length

    test("restarted within a window, it does not admit the limit twice", async () => {
      const readAround = async (): Promise<ReadonlyArray<Reply>> => {
        await allSay("200 ok")
        const key = await newKey()
        const before = await read(key, 300)
        await redis.stop()
        await redis.start()
        await allSay("200 ok")
        const responses = [...before, ...(await read(key, 300))]
        const windows = new Set(responses.map(({ headers }) => headers.get("x-ratelimit-reset")))
        return windows.size === 1 ? responses : readAround()
      }
      const count = admitted(await readAround())
      expect(count).toBeGreaterThanOrEqual(limit)
      // Concurrent requests of one instance may reach the empty Redis before the other instance has told it its count.
      expect(count).toBeLessThanOrEqual(limit + atOnce)
    })

    test("frozen, it delays only a few requests, and readiness reports it", async () => {
      redis.freeze()
      const key = await newKey()
      expect(admitted(await read(key, 200))).toBe(200)
      await allSay("200 degraded")
      redis.thaw()
      await allSay("200 ok")
      for (const { stdout } of servers) expect(stdout().match(/Redis is unreachable/g)?.length).toBeLessThanOrEqual(2)
    })
  })

  describeRedis("one whose Redis is unavailable when it starts", () => {
    test("serves, and shares its counts once Redis is available", async () => {
      const redis = await startRedis()
      await redis.stop()
      const env = { DATABASE_URL: await databases.create(), REDIS_URL: redis.url }
      const server = await spawnServer({ env })
      const { body } = await callAt(server.baseUrl, "GET", "/health/ready")
      expect(body).toMatchObject({ status: "ok", checks: { rateLimits: "degraded" } })
      const key = server.credentials.serverKey
      expect((await callAt(server.baseUrl, "GET", "/v1/sites", { key })).status).toBe(200)
      await redis.start()
      await eventually("it finds Redis", async () => {
        const ready = await callAt(server.baseUrl, "GET", "/health/ready")
        return ready.body.checks.rateLimits === "ok" ? true : undefined
      })
      await server.stop()
      await redis.close()
    })
  })
})
