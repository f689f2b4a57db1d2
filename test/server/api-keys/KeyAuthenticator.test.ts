import { KeyAuthenticator } from "@edp/server/api-keys/KeyAuthenticator"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp({ own: true })

/** Runs with a separate authenticator over the app's database, on a test clock. */
const startingAt = <A>(time: string, use: Effect.Effect<A, unknown, KeyAuthenticator>) =>
  app.run(
    Effect.andThen(TestClock.setTime(Date.parse(time)), Effect.provide(use, Layer.fresh(KeyAuthenticator.layer))).pipe(
      Effect.provide(TestClock.layer())
    )
  )

const shownUse = async (management: string, id: string): Promise<string | null> =>
  (await app.call("GET", `/v1/api-keys/${id}`, { key: management })).body.lastUsedAt

test("the time of a key's last use is shown within a minute, and updated by a later use", async () => {
  const place = await app.workspace()
  const { id, key } = await app.key(place, "SERVER")
  const untilShown = (time: string) =>
    Effect.gen(function* () {
      while ((yield* Effect.promise(() => shownUse(place.keys.MANAGEMENT, id))) !== time) yield* Effect.yieldNow
    })
  await startingAt(
    "2026-03-01T12:00:00.000Z",
    Effect.gen(function* () {
      const { authenticate } = yield* KeyAuthenticator
      yield* authenticate(Redacted.make(key))
      expect(yield* Effect.promise(() => shownUse(place.keys.MANAGEMENT, id))).toBeNull()
      yield* TestClock.adjust("1 minute")
      yield* untilShown("2026-03-01T12:00:00.000Z")
      yield* authenticate(Redacted.make(key))
      yield* TestClock.adjust("1 minute")
      yield* untilShown("2026-03-01T12:01:00.000Z")
    })
  )
})

test("uses shortly before a shutdown are written, and a time is never replaced by an older one", async () => {
  const place = await app.workspace()
  const { id, key } = await app.key(place, "SERVER")
  const useAt = (time: string) =>
    startingAt(
      time,
      Effect.flatMap(KeyAuthenticator, ({ authenticate }) => authenticate(Redacted.make(key)))
    )
  await useAt("2026-03-02T12:00:00.000Z")
  expect(await shownUse(place.keys.MANAGEMENT, id)).toBe("2026-03-02T12:00:00.000Z")
  await useAt("2026-03-01T12:00:00.000Z")
  expect(await shownUse(place.keys.MANAGEMENT, id)).toBe("2026-03-02T12:00:00.000Z")
})
