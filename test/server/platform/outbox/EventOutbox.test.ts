import { EventOutbox } from "@edp/server/platform/outbox/EventOutbox"
import { inTransaction } from "@edp/server/platform/sql/transaction"
import { Cause, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeEvents } from "../../events/arrangeEvents.ts"
import { outbox } from "../../events/outbox.ts"

const app = useTestApp({ own: true })

const publishing = (workspaceId: string, site: any, names: ReadonlyArray<string>) =>
  Effect.flatMap(EventOutbox, ({ publish }) =>
    publish(names.map((name) => ({ type: "SITE_UPDATED", workspaceId, data: { site: { ...site, name } } })))
  )

const run = <A, E>(effect: Effect.Effect<A, E, EventOutbox | SqlClient.SqlClient>) =>
  app.run(Effect.exit(Effect.provide(effect, outbox)))

test("events that are published together keep their order", async () => {
  const { after, site, workspaceId } = await arrangeEvents(app)
  const names = Array.from({ length: 300 }, (_, n) => `${n}`)
  await run(inTransaction(publishing(workspaceId, site, names)))
  const listed: Array<any> = []
  for (let page = await after(0); page.length > 0; page = await after(page.at(-1).sequence)) listed.push(...page)
  expect(listed.slice(1).map(({ data }) => data.site.name)).toEqual(names)
})

test("a transaction that fails after publishing leaves neither its change nor the event", async () => {
  const { after, call, site, workspaceId } = await arrangeEvents(app)
  const before = await after(0)
  const exit = await run(
    inTransaction(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE sites SET name = 'Hut' WHERE id = ${site.id}`
        yield* publishing(workspaceId, site, ["Hut"])
        return yield* Effect.fail("no")
      })
    )
  )
  expect(Exit.isFailure(exit)).toBe(true)
  expect((await call("GET", `/v1/sites/${site.id}`)).name).toBeNull()
  expect(await after(0)).toEqual(before)
})

test("events that can't be written roll back the change", async () => {
  const { call, site, workspaceId } = await arrangeEvents(app)
  const exit = await run(
    inTransaction(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE sites SET name = 'Hut' WHERE id = ${site.id}`
        yield* publishing(workspaceId, site, ["\0"])
      })
    )
  )
  expect(Exit.isFailure(exit)).toBe(true)
  expect((await call("GET", `/v1/sites/${site.id}`)).name).toBeNull()
})

test("publishing outside a transaction is impossible", async () => {
  const { after, site, workspaceId } = await arrangeEvents(app)
  const before = await after(0)
  const exit = await run(publishing(workspaceId, site, ["Hut"]))
  expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
  expect(await after(0)).toEqual(before)
})
