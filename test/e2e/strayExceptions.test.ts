import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Receiver, startReceiver } from "../support/peers/webhookReceiver.ts"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { startVisit } from "../support/hosted-pages/hostedFlow.ts"
import { runServer, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const preload = { NODE_OPTIONS: `--import=${fileURLToPath(new URL("strays.ts", import.meta.url))}` }

describe("a server whose libraries throw", () => {
  let server: SpawnedServer
  let receiver: Receiver
  /** Accepts connections and sends nothing. */
  const silent = createServer()
  const readPort = () => (silent.address() as AddressInfo).port

  const connections = () =>
    new Promise<number>((resolve, reject) =>
      silent.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
    )

  beforeAll(async () => {
    receiver = await startReceiver()
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening))
    server = await spawnServer({ env: { ...preload, STRAY_PORT: String(readPort()), EDP_LOG: "json" } })
  })
  afterAll(async () => {
    await server.stop()
    await receiver.stop()
    silent.close()
  })

  const ok = async (method: string, path: string, body?: object) => {
    const key = server.credentials.serverKey
    const response = await callAt(server.baseUrl, method, path, { key, ...(body !== undefined && { body }) })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`)
    return response.body
  }
  const destination = (fields: object) =>
    ok("POST", "/v1/destinations", { eventTypes: ["CUSTOMER_CREATED"], destinationType: "WEBHOOK", ...fields })
  const attempts = async (id: string): Promise<ReadonlyArray<any>> =>
    (await ok("GET", `/v1/destinations/${id}/deliveries`)).data.flatMap((delivery: any) => delivery.attempts)
  const strays = async () => {
    const metrics = await callAt(server.baseUrl, "GET", "/metrics", { key: server.credentials.managementKey })
    return metrics.text.split("\n").filter((line) => line.startsWith("edp_stray_exceptions_total{"))
  }
  /** A new event reaches a working receiver. */
  const expectOthersServed = async () => {
    const other = await destination({ url: receiver.url })
    const made = await ok("POST", "/v1/customers", {})
    await eventually("another destination gets its event", () =>
      receiver.received.some(({ event }) => event.data.customer?.id === made.id) ? true : undefined
    )
    await ok("DELETE", `/v1/destinations/${other.id}`)
  }

  test("keeps answering and delivering next to an encrypted cluster that is configured by IP address", async () => {
    const kafkaConfig = { brokers: [`127.0.0.1:${readPort()}`, "127.0.0.1:9", "[::1]:9"], topic: "t" }
    const { id } = await destination({ destinationType: "KAFKA", kafkaConfig })
    expect(await ok("POST", `/v1/destinations/${id}/test`)).toMatchObject({ succeeded: false, statusCode: null })
    await ok("POST", "/v1/customers", {})
    await eventually("the try is recorded", async () => ((await attempts(id)).length > 0 ? true : undefined))
    await expectOthersServed()
    await ok("DELETE", `/v1/destinations/${id}`)
  })

  test.each([
    ["a webhook", () => ({ url: `http://127.0.0.1:${readPort()}/in` })],
    [
      "a cluster",
      () => ({
        destinationType: "KAFKA",
        kafkaConfig: { brokers: [`127.0.0.1:${readPort()}`], topic: "t", ssl: false }
      })
    ]
  ])("fails a delivery whose socket's callback throws, at once: %s", async (_, fields) => {
    const { id } = await destination(fields())
    const { error, succeeded } = await ok("POST", `/v1/destinations/${id}/test`)
    expect([succeeded, error]).toEqual([false, "The platform could not send the request"])
    await ok("POST", "/v1/customers", {})
    await eventually("the try is recorded", async () => ((await attempts(id)).length > 0 ? true : undefined))
    expect((await attempts(id))[0]).toMatchObject({
      statusCode: null,
      error: "The platform could not send the request"
    })
    await expectOthersServed()
    await ok("DELETE", `/v1/destinations/${id}`)
    await eventually("its sockets are closed", async () => ((await connections()) === 0 ? true : undefined))
    expect((await strays()).some((line) => line.includes('outbound="true"'))).toBe(true)
  })
})

describe("a server whose own services and devices make its libraries throw", () => {
  let server: SpawnedServer
  const silent = createServer()

  beforeAll(async () => {
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening))
    const { port } = silent.address() as AddressInfo
    const http = `http://127.0.0.1:${port}`
    server = await spawnServer({
      env: {
        ...preload,
        STRAY_PORT: String(port),
        EDP_LOG: "json",
        REDIS_URL: `redis://127.0.0.1:${port}`,
        WEATHER_URL: http,
        OTEL_EXPORTER_OTLP_ENDPOINT: http
      }
    })
  })
  afterAll(async () => {
    await server.stop()
    silent.close()
  })

  test("goes on after exceptions in the sockets of the weather service, Redis, the trace collector and a local device", async () => {
    const { managementKey, serverKey } = server.credentials
    const call = (path: string, body: object) => callAt(server.baseUrl, "POST", path, { key: serverKey, body })
    const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    const { id } = (await call("/v1/sites", { address })).body
    const site = await callAt(server.baseUrl, "GET", `/v1/sites/${id}?include=weather`, { key: serverKey })
    expect([site.status, site.body.weather]).toEqual([200, null])

    const customerInfo = {
      firstName: "Ada",
      lastName: "Okafor",
      email: "ada@example.com",
      location: { ...address, country: "USA" }
    }
    const session = await call("/v1/connections", {
      manufacturerFilters: { manufacturers: ["sunspec"] },
      customerInfo
    })
    const visit = startVisit(server.baseUrl)
    await visit.open(session.body.url)
    await visit.post(`${session.body.url}/consent`, [["granted", "yes"]])
    const { port } = silent.address() as AddressInfo
    const form = await visit.post(`${session.body.url}/form`, [
      ["host", "127.0.0.1"],
      ["port", `${port}`],
      ["unitId", "1"]
    ])
    expect(form.status).toBe(422)

    const metrics = await callAt(server.baseUrl, "GET", "/metrics", { key: managementKey })
    const counted = metrics.text.split("\n").filter((line) => line.startsWith("edp_stray_exceptions_total{"))
    expect(counted.filter((line) => line.includes('outbound="false"'))).toEqual([])
    expect(counted.some((line) => line.includes('outbound="true"'))).toBe(true)
  })
})

describe("an exception that belongs to no outbound call", () => {
  test.each([
    ["an exception in a timer", "SIGUSR2", "thrown in a timer"],
    ["a rejection that nobody handles", "SIGPWR", "rejected by nobody's promise"],
    ["an error event without a listener", "SIGIO", "emitted to nobody"]
  ] as const)("%s ends the process with status 1, and its reason is the last line", async (_, signal, text) => {
    const server = await spawnServer({ env: { ...preload, EDP_LOG: "pretty" } })
    const { serverKey } = server.credentials
    const made = await callAt(server.baseUrl, "POST", "/v1/customers", { key: serverKey, body: {} })
    expect(made.status).toBe(201)
    process.kill(server.pid, signal)
    expect((await server.exited).code).toBe(1)
    const lines = server.stderr().trim().split("\n")
    expect(lines.at(-1)).toMatch(
      new RegExp(`^edp: the service ends because of an exception that was not caught: .*${text}$`, "u")
    )
    // The line of the log has the stack, for the report.
    expect(server.stdout() + server.stderr()).toMatch(new RegExp(`${text}[^]*strays\\.ts`, "u"))
  })
})

test("a start in which something throws ends the process", async () => {
  const { code, stderr, stdout } = await runServer({ env: { ...preload, STRAY_START: "1" } })
  expect(code).not.toBe(0)
  expect(stderr).toContain("thrown during the start")
  expect(stdout).not.toContain("running")
})
