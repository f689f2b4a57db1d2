import { randomBytes } from "node:crypto"
import { connect } from "node:net"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { runServer, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const splitLines = (server: SpawnedServer) =>
  `${server.stdout()}${server.stderr()}`.split("\n").filter((line) => line !== "")

/** Node's option to run a program before the server's own. */
const importing = (program: string) => `--import=data:text/javascript,${encodeURIComponent(program)}`

/** The token of a person's link. */
const linkToken = randomBytes(32).toString("base64url")

/** Makes a server log in every way: at its start, for requests, and in warnings of its own and of Node. */
const makeTalk = async (server: SpawnedServer, secret: string) => {
  const { managementKey, serverKey: key } = server.credentials
  const link = await callAt(server.baseUrl, "POST", "/dashboard/api/links", { key: managementKey })
  const token = new URL(link.body.url).hash.slice("#token=".length)
  const signedIn = await callAt(server.baseUrl, "POST", "/dashboard/api/sign-in", { body: { token } })
  const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!
  await callAt(server.baseUrl, "GET", "/dashboard/api/session", { headers: { cookie } })
  await callAt(server.baseUrl, "POST", "/dashboard/api/sign-in", { body: { key: managementKey } })
  await callAt(server.baseUrl, "GET", "/health/live")
  await callAt(server.baseUrl, "GET", "/metrics", { key: managementKey })
  await callAt(server.baseUrl, "GET", "/metrics")
  await callAt(server.baseUrl, "GET", `/v1/devices/${secret}`, { key })
  await callAt(server.baseUrl, "GET", `/v1/devices/${secret.replace("_", "%5F")}`, { key })
  await callAt(server.baseUrl, "GET", "/v1/sites", { key, headers: { "X-Request-Id": secret } })
  await callAt(server.baseUrl, "GET", `/connect/${linkToken}`)
  await callAt(server.baseUrl, "GET", `/connect/${linkToken}/customer?state=${linkToken}`)
  await callAt(server.baseUrl, "GET", `/enroll/evening-peak/${linkToken}/connect`)
  await callAt(server.baseUrl, "GET", `/enroll/evening-peak/email/${linkToken}/confirm`)
  await callAt(server.baseUrl, "GET", `/inbound/shelly/${linkToken}`)
  await callAt(server.baseUrl, "POST", `/grid-notifications/${linkToken}`)
  connect(server.port, "127.0.0.1")
    .on("error", () => {})
    .end("HELLO\r\n\r\n")
  await eventually("all of it is printed", () => {
    const text = splitLines(server).join("\n")
    const expected = ["is running at", "/v1/sites", "Redis is unreachable", "NoteForTests: printed by Node"]
    return expected.every((part) => text.includes(part)) ? true : undefined
  })
  return [token, cookie.slice(cookie.indexOf("=") + 1), signedIn.body.csrfToken as string]
}

describe.each(["json", "pretty"] as const)("with EDP_LOG=%s", (format) => {
  const secret = generateKey("SERVER", randomBytes)
  let server: SpawnedServer
  let keys: ReadonlyArray<string>
  beforeAll(async () => {
    const warning = `process.on("newListener", (name) => {
      if (name === "warning") setImmediate(() => process.emitWarning("printed by Node", "NoteForTests"))
    })`
    server = await spawnServer({
      env: {
        EDP_LOG: format,
        REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
        NODE_OPTIONS: importing(warning)
      }
    })
    const { managementKey, manufacturerKey, serverKey } = server.credentials
    const tokens = await makeTalk(server, secret)
    keys = [managementKey, manufacturerKey, serverKey, ...tokens]
    expect(await server.stop()).toBe(0)
  })
  afterAll(() => server.kill9())

  test("all lines have the same form", () => {
    const lines = splitLines(server)
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) {
      if (format === "pretty") expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} (INFO|WARN) \S/)
      else {
        expect(JSON.parse(line)).toMatchObject({
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          level: expect.stringMatching(/^(INFO|WARN)$/),
          message: expect.stringMatching(/./)
        })
      }
    }
  })

  test("successful polls of the health and of the metrics leave no line, refused ones do", () => {
    const polls = splitLines(server).filter((line) => /\/(health|metrics)\b/.test(line))
    const statuses = polls.map((line) => Number(/"status":(\d+)/.exec(line)?.[1] ?? / INFO (\d+) /.exec(line)?.[1]))
    expect(statuses).toContain(401)
    expect(statuses.filter((status) => !(status >= 400))).toEqual([])
  })

  test("no line holds a key, or a token of the dashboard", () => {
    const text = splitLines(server).join("\n")
    expect(text).toContain(`/v1/devices/${secret.slice(0, 12)}***`)
    expect(text).not.toContain(secret.slice(7))
    for (const key of keys) expect(text).not.toContain(key)
    expect(text).toContain("/connect/***/customer")
    expect(text).toContain("/enroll/evening-peak/***/connect")
    expect(text).toContain("/enroll/evening-peak/email/***/confirm")
    expect(text).toContain("/inbound/shelly/***")
    expect(text).toContain("/grid-notifications/***")
    expect(text).not.toContain(linkToken)
    expect(text).toContain(`Dashboard  ${server.baseUrl}/`)
  })
})

test("a start on a terminal prints a link to the dashboard, which signs in", async () => {
  const server = await spawnServer({
    env: { EDP_LOG: "pretty", NODE_OPTIONS: importing("process.stdout.isTTY = true") }
  })
  const url = await eventually("the link", () => /Dashboard  (http\S+)/u.exec(server.stdout())?.[1])
  const [address, token] = url.split("#token=")
  expect(address).toBe(`http://127.0.0.1:${server.port}/dashboard/sign-in`)
  const response = await callAt(server.baseUrl, "POST", "/dashboard/api/sign-in", { body: { token } })
  expect(response.body.key.keyPrefix).toBe(server.credentials.managementKey.slice(0, 12))
  expect(await server.stop()).toBe(0)
})

describe("a start that is refused", () => {
  test("is logged in one line of that form", async () => {
    const run = await runServer({ env: { EDP_LOG: "json", EDP_RATE_LIMIT_READ: "many" } })
    expect(run).toMatchObject({ code: 1, stdout: "" })
    expect(JSON.parse(run.stderr)).toMatchObject({
      level: "FATAL",
      message: "EDP_RATE_LIMIT_READ must be requests a minute from 1 to 1000000"
    })
  })

  test("by an exception of a library is logged likewise", async () => {
    const throwing = `const timer = setInterval(() => {
      if (process.listenerCount("uncaughtException") === 0) return
      clearInterval(timer)
      throw new Error("thrown in a timer")
    }, 1)
    timer.unref()`
    const run = await runServer({ env: { EDP_LOG: "json", NODE_OPTIONS: importing(throwing) } })
    expect(run.code).toBe(1)
    expect(JSON.parse(run.stderr)).toMatchObject({
      level: "FATAL",
      cause: expect.stringContaining("thrown in a timer")
    })
  })
})
