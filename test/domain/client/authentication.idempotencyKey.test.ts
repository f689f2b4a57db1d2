import { withIdempotencyKey } from "@edp/domain/client/authentication"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { answering, emptyPage, id, json, limited, refused, unknown, workspace } from "./answering.ts"

const listNames = (seen: ReadonlyArray<HttpClientRequest.HttpClientRequest>) =>
  seen.map(({ headers }) => headers["idempotency-key"])

const accepted = { accepted: 1, duplicates: 0, errors: [] }
const reading = { deviceId: id, state: { power: 1 } }
const newKey = { payload: { name: "k", type: "SERVER" } } as const

describe("the Idempotency-Key", () => {
  it.effect("is the same for each attempt of a POST, which is retried after a failure and without a response", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([unknown, refused, json(201, workspace)])
      const call = yield* Effect.forkChild((yield* client).workspaces.create({ payload: { name: "Pilot" } }))
      yield* TestClock.adjust("3 seconds")
      expect((yield* Fiber.join(call)).id).toBe(id)
      const [name] = listNames(seen)
      expect(name).toMatch(/^[0-9a-f-]{36}$/)
      expect(listNames(seen)).toEqual([name, name, name])
    })
  )

  it.effect("differs between calls", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([json(200, accepted)])
      const push = (yield* client).directIntegration.pushBulk({ payload: { readings: [reading] } })
      yield* push
      yield* push
      expect(new Set(listNames(seen)).size).toBe(2)
    })
  )

  it.effect("is the caller's own if given", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([unknown, json(201, workspace)])
      const create = (yield* client).workspaces.create({ payload: { name: "Pilot" } })
      const call = yield* Effect.forkChild(withIdempotencyKey("order-17")(create))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(call)
      expect(listNames(seen)).toEqual(["order-17", "order-17"])
    })
  )

  it.effect("is not sent with any other method", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([json(200, workspace), json(200, emptyPage)])
      const { sites, workspaces } = yield* client
      yield* withIdempotencyKey("order-17")(workspaces.update({ params: { id }, payload: { name: "Pilot" } }))
      yield* sites.list({ query: {} })
      expect(listNames(seen)).toEqual([undefined, undefined])
    })
  )

  it.effect("is not sent when the response has a secret, and such a POST is retried only after a rate limit", () =>
    Effect.gen(function* () {
      for (const [response, sent] of [
        [limited, 4],
        [unknown, 1],
        [refused, 1]
      ] as const) {
        const { client, seen } = answering([response])
        const call = yield* Effect.forkChild(Effect.flip((yield* client).apiKeys.create(newKey)))
        yield* TestClock.adjust("1 minute")
        yield* Fiber.join(call)
        expect(listNames(seen)).toEqual(Array.from({ length: sent }, () => undefined))
      }
    })
  )
})
