import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, LookupFunction } from "node:net"
import { gzipSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { OutboundHttp, type OutboundRequest } from "@edp/server/platform/outbound/OutboundHttp"
import { NOT_CALLED, PrivateAddress } from "@edp/server/platform/outbound/OutboundDial"
import { Duration, Effect } from "effect"

type Reply = (request: IncomingMessage, response: ServerResponse) => void

/** A receiver on this machine. Returns its port and what it was sent. */
const receiver = (reply: Reply) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<{ port: number; seen: Array<IncomingMessage>; close: () => void }>((resolve) => {
          const seen: Array<IncomingMessage> = []
          const server = createServer((request, response) => {
            seen.push(request)
            request.resume()
            request.on("end", () => reply(request, response))
          })
          server.listen(0, "127.0.0.1", () => {
            const { port } = server.address() as AddressInfo
            resolve({ port, seen, close: () => void server.close(() => {}).closeAllConnections() })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  )

const post = (url: string, options: Partial<OutboundRequest> = {}) =>
  Effect.flatMap(OutboundHttp, (http) =>
    http.post({
      url: new URL(url),
      headers: { "x-team": "operations" },
      body: Buffer.from("{}"),
      timeLimit: Duration.seconds(10),
      responseLimit: 1000,
      ...options
    })
  )

const trusting = OutboundHttp.layer({ allowPrivate: true })
const careful = OutboundHttp.layer({ allowPrivate: false })

describe("a POST to an address that a caller chose", () => {
  it.live("is sent once with its headers and body, and its response is read", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* receiver((_, response) => response.writeHead(201, { "x-id": "7" }).end("taken"))
      const reply = yield* post(`http://127.0.0.1:${port}/in?a=b`)
      expect([reply.status, reply.headers["x-id"], Buffer.from(reply.body).toString()]).toEqual([201, "7", "taken"])
      expect(seen.map(({ headers, method, url }) => [method, url, headers["x-team"]])).toEqual([
        ["POST", "/in?a=b", "operations"]
      ])
    }).pipe(Effect.provide(trusting), Effect.scoped)
  )

  it.live("follows no redirect", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* receiver((_, response) => response.writeHead(307, { location: "/elsewhere" }).end())
      expect((yield* post(`http://127.0.0.1:${port}/`)).status).toBe(307)
      expect(seen).toHaveLength(1)
    }).pipe(Effect.provide(trusting), Effect.scoped)
  )

  it.live("reads an endless response only up to the limit", () =>
    Effect.gen(function* () {
      const { port } = yield* receiver((_, response) => {
        const flood = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, "x"))) void 0
        }
        response.on("drain", flood)
        flood()
      })
      expect((yield* post(`http://127.0.0.1:${port}/`)).body).toHaveLength(1000)
    }).pipe(Effect.provide(trusting), Effect.scoped)
  )

  it.live("requests no compression and decompresses nothing", () =>
    Effect.gen(function* () {
      const bomb = gzipSync(Buffer.alloc(10_000_000))
      const { port, seen } = yield* receiver((_, response) =>
        response.writeHead(200, { "content-encoding": "gzip" }).end(bomb)
      )
      const { body } = yield* post(`http://127.0.0.1:${port}/`, { responseLimit: 65_536 })
      expect(body.length).toBeLessThanOrEqual(bomb.length)
      expect(seen[0]!.headers["accept-encoding"]).toBe("identity")
    }).pipe(Effect.provide(trusting), Effect.scoped)
  )

  const silent: ReadonlyArray<readonly [string, Reply]> = [
    ["hangs", () => {}],
    [
      "drips",
      (_, response) => {
        const drip = setInterval(() => response.write("."), 5)
        response.on("close", () => clearInterval(drip))
      }
    ]
  ]
  it.live.each(silent)("times out when the receiver %s", ([, reply]) =>
    Effect.gen(function* () {
      const { port } = yield* receiver(reply)
      const failure = yield* Effect.flip(post(`http://127.0.0.1:${port}/`, { timeLimit: Duration.millis(200) }))
      expect(failure.reason).toBe("timeout")
    }).pipe(Effect.provide(trusting), Effect.scoped)
  )

  it.live("reports an unreachable receiver, and a broken connection", () =>
    Effect.gen(function* () {
      const gone = yield* receiver(() => {})
      gone.close()
      expect((yield* Effect.flip(post(`http://127.0.0.1:${gone.port}/`))).reason).toBe("unreachable")
      const { port } = yield* receiver((request) => request.socket.destroy())
      expect((yield* Effect.flip(post(`http://127.0.0.1:${port}/`))).reason).toBe("broken")
    }).pipe(Effect.provide(trusting), Effect.scoped)
  )
})

describe("if private addresses are rejected", () => {
  it.live.each(["127.0.0.1", "[::1]", "2130706433", "0x7f.1", "localhost", "169.254.169.254"])(
    "%s is not called",
    (host) =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(post(`http://${host}:9/`))
        expect(failure.reason).toBe("refused")
      }).pipe(Effect.provide(careful))
  )

  it.live("a public name that resolves to this machine is not called", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* receiver((_, response) => response.end())
      const failure = yield* Effect.flip(post(`http://localtest.example.com:${port}/`))
      expect(["refused", "unresolved"]).toContain(failure.reason)
      expect(seen).toHaveLength(0)
    }).pipe(Effect.provide(careful), Effect.scoped)
  )

  it.live("a name that resolves to a private address and one that does not exist get the same message", () =>
    Effect.gen(function* () {
      const unknown: LookupFunction = (host, _options, callback) =>
        callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" }), [])
      const hidden: LookupFunction = (host, _options, callback) => callback(new PrivateAddress(host), [])
      const messages = yield* Effect.forEach([unknown, hidden], (lookup) =>
        Effect.flip(post("http://db.corp.example.com/")).pipe(
          Effect.map(({ message }) => message),
          Effect.provide(OutboundHttp.layer({ allowPrivate: false, lookup }))
        )
      )
      expect(messages).toEqual([NOT_CALLED, NOT_CALLED])
    })
  )

  it.live("the connection uses the checked address, even if the name changes", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* receiver((_, response) => response.end())
      let asked = 0
      const lookup: LookupFunction = (_host, options, callback) => {
        asked += 1
        const [address, family] = ["127.0.0.1", 4] as const
        return options.all === true ? callback(null, [{ address, family }]) : callback(null, address, family)
      }
      yield* post(`http://rebinding.example.com:${port}/`).pipe(
        Effect.provide(OutboundHttp.layer({ allowPrivate: false, lookup }))
      )
      expect([asked, seen.length]).toEqual([1, 1])
    }).pipe(Effect.scoped)
  )
})
