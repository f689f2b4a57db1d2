import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Receiver, startReceiver } from "../server/destinations/receiver.ts"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
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
    const answer = await callAt(server.baseUrl, method, path, { key, ...(body !== undefined && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.body
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

  test("survives a throwing timer, a rejection and an emitted error, and logs and counts them", async () => {
    process.kill(server.pid, "SIGUSR2")
    const expected = ["thrown in a timer", "rejected by nobody's promise", "emitted to nobody"]
    await eventually("all are logged", () =>
      expected.every((text) => `${server.stdout()}${server.stderr()}`.includes(text)) ? true : undefined
    )
    await expectOthersServed()
    const counted = (await strays()).filter((line) => line.includes('outbound="false"'))
    expect(counted.find((line) => line.includes('kind="exception"'))).toMatch(/ 2$/)
    expect(counted.find((line) => line.includes('kind="rejection"'))).toMatch(/ 1$/)
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

test("a start in which something throws ends the process", async () => {
  const { code, stderr, stdout } = await runServer({ env: { ...preload, STRAY_START: "1" } })
  expect(code).not.toBe(0)
  expect(stderr).toContain("thrown during the start")
  expect(stdout).not.toContain("running")
})
