import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { answering, emptyPage, json, limited, refused, unavailable, unknown, workspace } from "./answering.ts"

const page = json(200, emptyPage)
const badGateway = () => new Response("<html>", { status: 504, headers: { "content-type": "text/html" } })

/** How many requests were sent after each of the waits. */
const sentAfter = Effect.fnUntraced(function* (seen: ReadonlyArray<unknown>, seconds: ReadonlyArray<number>) {
  const sent: Array<number> = []
  for (const wait of seconds) {
    yield* TestClock.adjust(`${wait} seconds`)
    sent.push(seen.length)
  }
  return sent
})

describe("a call is retried", () => {
  it.effect.each([
    ["500", unknown, "UNKNOWN_ERROR"],
    ["502", unavailable, "SERVICE_UNAVAILABLE"],
    ["504 of a proxy", badGateway, "UnexpectedResponse"],
    ["no response", refused, "HttpClientError"]
  ] as const)("after %s: 1, 2 and 4 seconds later, then it fails", ([, response, tag]) =>
    Effect.gen(function* () {
      const { client, seen } = answering([response])
      const call = yield* Effect.forkChild(Effect.flip((yield* client).sites.list({ query: {} })))
      expect(yield* sentAfter(seen, [0, 1, 2, 4, 60])).toEqual([1, 2, 3, 4, 4])
      expect(yield* Fiber.join(call)).toMatchObject({ _tag: tag })
    })
  )

  it.effect("up to the configured number of times", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([unknown], { retries: 5 })
      yield* Effect.forkChild(Effect.flip((yield* client).sites.list({ query: {} })))
      expect(yield* sentAfter(seen, [0, 1, 2, 4, 8, 8, 60])).toEqual([1, 2, 3, 4, 5, 6, 6])
    })
  )

  it.effect("after the delay of Retry-After, also a POST", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([limited, json(201, workspace)])
      const call = yield* Effect.forkChild((yield* client).workspaces.create({ payload: { name: "Pilot" } }))
      expect(yield* sentAfter(seen, [6.9, 0.2])).toEqual([1, 2])
      expect((yield* Fiber.join(call)).name).toBe("Pilot")
    })
  )

  it.effect("at the date that Retry-After names", () =>
    Effect.gen(function* () {
      const until = json(
        502,
        { code: "SERVICE_UNAVAILABLE", message: "" },
        { "retry-after": new Date(5000).toUTCString() }
      )
      const { client, seen } = answering([until, page])
      yield* Effect.forkChild((yield* client).sites.list({ query: {} }))
      expect(yield* sentAfter(seen, [4.9, 0.2])).toEqual([1, 2])
    })
  )

  it.effect("after reporting the reason and the delay", () =>
    Effect.gen(function* () {
      const reported: Array<string> = []
      const { client } = answering([limited, unavailable, refused, page], {
        onRetry: ({ delay, reason }) => Effect.sync(() => reported.push(`${reason}: ${Duration.format(delay)}`))
      })
      const call = yield* Effect.forkChild((yield* client).sites.list({ query: {} }))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(call)
      expect(reported).toEqual(["rate limit: 7s", "status 502: 2s", "no response: 4s"])
    })
  )
})

describe("a call is not retried", () => {
  it.effect.each([400, 401, 403, 404, 409] as const)("after %s", (status) =>
    Effect.gen(function* () {
      const { client, seen } = answering([json(status, { code: "VALIDATION_ERROR", message: "", details: {} })])
      yield* Effect.flip((yield* client).sites.list({ query: {} }))
      expect(seen.length).toBe(1)
    })
  )

  it.effect("by a client that is configured to send once", () =>
    Effect.gen(function* () {
      for (const response of [unknown, limited, refused]) {
        const { client, seen } = answering([response], { retries: 0 })
        yield* Effect.flip((yield* client).sites.list({ query: {} }))
        expect(seen.length).toBe(1)
      }
    })
  )

  it.effect("without a response, by a client that is configured so", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([refused], { retryNoAnswer: false })
      yield* Effect.flip((yield* client).sites.list({ query: {} }))
      expect(seen.length).toBe(1)
    })
  )

  it.effect("to a service that asks for a pause of more than two minutes", () =>
    Effect.gen(function* () {
      const late = json(429, { code: "RATE_LIMITED", message: "", retryAfter: 121 }, { "retry-after": "121" })
      const { client, seen } = answering([late])
      const error = yield* Effect.flip((yield* client).sites.list({ query: {} }))
      expect(error).toMatchObject({ _tag: "RATE_LIMITED", retryAfter: 121 })
      expect(seen.length).toBe(1)
    })
  )

  it.effect("with an invalid address", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([page], { baseUrl: "http://not a host" })
      const error = yield* Effect.flip((yield* client).sites.list({ query: {} }))
      expect(error).toMatchObject({ _tag: "HttpClientError", reason: { _tag: "InvalidUrlError" } })
      expect(seen.length).toBe(0)
    })
  )
})
