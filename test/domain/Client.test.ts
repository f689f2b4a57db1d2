import { ValidationError } from "@edp/domain/errors/ApiErrors"
import { makeClient } from "@edp/domain/Client"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Result } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"

const key = Redacted.make("server_secret")
const emptyPage = { data: [], page: 1, perPage: 10, totalItems: 0, totalPages: 0 }
const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    new Response(body === undefined ? null : JSON.stringify(body), {
      status,
      headers: { "content-type": "application/json", ...headers }
    })
const limited = json(429, { code: "RATE_LIMITED", message: "slow down", retryAfter: 7 }, { "retry-after": "7" })
const unknown = json(500, { code: "UNKNOWN_ERROR", message: "oops" })

/** A service that gives these answers one after another, the last one again and again. */
const answering = (...answers: ReadonlyArray<() => Response>) => {
  const seen: Array<HttpClientRequest.HttpClientRequest> = []
  const http = HttpClient.make((request) => {
    seen.push(request)
    const answer = answers[Math.min(seen.length, answers.length) - 1]
    return Effect.try({
      try: () => HttpClientResponse.fromWeb(request, answer!()),
      catch: (cause) =>
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
    })
  })
  const client = makeClient({ baseUrl: "http://service.test", key }).pipe(
    Effect.provideService(HttpClient.HttpClient, http)
  )
  return { client, seen }
}

const refused = (): Response => {
  throw new TypeError("fetch failed")
}

const reading = { deviceId: "cmj2k8x4a0q3v7n1r5t9w2y6b", state: { power: 1 } }

describe("the typed client", () => {
  it.effect("sends the key and decodes the answer", () =>
    Effect.gen(function* () {
      const { client, seen } = answering(json(200, emptyPage))
      const page = yield* (yield* client).sites.list({ query: {} })
      expect(page).toEqual(emptyPage)
      expect(seen[0]?.headers["service-api-key"]).toBe("server_secret")
      expect(seen[0]?.url).toBe("http://service.test/v1/sites")
    })
  )

  it.effect("fails with the class of the error code", () =>
    Effect.gen(function* () {
      const { client, seen } = answering(
        json(400, { code: "VALIDATION_ERROR", message: "no", details: { name: "Must be shorter" } })
      )
      const error = yield* Effect.flip((yield* client).workspaces.create({ payload: { name: "x" } }))
      expect(error).toBeInstanceOf(ValidationError)
      expect(error).toMatchObject({ code: "VALIDATION_ERROR", details: { name: "Must be shorter" } })
      expect(seen.length).toBe(1)
    })
  )

  it.effect("waits as long as Retry-After says, for a POST too", () =>
    Effect.gen(function* () {
      const made = { id: "cmj2k8x4a0q3v7n1r5t9w2y6b", organizationId: "cmj2k8x4a0q3v7n1r5t9w2y6b", name: "x" }
      const rest = { deletionProtection: false, timezone: "UTC", createdAt: "", updatedAt: "" }
      const { client, seen } = answering(limited, json(201, { ...made, ...rest }))
      const call = yield* Effect.forkChild((yield* client).workspaces.create({ payload: { name: "x" } }))
      yield* TestClock.adjust("6900 millis")
      expect(seen.length).toBe(1)
      yield* TestClock.adjust("200 millis")
      expect((yield* Fiber.join(call)).name).toBe("x")
      expect(seen.length).toBe(2)
    })
  )

  it.effect("repeats a read after 1, 2 and 4 seconds, then gives the error", () =>
    Effect.gen(function* () {
      const { client, seen } = answering(unknown)
      const call = yield* Effect.forkChild(Effect.flip((yield* client).sites.list({ query: {} })))
      for (const [seconds, attempts] of [
        [0, 1],
        [1, 2],
        [2, 3],
        [4, 4],
        [60, 4]
      ] as const) {
        yield* TestClock.adjust(`${seconds} seconds`)
        expect(seen.length).toBe(attempts)
      }
      expect(yield* Fiber.join(call)).toMatchObject({ code: "UNKNOWN_ERROR" })
    })
  )

  it.effect("never repeats a POST that makes something and failed", () =>
    Effect.gen(function* () {
      for (const answer of [unknown, refused]) {
        const { client, seen } = answering(answer)
        yield* Effect.flip((yield* client).workspaces.create({ payload: { name: "x" } }))
        expect(seen.length).toBe(1)
      }
    })
  )

  it.effect("repeats a telemetry push after a failure and after a lost connection", () =>
    Effect.gen(function* () {
      const accepted = { accepted: 1, duplicates: 0, errors: [] }
      const { client, seen } = answering(unknown, refused, json(200, accepted))
      const push = (yield* client).directIntegration.pushBulk({ payload: { readings: [reading] } })
      const call = yield* Effect.forkChild(push)
      yield* TestClock.adjust("3 seconds")
      expect(yield* Fiber.join(call)).toEqual(accepted)
      expect(seen.length).toBe(3)
    })
  )

  it.effect("an error holds no key, however it is printed", () =>
    Effect.gen(function* () {
      for (const answer of [refused, json(418, {}), json(200, { data: 1 })]) {
        const { client } = answering(answer)
        const outcome = yield* Effect.result((yield* client).sites.list({ query: {} }))
        expect(Result.isFailure(outcome)).toBe(true)
        const printed = JSON.stringify(outcome) + String(Result.isFailure(outcome) && outcome.failure)
        expect(printed).not.toContain("server_secret")
      }
    })
  )

  it.effect("an answer against the contract is UnexpectedAnswer", () =>
    Effect.gen(function* () {
      const { client } = answering(json(200, { data: "nothing" }))
      const error = yield* Effect.flip((yield* client).sites.list({ query: {} }))
      expect(error).toMatchObject({ _tag: "UnexpectedAnswer" })
    })
  )

  it.effect("an answer beyond 64 MiB is cut off", () =>
    Effect.gen(function* () {
      let served = 0
      const endless = new ReadableStream({
        pull: (controller) => {
          served++
          controller.enqueue(new Uint8Array(1024 * 1024))
        }
      })
      const { client } = answering(() => new Response(endless, { headers: { "content-type": "application/json" } }))
      const error = yield* Effect.flip((yield* client).sites.list({ query: {} }))
      expect(String(error)).toContain("larger than")
      expect(served).toBeLessThan(70)
    })
  )

  it.effect("gives up on a service that does not answer within 40 seconds", () =>
    Effect.gen(function* () {
      const silent = HttpClient.make(() => Effect.never)
      const client = yield* makeClient({ baseUrl: "http://service.test", key }).pipe(
        Effect.provideService(HttpClient.HttpClient, silent)
      )
      const call = yield* Effect.forkChild(Effect.flip(client.sites.list({ query: {} })))
      yield* TestClock.adjust("41 seconds")
      expect(String(yield* Fiber.join(call))).toContain("no answer within 40s")
    })
  )
})
