import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { limitedClient } from "@edp/server/platform/outbound/limitedClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

let reply = ""
const server = createServer((_, response) => response.end(reply))
beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)))
afterAll(() => server.close())

const call = () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const client = limitedClient(Effect.succeed(yield* HttpClient.HttpClient), {
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
      Effect.provide(NodeHttpClient.layerUndici)
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
