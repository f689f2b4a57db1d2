import { withIdempotencyKey } from "@edp/domain/client/authentication"
import { retryingNotFound } from "@edp/domain/client/retryingNotFound"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { answering, id, json, missing, unknown } from "./answering.ts"

const tags = { tags: ["pilot"] }
const params = { id }

describe("retryingNotFound", () => {
  it.effect("repeats a call that finds nothing once, 1 to 2 seconds later", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([missing, json(200, tags)])
      const call = yield* Effect.forkChild(retryingNotFound((yield* client).devices.tags({ params })))
      yield* TestClock.adjust("999 millis")
      expect(seen.length).toBe(1)
      yield* TestClock.adjust("1001 millis")
      expect(yield* Fiber.join(call)).toEqual(tags)
      expect(seen.length).toBe(2)
    })
  )

  it.effect("fails when there is still nothing", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([missing])
      const call = yield* Effect.forkChild(Effect.flip(retryingNotFound((yield* client).devices.tags({ params }))))
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(call)).toMatchObject({ _tag: "DEVICE_NOT_FOUND" })
      expect(seen.length).toBe(2)
    })
  )

  it.effect("leaves the other retries to the call", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([unknown, missing, unknown, json(200, tags)])
      const call = yield* Effect.forkChild(retryingNotFound((yield* client).devices.tags({ params })))
      yield* TestClock.adjust("1 minute")
      expect(yield* Fiber.join(call)).toEqual(tags)
      expect(seen.length).toBe(4)
    })
  )

  it.effect("sends a POST with another Idempotency-Key, because the service stores a 404 under the first", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([missing, json(200, tags)])
      const add = (yield* client).devices.addTags({ params, payload: tags })
      const call = yield* Effect.forkChild(retryingNotFound(add))
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(call)
      expect(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(2)
    })
  )

  it.effect("does not repeat a call with the caller's own Idempotency-Key, whose response is stored", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([missing])
      const add = (yield* client).devices.addTags({ params, payload: tags })
      yield* Effect.flip(retryingNotFound(withIdempotencyKey("tagging-17")(add)))
      expect(seen.length).toBe(1)
    })
  )
})
