import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Reply, callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { type Credentials, type SpawnedServer } from "../support/spawnServer.ts"
import { readCredentials, hasCredentials, startAll, stopAll, times } from "./fleet.ts"

describePostgres("several instances on one database", () => {
  const databases = useDatabases()

  test("four that start at once on an empty database create one set of first keys, and all become ready", async () => {
    const servers = await startAll(4, { DATABASE_URL: await databases.createEmpty() })
    expect(servers.filter(hasCredentials)).toHaveLength(1)
    const { managementKey: key, workspaceId } = readCredentials(servers)
    for (const server of servers) {
      const keys = await callAt(server.baseUrl, "GET", "/v1/api-keys", { key })
      expect(keys.body.totalItems).toBe(3)
      const workspaces = await callAt(server.baseUrl, "GET", "/v1/workspaces", { key })
      expect(workspaces.body.data.map(({ id }: { id: string }) => id)).toEqual([workspaceId])
      await eventually("the instance says that it runs", () =>
        server.stdout().includes("is running") ? true : undefined
      )
    }
    expect(servers.filter((server) => server.stdout().includes("The first keys are in"))).toHaveLength(1)
    expect(servers.map((server) => server.stderr())).toEqual(["", "", "", ""])
    await stopAll(servers)
  })

  describe("two of them", () => {
    let servers: ReadonlyArray<SpawnedServer>
    let credentials: Credentials
    beforeAll(async () => {
      const env = {
        DATABASE_URL: await databases.create(),
        EDP_RATE_LIMIT_READ: "1000000",
        EDP_RATE_LIMIT_WRITE: "1000000",
        EDP_RATE_LIMIT_AUTH_FAILURES: "1000000"
      }
      servers = await startAll(2, env)
      credentials = readCredentials(servers)
    })
    afterAll(() => stopAll(servers))

    const call = (instance: number, method: string, path: string, key: string, body?: object): Promise<Reply> =>
      callAt(servers[instance % 2]!.baseUrl, method, path, { key, ...(body && { body }) })
    const newKey = async (instance: number, fields: object = {}) => {
      const body = { name: "Short-lived", type: "SERVER", ...fields }
      const response = await call(instance, "POST", "/v1/api-keys", credentials.managementKey, body)
      expect(response.status).toBe(201)
      return response.body as { readonly id: string; readonly key: string; readonly expiresAt: string }
    }

    test("a revocation takes effect with the next request to the other instance", async () => {
      for (const round of times(20)) {
        const { id, key } = await newKey(round)
        expect((await call(round + 1, "GET", "/v1/sites", key)).status).toBe(200)
        expect((await call(round, "POST", `/v1/api-keys/${id}/revoke`, credentials.managementKey)).status).toBe(200)
        expect((await call(round + 1, "GET", "/v1/sites", key)).status).toBe(401)
      }
    })

    test("a revocation applies to every request that begins after its response, under concurrent load", async () => {
      const { id, key } = await newKey(0)
      const seen: Array<{ readonly began: number; readonly status: number }> = []
      const hammering = { on: true }
      const hammer = async (instance: number) => {
        while (hammering.on) {
          const began = performance.now()
          seen.push({ began, status: (await call(instance, "GET", "/v1/sites", key)).status })
        }
      }
      const hammers = times(8).map(hammer)
      await eventually("requests are under way", () => (seen.length > 50 ? true : undefined))
      await call(0, "POST", `/v1/api-keys/${id}/revoke`, credentials.managementKey)
      const revoked = performance.now()
      await eventually("requests after it", () =>
        seen.filter(({ began }) => began > revoked).length > 50 ? true : undefined
      )
      hammering.on = false
      await Promise.all(hammers)
      expect(new Set(seen.filter(({ began }) => began > revoked).map(({ status }) => status))).toEqual(new Set([401]))
      expect(seen[0]!.status).toBe(200)
    })

    test("an expiry takes effect at its instant on the other instance", async () => {
      const expire = async (round: number) => {
        const { key, expiresAt } = await newKey(round, { expiresAt: new Date(Date.now() + 6000).toISOString() })
        expect((await call(round + 1, "GET", "/v1/sites", key)).status).toBe(200)
        await eventually("the key has expired", () => (Date.now() >= Date.parse(expiresAt) ? true : undefined))
        expect((await call(round + 1, "GET", "/v1/sites", key)).status).toBe(401)
      }
      await Promise.all(times(3).map(expire))
    })

    test("20 concurrent first provisions of one device over both instances create one device", async () => {
      const { serverKey, manufacturerKey } = credentials
      const models = await call(0, "GET", "/v1/device-models?manufacturer=generic&type=meter", serverKey)
      const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
      const site = await call(0, "POST", "/v1/sites", serverKey, { address })
      for (const round of times(5)) {
        const body = {
          manufacturerDeviceId: `METER-${round}`,
          deviceModelId: models.body.data[0].id,
          siteId: site.body.id
        }
        const responses = await Promise.all(
          times(20).map((one) => call(one, "POST", "/devices", manufacturerKey, body))
        )
        expect(responses.map(({ status }) => status).sort()).toEqual([...times(19).map(() => 200), 201])
        expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1)
        const { body: list } = await call(1, "GET", "/v1/devices", serverKey)
        expect(list.totalItems).toBe(round + 1)
      }
    })
  })
})
