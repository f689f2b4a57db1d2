import { setImmediate } from "node:timers/promises"
import { keys, pageClient } from "@edp/dashboard/api/makeApi"
import { makeRegistry } from "@edp/dashboard/state/atoms"
import { Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { AtomHttpApi, AtomRegistry, Reactivity } from "effect/reactivity"
import { afterEach, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"

const api = HttpApi.make("notes").add(
  HttpApiGroup.make("notes").add(HttpApiEndpoint.get("count", "/notes", { success: Schema.Number }))
)

let reads = 0
const service = HttpClient.make((request) =>
  Effect.sync(() => HttpClientResponse.fromWeb(request, Response.json(++reads)))
)

class NotesClient extends AtomHttpApi.Service<NotesClient>()("NotesClient", {
  api,
  ...pageClient,
  httpClient: Layer.succeed(HttpClient.HttpClient, service),
  baseUrl: "http://notes.example"
}) {}

const query = (...names: ReadonlyArray<string>) =>
  NotesClient.query("notes", "count", { reactivityKeys: keys(...names) })

const arrange = (...names: ReadonlyArray<string>) => {
  reads = 0
  const registry = makeRegistry()
  ends.push(() => registry.dispose())
  const notes = query(...names)
  return {
    show: () => registry.subscribe(notes, () => {}, { immediate: true }),
    /** The newest respond, and whether it is being read again. */
    shown: () => {
      const result = registry.get(notes)
      return result._tag === "Success" ? { value: result.value, waiting: result.waiting } : undefined
    },
    respond: (value: number) =>
      eventually(`respond ${value}`, () => {
        const result = registry.get(notes)
        return result._tag === "Success" && !result.waiting && result.value === value ? true : undefined
      }),
    invalidate: (...changed: ReadonlyArray<string>) =>
      Effect.runPromise(
        Effect.flatMap(AtomRegistry.getResult(registry, NotesClient.runtime), (services) =>
          Effect.provide(Reactivity.invalidate(changed), services as never)
        ) as Effect.Effect<void>
      )
  }
}

const ends: Array<() => void> = []
afterEach(() => ends.splice(0).forEach((end) => end()))

test("a query is read again once for each invalidation of one of its keys while it is shown", async () => {
  const { show, respond, invalidate } = arrange("notes", "note:1")
  show()
  await respond(1)
  await invalidate("note:1", "notes")
  await respond(2)
  await invalidate("note:2")
  await invalidate("everything")
  await respond(3)
  expect(reads).toBe(3)
})

test("a query whose keys were invalidated while nothing showed it is read again when it is shown again, and not before", async () => {
  const { show, shown, respond, invalidate } = arrange("hidden")
  const hide = show()
  await respond(1)
  hide()
  // The registry lets go of what nothing shows in a task of its own.
  await setImmediate()
  await invalidate("hidden")
  await invalidate("hidden")
  expect(reads).toBe(1)
  show()
  expect(shown()).toEqual({ value: 1, waiting: true })
  await respond(2)
})

test("a query whose keys were not invalidated while nothing showed it is shown again as it was", async () => {
  const { show, shown, respond, invalidate } = arrange("kept")
  const hide = show()
  await respond(1)
  hide()
  await invalidate("others")
  show()
  expect(shown()).toEqual({ value: 1, waiting: false })
  expect(reads).toBe(1)
})
