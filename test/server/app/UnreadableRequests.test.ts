import type { AddressInfo, Socket } from "node:net"
import { FrontServer } from "@edp/server/platform/http/FrontServer"
import { refuseUnreadable } from "@edp/server/app/UnreadableRequests"
import { serverLimits } from "@edp/server/platform/http/serverLimits"
import { afterEach, describe, expect, test } from "vitest"
import { rawConversation, type RawReply, repliesIn } from "../../support/rawConversation.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { atOnce } from "../../support/races.ts"

const app = useTestApp()

const say = async (...said: ReadonlyArray<string>) => repliesIn(await rawConversation(app.url, ...said))

const refused = (reply: RawReply | undefined, details: Record<string, string>) => {
  expect(reply).toEqual({
    status: 400,
    headers: expect.objectContaining({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      connection: "close"
    }),
    text: JSON.stringify({ code: "VALIDATION_ERROR", message: "The request is not valid", details })
  })
}

const get = (path: string, ...headers: ReadonlyArray<string>) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers.map((header) => `${header}\r\n`).join("")}\r\n`

const notHost = { host: "Must be a host name or an address, and may end with a port" }
const notHttp = { request: "Must be a request of HTTP/1.1" }

describe("400 VALIDATION_ERROR for unreadable requests", () => {
  test.each([
    ["a line that is not HTTP", "HELLO\r\n\r\n"],
    ["an unknown method", "FETCH /v1/devices HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["another protocol", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"],
    ["a space in the path", "GET /v1/devices and more HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a header without a name", "GET /v1/devices HTTP/1.1\r\nHost: x\r\n: nameless\r\n\r\n"],
    ["a header with a control character", get("/v1/devices", "X-Request-Id: a\u0000b")],
    ["two lengths of one body", get("/v1/devices", "Content-Length: 1", "Content-Length: 2")],
    ["a length beside chunks", get("/v1/devices", "Content-Length: 3", "Transfer-Encoding: chunked")]
  ])("%s", async (_, bytes) => {
    const replies = await say(bytes)
    expect(replies).toHaveLength(1)
    refused(replies[0], notHttp)
  })

  test("headers of more than 16 KiB", async () => {
    refused((await say(get("/v1/devices", `X-Filler: ${"a".repeat(20_000)}`)))[0], {
      headers: "Must be at most 16 KiB with the path"
    })
  })

  test("a path of more than 16 KiB", async () => {
    refused((await say(get(`/v1/devices/${"a".repeat(20_000)}`)))[0], {
      headers: "Must be at most 16 KiB with the path"
    })
  })

  test("no host", async () => {
    refused((await say("GET /v1/devices HTTP/1.1\r\n\r\n"))[0], { host: "Is required" })
    refused((await say("POST /devices HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"))[0], {
      host: "Is required"
    })
  })

  test.each([
    ["two hosts", "Host: x\r\nHost: y\r\n", { host: "Must be given only once" }],
    ["the same host twice", "Host: x\r\nhost: x\r\n", { host: "Must be given only once" }],
    ["a list of hosts", "Host: x, y\r\n", notHost],
    ["a host with a user", "Host: a@x\r\n", notHost],
    ["a host with a path", "Host: x/v1\r\n", notHost],
    ["an invalid port", "Host: x:http\r\n", notHost],
    ["hundreds of headers", `Host: x\r\n${"a:b\r\n".repeat(300)}`, { headers: "Must be at most 200" }]
  ])("%s", async (_, headers, details) => {
    refused((await say(`GET /health/live HTTP/1.1\r\n${headers}\r\n`))[0], details)
  })

  test.each(["x", "x:80", "x:", "api.example.com:443", "127.0.0.1", "[::1]:3000", "a_b"])(
    "and not for the host %s",
    async (host) => {
      const [reply] = await say(`GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      expect(reply?.status).toBe(200)
    }
  )

  test.each([
    ["compressed and in chunks", "1.1", "gzip, chunked"],
    ["compressed", "1.1", "gzip"],
    ["of an unknown coding", "1.1", "xchunked"],
    ["in chunks, but of HTTP/1.0", "1.0", "chunked"]
  ])("a body %s", async (_, version, coding) => {
    const head = `POST /devices HTTP/${version}\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n`
    const replies = await say(`${head}2\r\n{}\r\n0\r\n\r\n`)
    expect(replies).toHaveLength(1)
    refused(replies[0], { transferEncoding: "Must be chunked and nothing else, and HTTP/1.1" })
  })

  test.each(["0.9", "2.0"])("HTTP/%s", async (version) => {
    refused((await say(`GET /health/live HTTP/${version}\r\nHost: x\r\n\r\n`))[0], notHttp)
  })

  test("an unknown expectation", async () => {
    refused((await say(get("/v1/devices", "Expect: the-unexpected")))[0], { expect: "Must be 100-continue" })
  })

  test("a body with invalid chunks", async () => {
    const { keys } = await app.workspace()
    const head = `POST /v1/workspaces HTTP/1.1\r\nHost: x\r\nService-Api-Key: ${keys.MANAGEMENT}\r\nContent-Type: application/json\r\n`
    refused((await say(`${head}Transfer-Encoding: chunked\r\n\r\nnothing\r\n`))[0], {
      body: "Must have chunks of the stated size"
    })
  })
})

test("unreadable data after a request is reported after its response", async () => {
  const replies = await say(`${get("/v1/devices")}HELLO\r\n\r\n`)
  expect(replies.map(({ status }) => status)).toEqual([401, 400])
  refused(replies[1], notHttp)
})

test("unreadable data after several requests is reported after their responses", async () => {
  const replies = await say(`${get("/v1/devices").repeat(3)}HELLO\r\n\r\n`)
  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, 400])
})

test("a request with a truncated body after another one is reported after its response", async () => {
  const head = "POST /devices HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
  const replies = await say(`${get("/v1/devices")}${head}nothing\r\n`)
  expect(replies.map(({ status }) => status)).toEqual([401, 400])
  refused(replies[1], { body: "Must have chunks of the stated size" })
})

test("a tunnel is 404 NOT_FOUND, also after another request", async () => {
  const replies = await say(`${get("/v1/devices")}CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n`)
  expect(replies.map(({ status }) => status)).toEqual([401, 404])
  expect(replies[1]?.text).toBe('{"code":"NOT_FOUND","message":"There is no such route"}')
  expect(replies[1]?.headers).toMatchObject({ connection: "close", "x-request-id": expect.stringMatching(/./) })
})

test("a request for another protocol gets a response in HTTP/1.1, and its headers are checked", async () => {
  const upgrade = ["Connection: Upgrade, close", "Upgrade: h2c"]
  expect((await say(get("/health/live", ...upgrade)))[0]?.status).toBe(200)
  refused((await say(get("/health/live", ...upgrade, "Host: y")))[0], { host: "Must be given only once" })
})

test("a rejected body is not requested", async () => {
  const { keys } = await app.workspace()
  const heard = await rawConversation(
    app.url,
    `POST /v1/sites HTTP/1.1\r\nHost: x\r\nService-Api-Key: ${keys.SERVER}\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`
  )
  expect(heard).toMatch(/^HTTP\/1.1 400 /)
  expect(heard).toContain("Must be at most 1 MiB")
})

test("the server continues after an unreadable request", async () => {
  await atOnce(50, () => say("HELLO\r\n\r\n"))
  expect((await app.call("GET", "/v1/devices")).status).toBe(401)
})

describe("a request that does not arrive in time", () => {
  const stop: Array<() => void> = []
  afterEach(() => stop.splice(0).forEach((undo) => undo()))

  const impatient = async () => {
    const server = new FrontServer({
      ...serverLimits,
      headersTimeout: 50,
      requestTimeout: 100,
      connectionsCheckingInterval: 10
    })
    const noted: Array<Socket> = []
    const undo = refuseUnreadable(server, (socket) => {
      noted.push(socket)
      return {}
    })
    server.on("request", () => {})
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    stop.push(undo, () => server.close())
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, noted }
  }

  const late = { request: "Must arrive within 60 seconds, its headers within 15" }

  test("400 VALIDATION_ERROR for slow headers and a slow body", async () => {
    const { url } = await impatient()
    for (const begun of [
      "GET /v1/devices HTTP/1.1\r\nHo",
      "POST /devices HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"
    ]) {
      const [reply] = repliesIn(await rawConversation(url, begun))
      expect([reply?.status, JSON.parse(reply?.text ?? "{}")]).toEqual([
        400,
        { code: "VALIDATION_ERROR", message: "The request is not valid", details: late }
      ])
    }
  })

  test("no response and no log line for a connection without a request", async () => {
    const { url, noted } = await impatient()
    expect(await rawConversation(url)).toBe("")
    expect(noted).toEqual([])
  })
})
