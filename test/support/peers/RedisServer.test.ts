import { createClient } from "redis"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeRedis, type RedisServer, startRedis } from "./RedisServer.ts"

const connection = (url: string) => createClient({ url, socket: { reconnectStrategy: false } })

const withClient = async <A>(url: string, use: (client: ReturnType<typeof connection>) => Promise<A>) => {
  const client = connection(url)
  client.on("error", () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    client.destroy()
  }
}

describeRedis("a throwaway Redis", () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.close())

  it("responds at its address and keeps nothing on disk", async () => {
    await withClient(server.url, async (client) => {
      await client.set("name", "value")
      expect(await client.get("name")).toBe("value")
      expect(await client.configGet("save")).toMatchObject({ save: "" })
    })
  })

  it("refuses connections during an outage and is empty afterwards", async () => {
    await withClient(server.url, (client) => client.set("forgotten", "value"))
    await server.stop()
    await expect(withClient(server.url, (client) => client.ping())).rejects.toMatchObject({ code: "ECONNREFUSED" })
    await server.start()
    expect(await withClient(server.url, (client) => client.get("forgotten"))).toBeNull()
  })
})
