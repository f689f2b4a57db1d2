import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describePostgres, type PostgresServer, startPostgres } from "../../../support/PostgresServer.ts"
import { atOnce, gate, untilLockWait } from "../../../support/races.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { clientWithKey } from "../VtnWorld.ts"
import { arrangeScopes, showSites } from "./arrangeScopes.ts"

describePostgres("resources of sites at the same time", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ fsync: false })
  })
  afterAll(() => server.stop())
  const app = useTestApp({ databaseUrl: () => server.url })

  test("a key is created after the open writes of its workspace, so that none is missed", async () => {
    const { createKey, enrolled, instance, names } = await arrangeScopes(app)
    const { siteId } = await enrolled({ name: "Home" })
    const open = gate()
    const writing = app.run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(Effect.andThen(sql`UPDATE sites SET name = 'Cabin' WHERE id = ${siteId}`, open.wait))
      }) as never
    )
    await open.entered
    const key = createKey({ scope: { programInstanceId: instance.id } })
    await untilLockWait(server.url, "the key waits", { locks: ["advisory"] })
    open.open()
    await writing
    const client = await clientWithKey(app, (await key).body)
    expect(await names(client)).toEqual(["Cabin"])
  })

  test("a change that commits after its site was compared is compared by itself", async () => {
    const { changeSite, enrolled, instance, names, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const { siteId } = await enrolled({ name: "Home" })
    const open = gate()
    const writing = app.run(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction(Effect.andThen(sql`UPDATE sites SET name = 'Cabin' WHERE id = ${siteId}`, open.wait))
      }) as never
    )
    await open.entered
    expect(await names(client)).toEqual(["Home"])
    open.open()
    await writing
    expect(await names(client)).toEqual(["Cabin"])
    await changeSite(siteId, { name: "Home" })
    expect(await names(client)).toEqual(["Home"])
  })

  test("several processes make one resource of each site", async () => {
    const { enrolled, instance, names, ven } = await arrangeScopes(app)
    const clients = [await ven({ programInstanceId: instance.id }), await ven({ programInstanceId: instance.id })]
    for (const name of ["One", "Two", "Three"]) await enrolled({ name })
    await atOnce(4, () => showSites(app))
    for (const client of clients) expect(await names(client)).toEqual(["One", "Three", "Two"])
    expect(await app.sql((sql) => sql`SELECT item FROM failing_work WHERE work = 'sites to OpenADR'`)).toEqual([])
  })
})
