import { EventOutbox } from "@edp/server/platform/outbox/EventOutbox"
import { inTransaction } from "@edp/server/platform/sql/transaction"
import { Deferred, Effect } from "effect"
import { Client } from "pg"
import { expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeEvents, type EventScene } from "./arrangeEvents.ts"
import { outbox } from "./outbox.ts"

describePostgres("the event feed under concurrent transactions", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })

  const publish = ({ site, workspaceId }: EventScene, name: string) =>
    Effect.flatMap(EventOutbox, ({ publish }) =>
      publish([{ type: "SITE_UPDATED", workspaceId, data: { site: { ...site, name } } }])
    )

  /** A transaction that has published its event and stays open until the returned function ends it. */
  const slowly = async (scene: EventScene, name: string, before: Effect.Effect<unknown, never, any> = Effect.void) => {
    const published = Deferred.makeUnsafe<void>()
    const allowed = Deferred.makeUnsafe<boolean>()
    const ended = app
      .run(
        inTransaction(
          Effect.gen(function* () {
            yield* before
            yield* publish(scene, name)
            yield* Deferred.succeed(published, undefined)
            if (!(yield* Deferred.await(allowed))) return yield* Effect.fail("rolled back")
          })
        ).pipe(Effect.provide(outbox)) as Effect.Effect<void, string>
      )
      .catch(() => undefined)
    await Effect.runPromise(Deferred.await(published))
    return async (commit: boolean) => {
      await Effect.runPromise(Deferred.succeed(allowed, commit))
      await ended
    }
  }
  const quickly = (scene: EventScene, name: string) =>
    app.run(inTransaction(publish(scene, name)).pipe(Effect.provide(outbox)) as Effect.Effect<void>)

  const arrange = async () => {
    const scene = await arrangeEvents(app)
    const seen: Array<string> = []
    let last = (await scene.after(0)).at(-1).sequence
    /** The events that a reader of the tail gets after the last sequence it has seen. */
    const poll = async () => {
      for (const { data, sequence } of await scene.after(last)) {
        seen.push(data.site.name)
        last = sequence
      }
      return seen
    }
    const listed = async () => (await scene.call("GET", "/v1/events")).data.map(({ data }: any) => data.site.name)
    return { ...scene, poll, listed, scene }
  }

  test("includes a transaction that took its sequence first and commits last", async () => {
    const { listed, poll, scene } = await arrange()
    const end = await slowly(scene, "slow")
    await quickly(scene, "quick")
    expect(await poll()).toEqual([])
    expect(await listed()).toEqual(["quick", null])
    await end(true)
    expect(await poll()).toEqual(["slow", "quick"])
  })

  test("lists an older transaction with a later sequence later", async () => {
    const { poll, scene } = await arrange()
    const old = new Client({ connectionString: databases.url })
    await old.connect()
    await old.query("BEGIN")
    await old.query("SELECT pg_current_xact_id()")
    const end = await slowly(scene, "first")
    await old.query("SELECT hold_event_sequence()")
    await old.query(
      `INSERT INTO events SELECT 'c' || substr(id, 2, 8) || repeat('z', 16), nextval('event_sequence'), workspace_id,
         'SITE_UPDATED', subject, device_id, site_id, created_at, jsonb_set(payload, '{site,name}', '"second"')
       FROM events WHERE workspace_id = $1`,
      [scene.workspaceId]
    )
    await old.query("COMMIT")
    await old.end()
    expect(await poll()).toEqual([])
    await end(true)
    expect(await poll()).toEqual(["first", "second"])
  })

  test("is not blocked by a rolled-back transaction, which leaves no event", async () => {
    const { poll, scene } = await arrange()
    const end = await slowly(scene, "gone")
    await quickly(scene, "stays")
    await end(false)
    expect(await poll()).toEqual(["stays"])
  })

  test("is not delayed by long transactions without events", async () => {
    const { poll, scene } = await arrange()
    const other = new Client({ connectionString: databases.url })
    await other.connect()
    await other.query("BEGIN")
    await other.query("SELECT pg_current_xact_id(), pg_advisory_xact_lock(1), pg_advisory_xact_lock_shared(2)")
    await quickly(scene, "quick")
    expect(await poll()).toEqual(["quick"])
    await other.query("ROLLBACK")
    await other.end()
  })

  test("shows a reader of the tail every event once and in order, with any number of writers", async () => {
    const { poll, scene } = await arrange()
    const writers = 8
    const each = 40
    const working = new Set(Array.from({ length: writers }, (_, writer) => writer))
    const written = Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        for (let n = 0; n < each; n++) {
          // Some transactions take their time after they have taken their number.
          const end = await slowly(scene, `${writer} ${n}`)
          await end(true)
        }
        working.delete(writer)
      })
    )
    let seen: ReadonlyArray<string> = []
    while (working.size > 0) seen = await poll()
    await written
    for (let before = -1; before !== seen.length;) {
      before = seen.length
      seen = await poll()
    }
    expect([...seen].sort()).toEqual(
      Array.from({ length: writers * each }, (_, n) => `${n % writers} ${Math.floor(n / writers)}`).sort()
    )
    for (let writer = 0; writer < writers; writer++) {
      const own = seen.filter((name) => name.startsWith(`${writer} `)).map((name) => Number(name.split(" ")[1]))
      expect(own).toEqual(Array.from({ length: each }, (_, n) => n))
    }
  }, 60_000)
})
