import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { OutboundHttp } from "@edp/server/platform/outbound/OutboundHttp"
import { limitedClient } from "@edp/server/platform/outbound/limitedClient"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

let reply = ""
const server = createServer((_, response) => response.end(reply))
beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)))
afterAll(() => server.close())

const call = () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const client = limitedClient((yield* OutboundHttp).send, {
        span: "call",
        attributes: {},
        timeLimitMs: 10_000,
        responseLimit: 4 * 1024 * 1024,
        admit: Effect.void,
        onEnd: () => Effect.void
      })
      const response = yield* client.get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
      return yield* response.text
    }).pipe(
      Effect.catchTag("HttpClientError", ({ message }) => Effect.succeed(message)),
      Effect.provide(OutboundHttp.layer({ allowPrivate: true }))
    )
  )

describe("a response of a manufacturer", () => {
  test.each([
    ["levels", "[".repeat(3_000_000)],
    ["objects", `[${"{},".repeat(60_000)}{}]`],
    ["fields", `{${Array.from({ length: 100_001 }, (_, n) => `"${n}":1`).join()}}`],
    ["texts", `[${Array(200_001).fill('""').join()}]`]
  ])("with too many %s is refused before it is parsed", async (_, text) => {
    reply = text
    expect(await call()).toContain("The response has too many fields, values or levels")
  })

  test("within the limits is read as it is, whatever brackets its texts contain", async () => {
    reply = JSON.stringify({ list: Array.from({ length: 10_000 }, () => ({ a: 1 })), text: "[".repeat(100_000) })
    expect(await call()).toBe(reply)
  })
})
