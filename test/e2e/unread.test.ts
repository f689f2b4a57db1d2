import { readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { times } from "./fleet.ts"

const HOUR = 3_600_000
const MIB = 1024 * 1024
const to = Math.floor(Date.now() / HOUR) * HOUR
const span = `from=${new Date(to - 4990 * HOUR).toISOString()}&to=${new Date(to).toISOString()}`
/** About 10 MB. */
const large = `/v1/metrics/generation?period=hour&groupBy=device&${span}`

const SOCKETS = 30
const REQUESTS_EACH = 20

describe.skipIf(process.platform !== "linux")("a client that sends requests and reads nothing", () => {
  let server: SpawnedServer
  let key: string
  const sockets: Array<Socket> = []
  const broken = new Set<Socket>()
  const residentBytes = () =>
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))![1]) * 1024

  beforeAll(async () => {
    server = await spawnServer({
      setsAllocator: true,
      env: { EDP_UNREAD_ANSWERS: "64", EDP_UNREAD_TIMEOUT: "5", EDP_RATE_LIMIT_READ: "1000000" }
    })
    const { serverKey, manufacturerKey, managementKey } = server.credentials
    const create = async (path: string, by: string, body: object) =>
      (await callAt(server.baseUrl, "POST", path, { key: by, body })).body
    const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    const { id: siteId } = await create("/v1/sites", serverKey, { address })
    const models = await callAt(server.baseUrl, "GET", "/v1/device-models?manufacturer=generic&type=inverter", {
      key: serverKey
    })
    const deviceModelId = models.body.data[0].id
    for (const n of times(20)) {
      await create("/devices", manufacturerKey, { manufacturerDeviceId: `inverter-${n}`, deviceModelId, siteId })
    }
    key = (await create("/v1/api-keys", managementKey, { name: "Reader", type: "SERVER" })).key
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await server.stop()
  })

  test("uses bounded memory, blocks no other client, and is disconnected", async () => {
    const read = () => callAt(server.baseUrl, "GET", large, { key })
    expect((await read()).text.length).toBeGreaterThan(10_000_000)
    const before = residentBytes()

    const request = `GET ${large} HTTP/1.1\r\nHost: x\r\nService-Api-Key: ${key}\r\n\r\n`.repeat(REQUESTS_EACH)
    for (const _ of times(SOCKETS)) {
      const socket = connect(server.port, "127.0.0.1", () => socket.write(request))
      socket.pause()
      socket.on("error", () => broken.add(socket))
      sockets.push(socket)
    }

    let most = before
    // A closed connection is noticed by writing to it, not while reading is paused.
    await eventually(
      "all of them are cut off",
      async () => {
        const other = await callAt(server.baseUrl, "GET", "/v1/devices", { key: server.credentials.serverKey })
        expect(other.status).toBe(200)
        most = Math.max(most, residentBytes())
        for (const socket of sockets) if (!broken.has(socket)) socket.write("x")
        return broken.size === SOCKETS ? true : undefined
      },
      240_000
    )
    // Unbounded, these would be 6 GB.
    expect((most - before) / MIB).toBeLessThan(300)
    expect((await read()).status).toBe(200)
  }, 300_000)
})
