import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { answering, json } from "./answering.ts"

const readFailure = (respond: () => Response) => {
  const { client, seen } = answering([respond])
  return Effect.map(
    Effect.flatMap(client, ({ sites }) => Effect.flip(sites.list({ query: {} }))),
    (error) => ({ error, sent: seen.length })
  )
}

describe("a response outside the contract", () => {
  it.effect("is UnexpectedResponse if its body does not match", () =>
    Effect.gen(function* () {
      const { error, sent } = yield* readFailure(json(200, { data: "nothing" }))
      expect(error).toMatchObject({ _tag: "UnexpectedResponse", cause: { _tag: "SchemaError" } })
      expect(sent).toBe(1)
    })
  )

  it.effect("reports an unknown code with its status and the request's id", () =>
    Effect.gen(function* () {
      const { error } = yield* readFailure(
        json(403, { code: "ACCOUNT_SUSPENDED", message: "Pay your bill" }, { "x-request-id": "r-1" })
      )
      expect(error).toMatchObject({
        _tag: "UnexpectedResponse",
        status: 403,
        code: "ACCOUNT_SUSPENDED",
        requestId: "r-1",
        message: "The contract knows no such response with status 403: ACCOUNT_SUSPENDED Pay your bill"
      })
    })
  )

  it.effect("reports the status of a response that is not JSON", () =>
    Effect.gen(function* () {
      const page = () => new Response("<html>", { status: 418, headers: { "content-type": "text/html" } })
      expect((yield* readFailure(page)).error).toMatchObject({ _tag: "UnexpectedResponse", status: 418 })
    })
  )

  it.effect("is reported for a redirect, which is not followed with the key", () =>
    Effect.gen(function* () {
      const moved = () => new Response(null, { status: 302, headers: { location: "http://elsewhere.test/" } })
      const { error, sent } = yield* readFailure(moved)
      expect(error).toMatchObject({ _tag: "UnexpectedResponse", status: 302 })
      expect(sent).toBe(1)
    })
  )

  it.effect("is reported for an opaque redirect, as browsers return it", () =>
    Effect.gen(function* () {
      const opaque = () => Object.defineProperty(new Response(null), "status", { value: 0 })
      expect((yield* readFailure(opaque)).error).toMatchObject({ _tag: "UnexpectedResponse", status: 0 })
    })
  )

  it.effect("is reported for more than 64 MiB, which is cut off and not requested again", () =>
    Effect.gen(function* () {
      let served = 0
      const endless = () =>
        new Response(
          new ReadableStream({
            pull: (controller) => {
              served++
              controller.enqueue(new Uint8Array(1024 * 1024))
            }
          }),
          { headers: { "content-type": "application/json" } }
        )
      const { error, sent } = yield* readFailure(endless)
      expect(error).toMatchObject({ _tag: "UnexpectedResponse", message: "The response is larger than 64 MiB" })
      expect(served).toBeLessThan(70)
      expect(sent).toBe(1)
    })
  )
})
