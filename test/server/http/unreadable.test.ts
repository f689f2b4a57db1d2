import type { AddressInfo, Socket } from "node:net"
import { FrontServer } from "@edp/server/http/FrontServer"
import { refuseUnreadable } from "@edp/server/http/refuseUnreadable"
import { serverLimits } from "@edp/server/http/serverLimits"
import { afterEach, describe, expect, test } from "vitest"
import { rawConversation, type RawReply, repliesIn } from "../../support/rawConversation.ts"
import { useTestApp } from "../../support/TestApp.ts"

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

const notHttp = { request: "Must be a request of HTTP/1.1" }

describe("400 VALIDATION_ERROR for what no parser takes as a request", () => {
  test.each([
    ["a line that is none of HTTP", "HELLO\r\n\r\n"],
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

  test("an expectation that nobody can meet", async () => {
    refused((await say(get("/v1/devices", "Expect: the-unexpected")))[0], { expect: "Must be 100-continue" })
  })

  test("a body that is not in the chunks that it promises", async () => {
    const { keys } = await app.workspace()
    const head = `POST /v1/workspaces HTTP/1.1\r\nHost: x\r\nService-Api-Key: ${keys.MANAGEMENT}\r\nContent-Type: application/json\r\n`
    refused((await say(`${head}Transfer-Encoding: chunked\r\n\r\nnothing\r\n`))[0], {
      body: "Must be sent in chunks of the size that they name"
    })
  })
})

test("what follows a request unreadably is answered after that request", async () => {
  const replies = await say(`${get("/v1/devices")}HELLO\r\n\r\n`)
  expect(replies.map(({ status }) => status)).toEqual([401, 400])
  refused(replies[1], notHttp)
})

test("the server goes on after what it could not read", async () => {
  await Promise.all(Array.from({ length: 50 }, () => say("HELLO\r\n\r\n")))
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

  test("400 VALIDATION_ERROR for headers and for a body that are slow", async () => {
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

  test("no answer and no line in the log for a connection on which nothing was asked", async () => {
    const { url, noted } = await impatient()
    expect(await rawConversation(url)).toBe("")
    expect(noted).toEqual([])
  })
})
