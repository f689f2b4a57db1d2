import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { OutboundHttp } from "@edp/server/platform/outbound/OutboundHttp"
import { limitedClient } from "@edp/server/platform/outbound/limitedClient"
import { Effect, Stream } from "effect"
import { HttpBody } from "effect/http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

let reply = ""
let seen: IncomingMessage | undefined
let sent = ""
const server = createServer((request, response) => {
  seen = request
  sent = ""
  request.on("data", (chunk) => (sent += chunk)).on("end", () => response.end(reply))
})
beforeAll(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)))
afterAll(() => server.close())

const call = (body: HttpBody.HttpBody = HttpBody.empty) =>
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
      const response = yield* client.post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { body })
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

describe("a request to a manufacturer", () => {
  test("has the text or the form that the adapter gives it", async () => {
    reply = "{}"
    expect(await call(HttpBody.text("a=b", "application/x-www-form-urlencoded"))).toBe("{}")
    expect([seen!.method, seen!.headers["content-type"], sent]).toEqual([
      "POST",
      "application/x-www-form-urlencoded",
      "a=b"
    ])
    const form = new FormData()
    form.set("part", "content")
    expect(await call(HttpBody.formData(form))).toBe("{}")
    expect(seen!.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/u)
    expect(sent).toContain('name="part"\r\n\r\ncontent')
  })

  test("may not be a stream", async () => {
    expect(await call(HttpBody.stream(Stream.make(new Uint8Array(1))))).toContain(
      "The body must be text, bytes or a form"
    )
  })
})
