import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { RefusedUses } from "@edp/server/audit/RefusedUses"
import { Ids } from "@edp/server/platform/Ids"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { type TestWorkspace, useTestApp } from "../../support/TestApp.ts"

const app = useTestApp({ own: true })

const start = Date.parse("2026-03-01T12:00:00.000Z")

const ofItsOwn = Layer.fresh(RefusedUses.layer.pipe(Layer.provide(Ids.layer)))

/** Runs with a separate service over the app's database, on a test clock. */
const withUses = <A>(use: Effect.Effect<A, unknown, RefusedUses>) =>
  app.run(
    Effect.andThen(TestClock.setTime(start), Effect.provide(use, ofItsOwn)).pipe(
      Effect.provide(Layer.merge(TestClock.layer(), Logger.layer([])))
    )
  )

const arrange = async () => {
  const place = await app.workspace()
  const { id } = await app.key(place, "SERVER")
  const key = { ...place, id, type: "SERVER", ownerId: null } as unknown as CurrentKey["Service"]
  const refused = { key, reason: "WRONG_KEY_TYPE", method: "GET", route: "/v1/api-keys", address: "10.0.0.1" } as const
  return { place, refused: { ...refused, requestId: "first" } }
}

const recorded = async ({ keys }: TestWorkspace): Promise<ReadonlyArray<any>> =>
  (await app.call("GET", "/v1/audit-logs?perPage=100", { key: keys.MANAGEMENT })).body.data

/** Lets time pass until the log holds what is waited for. */
const untilRecorded = Effect.fnUntraced(function* (
  place: TestWorkspace,
  holds: (records: ReadonlyArray<any>) => boolean
) {
  for (;;) {
    yield* TestClock.adjust("2 seconds")
    const records = yield* Effect.promise(() => recorded(place))
    if (holds(records)) return records
  }
})

test("ten thousand refused uses in a minute are one record with their number, first and last time", async () => {
  const { place, refused } = await arrange()
  await withUses(
    Effect.gen(function* () {
      const { note } = yield* RefusedUses
      for (let n = 0; n < 5000; n++) note({ ...refused, requestId: n === 0 ? "first" : "later" })
      yield* untilRecorded(place, (records) => records.length > 0)
      yield* TestClock.setTime(start + 50_000)
      for (let n = 0; n < 5000; n++) note(refused)
      const records = yield* untilRecorded(place, ([record]) => record.refusal.count > 5000)
      expect(records).toMatchObject([
        {
          createdAt: "2026-03-01T12:00:00.000Z",
          actorId: refused.key.id,
          requestId: "first",
          address: "10.0.0.1",
          resourceId: "GET /v1/api-keys",
          refusal: { count: 10_000, lastAt: "2026-03-01T12:00:50.000Z" }
        }
      ])
    })
  )
})

test("the next minute has its own record", async () => {
  const { place, refused } = await arrange()
  await withUses(
    Effect.gen(function* () {
      const { note } = yield* RefusedUses
      note(refused)
      yield* TestClock.adjust("61 seconds")
      note(refused)
      const records = yield* untilRecorded(place, ({ length }) => length > 1)
      expect(records.map(({ createdAt }) => createdAt)).toEqual([
        "2026-03-01T12:01:01.000Z",
        "2026-03-01T12:00:00.000Z"
      ])
    })
  )
})

test("refused uses shortly before a shutdown are written", async () => {
  const { place, refused } = await arrange()
  await withUses(Effect.map(RefusedUses, ({ note }) => Array.from({ length: 7 }, () => note(refused))))
  expect(await recorded(place)).toMatchObject([{ refusal: { count: 7 } }])
})

test("refused uses that could not be written are written later, exactly once", async () => {
  const { place, refused } = await arrange()
  await withUses(
    Effect.gen(function* () {
      const { note } = yield* RefusedUses
      yield* Effect.promise(() => app.sql((sql) => sql`ALTER TABLE audit_logs RENAME TO audit_logs_away`))
      note(refused)
      yield* TestClock.adjust("10 seconds")
      note(refused)
      yield* Effect.promise(() => app.sql((sql) => sql`ALTER TABLE audit_logs_away RENAME TO audit_logs`))
      const records = yield* untilRecorded(place, ({ length }) => length > 0)
      expect(records).toMatchObject([{ refusal: { count: 2 } }])
    })
  )
  expect(await recorded(place)).toHaveLength(1)
})

test("a key in the request's id is masked", async () => {
  const { place, refused } = await arrange()
  await withUses(Effect.map(RefusedUses, ({ note }) => note({ ...refused, requestId: place.keys.SERVER })))
  expect((await recorded(place))[0].requestId).toBe(`${place.keys.SERVER.slice(0, 12)}***`)
})
