import { type InboundListener, InboundRefused } from "@edp/adapter-kit/ManufacturerAdapter"
import { Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { inboundServer } from "../../support/inboundServer.ts"
import { rawConversation, repliesIn } from "../../support/rawConversation.ts"

const opened: Array<() => Promise<unknown>> = []
afterEach(() => Promise.all(opened.splice(0).map((close) => close())))

/** A server whose devices dial /line/:id. */
const serve = async (authenticate: InboundListener["authenticate"], env: Record<string, string> = {}) => {
  const ended: Array<string> = []
  const inbound: InboundListener = { path: "/line/", authenticate, close: Effect.sync(() => void ended.push("closed")) }
  const { close, port, stop } = await inboundServer([inbound], env)
  opened.push(close)
  const say = async (...said: ReadonlyArray<string>) =>
    repliesIn(await rawConversation(`http://127.0.0.1:${port}`, ...said))
  return { say, stop, ended }
}

const accept: InboundListener["authenticate"] = ({ url }) =>
  Effect.succeed((socket, head) => {
    const text = `${url} is on the line, and says ${head.toString()}`
    socket.end(`HTTP/1.1 101 Switching Protocols\r\nContent-Length: ${text.length}\r\n\r\n${text}`)
  })

const upgrade = (path: string, ...headers: ReadonlyArray<string>) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers.map((header) => `${header}\r\n`).join("")}\r\n`

describe("devices with inbound connections", () => {
  test("have their connection passed on, with what they sent behind the head", async () => {
    const { say } = await serve(accept)
    expect(await say(`${upgrade("/line/1")}hello`)).toMatchObject([
      { status: 101, text: "/line/1 is on the line, and says hello" }
    ])
  })

  test("are passed on once earlier requests on their connection have their responses", async () => {
    const { say } = await serve(accept)
    const replies = await say(`GET /first HTTP/1.1\r\nHost: x\r\n\r\n${upgrade("/line/1")}`)
    expect(replies.map(({ status }) => status)).toEqual([404, 101])
  })

  test.each([
    ["another path", upgrade("/lines/1")],
    ["another method", upgrade("/line/1").replace("GET", "POST")],
    ["a body", upgrade("/line/1", "Content-Length: 2") + "{}"],
    ["no upgrade", "GET /line/1 HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["two hosts", upgrade("/line/1", "Host: y")]
  ])("a request with %s is answered like any request", async (_, bytes) => {
    const { say } = await serve(accept)
    expect(await say(bytes)).toMatchObject([{ status: 404, text: expect.stringMatching(/^request of/) }])
  })

  test("get 401 with the error's body, and 429 once their address has failed too often", async () => {
    const { say } = await serve(() => Effect.fail(new InboundRefused({ reason: "unauthenticated" })), {
      EDP_RATE_LIMIT_AUTH_FAILURES: "2"
    })
    const refused = {
      status: 401,
      headers: {
        "www-authenticate": expect.stringContaining("Basic"),
        "x-request-id": expect.any(String),
        connection: "close"
      },
      text: expect.stringContaining('"code":"UNAUTHENTICATED"')
    }
    expect(await say(upgrade("/line/1"))).toMatchObject([refused])
    expect(await say(upgrade("/line/2"))).toMatchObject([refused])
    expect(await say(upgrade("/line/1"))).toMatchObject([
      { status: 429, headers: { "retry-after": expect.stringMatching(/^\d+$/) } }
    ])
  })

  test("get 503 when the adapter is busy, or fails with a defect", async () => {
    const busy = await serve(() => Effect.fail(new InboundRefused({ reason: "busy" })))
    const broken = await serve(() => Effect.die(new Error("no database")))
    for (const { say } of [busy, broken]) {
      const [reply] = await say(upgrade("/line/1"))
      expect(reply).toMatchObject({ status: 503, text: expect.stringContaining('"code":"SERVICE_UNAVAILABLE"') })
      expect(reply!.text).not.toContain("database")
    }
  })

  test("are closed when the instance stops, which then takes no more", async () => {
    const { ended, say, stop } = await serve(accept)
    await stop()
    expect(ended).toEqual(["closed"])
    expect(await say(upgrade("/line/1"))).toMatchObject([{ status: 404 }])
  })
})
