import { expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { movableClock } from "../../support/movableClock.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeGrid, useFakeVtn } from "./arrangeGrid.ts"

describePostgres("polls of VTNs on PostgreSQL", () => {
  const databases = useDatabases()
  const clock = movableClock(Date.now())
  const app = useTestApp({
    databaseUrl: () => databases.url,
    clock,
    env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "true" }
  })
  const vtnNow = useFakeVtn()

  test("are recorded, although its times are finer than those of the service", async () => {
    const { connect, must, poll } = await arrangeGrid(app, clock, vtnNow())
    const { id } = await connect({ pollSeconds: 600 })
    for (let n = 0; n < 5; n++) {
      await poll(1)
      const { lastPolledAt, status } = await must(200, "GET", `/v1/grid-connections/${id}`)
      expect({ status, lastPolledAt }).toEqual({
        status: "connected",
        lastPolledAt: new Date(clock.currentTimeMillisUnsafe()).toISOString()
      })
    }
    const [row] = await app.sql<{ readonly wait: number }>(
      (sql) => sql`SELECT extract(epoch FROM poll_at - now())::float8 AS wait FROM grid_connections WHERE id = ${id}`
    )
    // Not the lease of five minutes.
    expect(row!.wait).toBeGreaterThan(500)
  })

  test("begin again soon after a notification in the middle of one", async () => {
    const { connect, poll } = await arrangeGrid(app, clock, vtnNow())
    const { id } = await connect({ pollSeconds: 3600 })
    vtnNow().respond = async ({ path }) => {
      if (path === "/events") {
        await app.sql(
          (sql) => sql`UPDATE grid_connections SET hinted_at = clock_timestamp() WHERE id = ${id} RETURNING 1`
        )
      }
      return undefined
    }
    await poll()
    const wait = async () => {
      const [row] = await app.sql<{ readonly wait: number }>(
        (sql) => sql`SELECT extract(epoch FROM poll_at - now())::float8 AS wait FROM grid_connections WHERE id = ${id}`
      )
      return row!.wait
    }
    expect(await wait()).toBeLessThan(2.1)
    vtnNow().respond = () => undefined
    await poll()
    expect(await wait()).toBeGreaterThan(3000)
  })

  test("keep the dispatch of an event that has not changed", async () => {
    const { connect, dispatches, event, followed, home, poll } = await arrangeGrid(app, clock, vtnNow())
    await home()
    const { id } = await connect()
    const rules = [{ payloadType: "SIMPLE", minimum: 1, actions: { battery: { operatingMode: "discharge" } } }]
    const program = await followed(rules, id)
    event(program.vtnProgramId, "SIMPLE", [1, 2], 10)
    for (let n = 0; n < 3; n++) await poll(60)
    expect((await dispatches()).map(({ status }) => status)).toEqual(["scheduled"])
  })
})
