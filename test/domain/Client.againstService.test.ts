import { layerHttp, makeClient } from "@edp/domain/Client"
import { withIdempotencyKey } from "@edp/domain/client/authentication"
import { streamRecords } from "@edp/domain/client/streamRecords"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted, Stream } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { TestClock } from "effect/testing"
import { seedDevice, seedSite } from "../support/Seed.ts"
import { useTestApp } from "../support/TestApp.ts"

const app = useTestApp()

const makeKeyClient = (key: string) => makeClient({ baseUrl: app.url, key: Redacted.make(key) })

const arrange = Effect.gen(function* () {
  const here = yield* Effect.promise(() => app.workspace())
  const site = yield* Effect.promise(() => seedSite(app, here.keys.SERVER))
  return { ...here, siteId: site.id as string, client: yield* makeKeyClient(here.keys.SERVER) }
})

const alert = (siteId: string, title: string) =>
  ({ payload: { siteId, title, sourceSystem: "test", severity: "INFO" } }) as const

/** The response to the first request is lost; `lost` resolves at that time. */
const losingFirst = Effect.gen(function* () {
  const http = yield* HttpClient.HttpClient
  const lost = yield* Deferred.make<void>()
  let sent = 0
  const client = HttpClient.make((request) =>
    Effect.flatMap(http.execute(request), (response) => {
      if (++sent > 1) return Effect.succeed(response)
      const gone = new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
      return Effect.andThen(Deferred.succeed(lost, undefined), Effect.fail(gone))
    })
  )
  return { lost: Deferred.await(lost), client }
})

describe("the typed client with a service", () => {
  it.effect("a POST whose response is lost takes effect once", () =>
    Effect.gen(function* () {
      const { client, keys, siteId } = yield* arrange
      const losing = yield* losingFirst
      const unlucky = yield* Effect.provideService(makeKeyClient(keys.SERVER), HttpClient.HttpClient, losing.client)
      const call = yield* Effect.forkChild(unlucky.alerts.create(alert(siteId, "Dark")))
      yield* losing.lost
      yield* TestClock.adjust("1 second")
      const made = yield* Fiber.join(call)
      const { data } = yield* client.alerts.list({ query: {} })
      expect(data.map(({ id }) => id)).toEqual([made.id])
    }).pipe(Effect.provide(layerHttp))
  )

  it.effect("a POST with the caller's own Idempotency-Key gets its first result again", () =>
    Effect.gen(function* () {
      const { client, siteId } = yield* arrange
      const create = withIdempotencyKey("inspection-17")(client.alerts.create(alert(siteId, "Dark")))
      expect(yield* create).toEqual(yield* create)
      expect((yield* client.alerts.list({ query: {} })).totalItems).toBe(1)
    }).pipe(Effect.provide(layerHttp))
  )

  it.effect("lists with and without cursors are streams of all their records, newest first", () =>
    Effect.gen(function* () {
      const { client, siteId, workspaceId } = yield* arrange
      const titles = Array.from({ length: 25 }, (_, at) => `Alert ${at}`)
      for (const title of titles) yield* client.alerts.create(alert(siteId, title))
      const ids: Array<string> = []
      for (let at = 0; at < 25; at++) ids.unshift(yield* Effect.promise(() => seedDevice(app, workspaceId)))
      const alerts = streamRecords((position) => client.alerts.list({ query: { siteId: [siteId], ...position } }), {
        perPage: 10
      })
      const devices = streamRecords((position) => client.devices.list({ query: position }), { perPage: 10 })
      expect((yield* Stream.runCollect(alerts)).map(({ title }) => title)).toEqual(titles.toReversed())
      expect((yield* Stream.runCollect(devices)).map(({ id }) => id)).toEqual(ids)
    }).pipe(Effect.provide(layerHttp))
  )
})
