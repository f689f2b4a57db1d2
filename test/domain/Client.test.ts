import { Api } from "@edp/domain/Api"
import { makeClient } from "@edp/domain/Client"
import { DeviceNotFound, ValidationError } from "@edp/domain/errors/ApiErrors"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Fiber, Redacted, Result, Tracer } from "effect"
import { HttpClient } from "effect/http"
import { HttpApi } from "effect/http-api"
import { TestClock } from "effect/testing"
import { answering, emptyPage, id, json, missing, refused, SECRET } from "./client/answering.ts"

/** The calls whose path has parameters, and what these are called. */
const pathParameters = () => {
  const found: Array<{ group: string; endpoint: string; names: ReadonlyArray<string> }> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
      if (names.length > 0) found.push({ group: group.identifier, endpoint: endpoint.identifier, names })
    }
  })
  return found
}

describe("the typed client", () => {
  it.effect("sends the key and decodes the response", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([json(200, emptyPage)])
      const page = yield* (yield* client).sites.list({ query: {} })
      expect(page).toEqual(emptyPage)
      expect(seen[0]?.headers["service-api-key"]).toBe(SECRET)
      expect(seen[0]?.url).toBe("http://service.test/v1/sites")
    })
  )

  it.effect("keeps the path of its base URL, with or without a trailing slash", () =>
    Effect.gen(function* () {
      for (const baseUrl of ["https://host.test/energy", "https://host.test/energy/"]) {
        const { client, seen } = answering([json(200, emptyPage)], { baseUrl })
        yield* (yield* client).sites.list({ query: {} })
        expect(seen[0]?.url).toBe("https://host.test/energy/v1/sites")
      }
    })
  )

  it.effect("fails with the class of the error code", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([
        json(400, { code: "VALIDATION_ERROR", message: "no", details: { name: "Must be shorter" } })
      ])
      const error = yield* Effect.flip((yield* client).workspaces.create({ payload: { name: "x" } }))
      expect(error).toBeInstanceOf(ValidationError)
      expect(error).toMatchObject({ code: "VALIDATION_ERROR", details: { name: "Must be shorter" } })
      expect(seen.length).toBe(1)
    })
  )

  it.effect("lets an error be caught by its code", () =>
    Effect.gen(function* () {
      const { client } = answering([missing])
      const caught = yield* (yield* client).devices
        .get({ params: { id } })
        .pipe(Effect.catchTag("DEVICE_NOT_FOUND", Effect.succeed))
      expect(caught).toBeInstanceOf(DeviceNotFound)
    })
  )

  it.effect("rejects an invalid request without sending it", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([json(200, emptyPage)])
      const error = yield* Effect.flip((yield* client).sites.list({ query: { perPage: 101 } }))
      expect(error).toMatchObject({ _tag: "SchemaError" })
      expect(seen).toEqual([])
    })
  )

  it.effect("rejects parameters that would lead to another path, in every path, without sending the request", () =>
    Effect.gen(function* () {
      const { client, seen } = answering([json(200, emptyPage)])
      const calls = yield* client
      const parameters = pathParameters()
      expect(parameters).toContainEqual({ group: "devices", endpoint: "removeTag", names: ["id", "tag"] })
      for (const { endpoint, group, names } of parameters) {
        const call: (request: object) => Effect.Effect<unknown, unknown> = (calls as any)[group][endpoint]
        for (const name of names) {
          for (const value of ["", ".", "..", "\ud800"]) {
            const params = { ...Object.fromEntries(names.map((other) => [other, id])), [name]: value }
            const error = yield* Effect.flip(call({ params, query: {} }))
            expect(error).toMatchObject({ _tag: "SchemaError" })
            expect(String(error)).toContain(`["${name}"]`)
          }
        }
      }
      expect(seen).toEqual([])
    })
  )

  it.effect("an error contains no key, however it is printed", () =>
    Effect.gen(function* () {
      for (const reply of [refused, json(418, {}), json(200, { data: 1 })]) {
        const { client } = answering([reply], { retries: 0 })
        const outcome = yield* Effect.result((yield* client).sites.list({ query: {} }))
        expect(Result.isFailure(outcome)).toBe(true)
        const printed = JSON.stringify(outcome) + String(Result.isFailure(outcome) && outcome.failure)
        expect(printed).not.toContain(SECRET)
      }
    })
  )

  it.effect("sends trace headers only when tracing is on", () =>
    Effect.gen(function* () {
      const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
      const { client, seen } = answering([json(200, emptyPage)])
      const list = (yield* client).sites.list({ query: {} })
      yield* list
      yield* Effect.withTracer(list, tracer)
      expect(seen.map(({ headers }) => ["traceparent" in headers, "b3" in headers])).toEqual([
        [false, false],
        [true, true]
      ])
    })
  )

  it.effect("fails with HttpClientError when there is no server", () =>
    Effect.gen(function* () {
      const { client } = answering([refused], { retries: 0 })
      const error = yield* Effect.flip((yield* client).sites.list({ query: {} }))
      expect(error).toMatchObject({ _tag: "HttpClientError", reason: { _tag: "TransportError" }, response: undefined })
    })
  )

  it.effect("times out after 40 seconds, or after the configured time", () =>
    Effect.gen(function* () {
      for (const [timeout, seconds] of [
        [undefined, 40],
        ["2 seconds", 2]
      ] as const) {
        const silent = HttpClient.make(() => Effect.never)
        const client = yield* makeClient({
          baseUrl: "http://service.test",
          key: Redacted.make(SECRET),
          retries: 0,
          timeout
        }).pipe(Effect.provideService(HttpClient.HttpClient, silent))
        const call = yield* Effect.forkChild(Effect.flip(client.sites.list({ query: {} })))
        yield* TestClock.adjust(`${seconds} seconds`)
        const error = yield* Fiber.join(call)
        expect(String(error)).toContain(`no response within ${seconds}s`)
        expect(Cause.isTimeoutError(error.cause)).toBe(true)
      }
    })
  )
})
