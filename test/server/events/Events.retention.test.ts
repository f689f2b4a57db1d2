import { EventRetention } from "@edp/server/events/Events"
import { EventsRepository } from "@edp/server/events/EventsRepository"
import { EventOutbox } from "@edp/server/platform/outbox/EventOutbox"
import { inTransaction } from "@edp/server/platform/sql/transaction"
import { Clock, Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeEvents, type EventScene } from "./arrangeEvents.ts"
import { outbox } from "./outbox.ts"

const app = useTestApp({ own: true })
const DAY = 24 * 60 * 60 * 1000

/** A clock that stands still at a time. */
const standing = (clock: Clock.Clock, time: number): Clock.Clock =>
  Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe: () => time,
    currentTimeMillis: Effect.succeed(time)
  })

const at = <A, E, R>(time: number, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Clock.Clock, (clock) => Effect.provideService(effect, Clock.Clock, standing(clock, time)))

const publishAt = ({ site, workspaceId }: EventScene, time: number) =>
  app.run(
    at(
      time,
      Effect.flatMap(EventOutbox, ({ publish }) =>
        inTransaction(publish([{ type: "SITE_UPDATED", workspaceId, data: { site } }]))
      )
    ).pipe(Effect.provide(outbox)) as Effect.Effect<void>
  )

const dropAt = (time: number) =>
  app.run(
    at(
      time,
      Effect.flatMap(EventRetention, ({ dropOld }) => dropOld)
    ).pipe(
      Effect.provide(EventRetention.layer.pipe(Layer.provide(EventsRepository.layer)), { local: true })
    ) as Effect.Effect<number>
  )

const partitions = async () =>
  (
    await app.sql(
      (sql) => sql<{ readonly name: string }>`SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid
        WHERE inhparent = 'events'::regclass ORDER BY 1`
    )
  ).map(({ name }) => name)

test("only days on which every event is older than 30 days are dropped", async () => {
  const scene = await arrangeEvents(app)
  const noon = Date.UTC(2020, 5, 30, 12)
  const ages = [40, 31, 30, 29, 1, 0]
  for (const age of ages) await publishAt(scene, noon - age * DAY)
  const times = async () =>
    (await scene.after(0)).map(({ timestamp }) => (noon - Date.parse(timestamp)) / DAY).filter((age) => age >= 0)
  expect(await times()).toEqual(ages)
  expect(await partitions()).toContain("events_20200521")
  expect(await dropAt(noon)).toBe(2)
  expect(await times()).toEqual([30, 29, 1, 0])
  expect(await partitions()).not.toContain("events_20200521")
  expect(await dropAt(noon)).toBe(0)
})

test("the partitions of the next days exist before their first event", async () => {
  const names = await partitions()
  for (const ahead of [0, 1, 2]) {
    const day = new Date(Date.now() + ahead * DAY).toISOString().slice(0, 10)
    expect(names).toContain(`events_${day.replaceAll("-", "")}`)
  }
})

test("a partition that was rolled back with the first event of its day is created again", async () => {
  const scene = await arrangeEvents(app)
  const time = Date.UTC(2019, 0, 1)
  const failing = at(
    time,
    Effect.flatMap(EventOutbox, ({ publish }) =>
      inTransaction(
        Effect.andThen(
          publish([{ type: "SITE_UPDATED", workspaceId: scene.workspaceId, data: { site: scene.site } }]),
          Effect.fail("no")
        )
      )
    )
  )
  await app.run(Effect.exit(Effect.provide(failing, outbox)) as Effect.Effect<unknown>)
  expect(await partitions()).not.toContain("events_20190101")
  await publishAt(scene, time)
  expect((await scene.after(0)).filter(({ timestamp }) => timestamp === "2019-01-01T00:00:00.000Z")).toHaveLength(1)
})

test("the records of a deleted device are kept as long as its events", async () => {
  const { device, ...scene } = await arrangeEvents(app)
  const { id } = await device("inverter")
  await scene.remove(id)
  const kept = async () => (await app.sql((sql) => sql`SELECT FROM departed_devices WHERE device_id = ${id}`)).length
  const now = Date.now()
  await dropAt(now + 30 * DAY)
  expect(await kept()).toBe(1)
  await dropAt(now + 32 * DAY)
  expect(await kept()).toBe(0)
})
