import { type ClientRequest, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { Client } from "pg"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt, readStatus } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { untilLockWait } from "../support/races.ts"

let folder: GuardedFolder
beforeAll(async () => {
  folder = await guardedFolder("edp-shutdown")
})
afterAll(() => folder.remove())

const terminate = (server: SpawnedServer, signal: NodeJS.Signals = "SIGTERM") => process.kill(server.pid, signal)

const refusesConnections = (server: SpawnedServer) =>
  eventually("the server takes no new connections", async () =>
    (await readStatus(`${server.baseUrl}/health/live`, 2000)) === undefined ? true : undefined
  )

/** Begins a request without its body. Resolves when the server is handling it. */
const beginPost = (server: SpawnedServer, path: string, body: string) =>
  new Promise<ClientRequest>((resolve, reject) => {
    const call = request(server.baseUrl + path, {
      method: "POST",
      headers: {
        "Service-Api-Key": server.credentials.managementKey,
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        Expect: "100-continue"
      }
    })
    call.on("error", reject)
    call.on("continue", () => resolve(call))
    call.flushHeaders()
  })

const statusOfCall = (call: ClientRequest) =>
  new Promise<number | undefined>((resolve, reject) => {
    call.on("error", reject)
    call.on("response", (response) => {
      response.resume()
      response.on("end", () => resolve(response.statusCode))
    })
  })

describe.each(["SIGTERM", "SIGINT"] as const)("%s", (signal) => {
  test("an idle server ends at once, with exit code 0 and nothing on stderr", async () => {
    const server = await spawnServer()
    const idle = await fetch(`${server.baseUrl}/health/live`)
    await idle.text()
    const begun = performance.now()
    terminate(server, signal)
    expect(await server.exited).toEqual({ code: 0, signal: null })
    expect(performance.now() - begun).toBeLessThan(9000)
    expect(server.stderr()).toBe("")
    const lines = server.stdout().trimEnd().split("\n")
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      level: "INFO",
      message: `The Energy Device Platform has stopped after ${signal}`
    })
  })
})

describe("SIGTERM", () => {
  test("takes no new requests, finishes what runs, and acknowledged writes are there after the next start", async () => {
    const dataDir = `${folder.path}/data`
    const server = await spawnServer({ dataDir })
    const body = JSON.stringify({ name: "Last minute" })
    const call = await beginPost(server, "/v1/workspaces", body)
    const status = statusOfCall(call)
    terminate(server)
    await refusesConnections(server)
    call.end(body)
    expect(await status).toBe(201)
    expect(await server.exited).toEqual({ code: 0, signal: null })

    const next = await spawnServer({ dataDir })
    const { managementKey: key } = next.credentials
    const workspaces = await callAt(next.baseUrl, "GET", "/v1/workspaces", { key })
    expect(workspaces.body.data.map(({ name }: { name: string }) => name)).toContain("Last minute")
    await next.stop()
  })

  describePostgres("on PostgreSQL", () => {
    const databases = useDatabases()

    /** Lists workspaces while another session locks the table: the request runs until `release`. */
    const slowRead = async (server: SpawnedServer) => {
      const other = new Client({ connectionString: databases.url })
      other.on("error", () => undefined)
      await other.connect()
      await other.query("BEGIN; LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE")
      const { managementKey: key } = server.credentials
      const reply = callAt(server.baseUrl, "GET", "/v1/workspaces", { key }).catch(() => undefined)
      await untilLockWait(databases.url, "the request waits in the database", {
        statement: "SELECT count(*)%FROM workspaces%"
      })
      return { reply, release: () => other.query("COMMIT").then(() => other.end()) }
    }

    test("a request that waits for the database gets its response, and its kept-alive connection delays nothing", async () => {
      const server = await spawnServer({ env: { DATABASE_URL: databases.url } })
      const { reply, release } = await slowRead(server)
      terminate(server)
      await refusesConnections(server)
      await release()
      const answered = await reply
      const begun = performance.now()
      expect([answered?.status, answered?.headers.get("connection")]).toEqual([200, "close"])
      expect(await server.exited).toEqual({ code: 0, signal: null })
      expect(performance.now() - begun).toBeLessThan(9000)
    })

    test("a delivery that has begun is finished, recorded and not repeated", async () => {
      let respond = () => {}
      let requests = 0
      const receiver = createServer((_, response) => {
        requests += 1
        respond = () => response.writeHead(204).end()
      })
      await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening))
      const DATABASE_URL = await databases.create()
      const server = await spawnServer({ env: { DATABASE_URL, EDP_ALLOW_PRIVATE_DESTINATIONS: "true" } })
      const { serverKey: key } = server.credentials
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
      const body = { destinationType: "WEBHOOK", url, eventTypes: ["CUSTOMER_CREATED"] }
      expect((await callAt(server.baseUrl, "POST", "/v1/destinations", { key, body })).status).toBe(201)
      await callAt(server.baseUrl, "POST", "/v1/customers", { key, body: {} })
      await eventually("it is on its way", () => (requests === 1 ? true : undefined))
      terminate(server)
      await refusesConnections(server)
      respond()
      expect(await server.exited).toEqual({ code: 0, signal: null })
      receiver.closeAllConnections()
      receiver.close()
      const database = new Client({ connectionString: DATABASE_URL })
      await database.connect()
      const { rows } = await database.query(
        "SELECT status, (SELECT count(*)::int FROM delivery_lanes) AS lanes FROM deliveries"
      )
      await database.end()
      expect(rows).toEqual([{ status: "succeeded", lanes: 0 }])
    })

    test("a request that never ends delays the shutdown by ten seconds and no longer", async () => {
      const server = await spawnServer({ env: { DATABASE_URL: await databases.create() } })
      const body = JSON.stringify({ name: "Never sent" })
      const call = await beginPost(server, "/v1/workspaces", body)
      const broken = statusOfCall(call).catch(() => undefined)
      const begun = performance.now()
      terminate(server)
      expect(await server.exited).toEqual({ code: 0, signal: null })
      expect(performance.now() - begun).toBeGreaterThan(9000)
      expect(performance.now() - begun).toBeLessThan(18_000)
      expect(await broken).toBeUndefined()
    })
  })
})
