import { query } from "@edp/server/platform/sql/transaction"
import { HistoryDeletion } from "@edp/server/readings/retention/HistoryDeletion"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices } from "./arrangeDevices.ts"
import { atOnce } from "../../support/races.ts"

/** Only sessions that truly run side by side can pass one another by. */
describePostgres("concurrent changes of devices", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })
  const arrange = (organizationId?: string) => arrangeDevices(app, organizationId)

  test("keep totalItems exact after creations, moves and deletions", async () => {
    const one = await arrange()
    const other = await arrange(one.organizationId)
    const move = (id: string, to: string) =>
      app.sql((sql) => query(sql`UPDATE devices SET workspace_id = ${to} WHERE id = ${id}`))
    const life = async (n: number) => {
      const [place, away] = n % 2 === 0 ? [one, other] : [other, one]
      const id = await place.device({ direct: n % 5 === 0, tags: [`tag-${n % 3}`] })
      if (n % 3 === 0) await move(id, away.workspaceId)
      if (n % 4 === 0) expect((await (n % 3 === 0 ? away : place).call("DELETE", `/v1/devices/${id}`)).status).toBe(204)
      // A statement over many devices at once, which deadlocks with another such: like the service's own it runs again.
      if (n % 20 === 0)
        await app.sql((sql) => query(sql`UPDATE devices SET name = 'x' WHERE workspace_id = ${place.workspaceId}`))
    }
    await atOnce(140, (n) => life(n))
    for (const { get, workspaceId } of [one, other]) {
      const [{ n }] = (await app.sql(
        (sql) => sql`SELECT count(*)::int AS n FROM devices WHERE workspace_id = ${workspaceId}`
      )) as [{ readonly n: number }]
      expect(n).toBeGreaterThan(30)
      expect((await get("/v1/devices")).body.totalItems).toBe(n)
      const tagged = await Promise.all(
        [0, 1, 2].map(async (tag) => (await get(`/v1/devices?tag=tag-${tag}`)).body.totalItems)
      )
      expect(tagged.reduce((sum, each) => sum + each)).toBe(n)
    }
  })

  test("keep totalItems exact after a transaction that was rolled back", async () => {
    const { device, get, workspaceId } = await arrange()
    await device()
    const failing = app.sql(
      (sql) =>
        sql`WITH gone AS (DELETE FROM devices WHERE workspace_id = ${workspaceId} RETURNING 1) SELECT 1 / 0 FROM gone`
    )
    await expect(failing).rejects.toThrow()
    expect((await get("/v1/devices")).body.totalItems).toBe(1)
  })

  test("keep all tags that are added concurrently", async () => {
    const { call, device, get } = await arrange()
    const path = `/v1/devices/${await device()}/tags`
    const tags = Array.from({ length: 30 }, (_, n) => `tag-${n}`)
    await Promise.all(tags.map((tag) => call("POST", path, { tags: [tag] })))
    expect((await get(path)).body.tags.toSorted()).toEqual(tags.toSorted())
  })

  test("add no more than a hundred tags", async () => {
    const { call, device, get } = await arrange()
    const path = `/v1/devices/${await device({ tags: Array.from({ length: 95 }, (_, n) => `old-${n}`) })}/tags`
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => call("POST", path, { tags: [`new-${n}`] }))
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5)
    expect((await get(path)).body.tags).toHaveLength(100)
  })

  test("leave a device without a site if it moves to one that is being deleted, without a 500", async () => {
    const { call, device, get, site } = await arrange()
    for (let round = 0; round < 10; round++) {
      const { id: siteId } = await site()
      const [one, other] = [await device(), await device()]
      const responses = await Promise.all([
        call("PATCH", `/v1/devices/${one}`, { siteId }),
        call("DELETE", `/v1/sites/${siteId}`),
        call("PUT", `/v1/sites/${siteId}/devices/${other}`)
      ])
      for (const { status, body } of responses) expect([200, 204, "SITE_NOT_FOUND"]).toContain(body?.code ?? status)
      for (const id of [one, other]) expect((await get(`/v1/devices/${id}`)).body.siteId).toBeNull()
    }
  })

  test("succeed once for concurrent deletions", async () => {
    const { call, device } = await arrange()
    for (const direct of [true, false]) {
      const path = `/v1/devices/${await device({ direct })}`
      const responses = await atOnce(8, () => call("DELETE", path))
      expect(responses.map(({ status }) => status).toSorted()).toEqual([204, ...Array.from({ length: 7 }, () => 404)])
    }
  })

  test("turn on deletion protection either before a concurrent deletion or after it", async () => {
    const { call, device, get, keys, workspaceId } = await arrange()
    const protect = (deletionProtection: boolean) =>
      app.call("PATCH", `/v1/workspaces/${workspaceId}`, { key: keys.MANAGEMENT, body: { deletionProtection } })
    for (let round = 0; round < 10; round++) {
      const path = `/v1/devices/${await device()}`
      const [deleted] = await Promise.all([call("DELETE", path), protect(true)])
      expect([204, 400]).toContain(deleted.status)
      expect((await get(path)).status).toBe(deleted.status === 204 ? 404 : 200)
      await protect(false)
    }
  })

  test("leave no readings of a deleted device", async () => {
    const { call, device } = await arrange()
    const leftovers = (id: string) =>
      app.sql(
        (sql) => sql`SELECT 1 FROM readings WHERE device_id = ${id} UNION ALL
          SELECT 1 FROM device_states WHERE device_id = ${id} UNION ALL
          SELECT 1 FROM forgotten_histories WHERE device_id = ${id}`
      )
    for (let round = 0; round < 10; round++) {
      const id = await device()
      const push = (n: number) =>
        call(
          "POST",
          `/devices/${id}/telemetry`,
          { timestamp: new Date(Date.now() - n * 1000).toISOString(), state: { power: n } },
          "MANUFACTURER"
        )
      const pushes = [0, 1, 2].map(push)
      const [deleted, ...pushed] = await Promise.all([call("DELETE", `/v1/devices/${id}`), ...pushes, push(3)])
      expect(deleted.status).toBe(204)
      for (const { status, body } of pushed) expect([200, "DEVICE_NOT_ASSOCIATED"]).toContain(body.code ?? status)
      expect((await push(4)).body.code).toBe("DEVICE_NOT_ASSOCIATED")
      await app.run(Effect.flatMap(HistoryDeletion, ({ deleteAll }) => deleteAll))
      expect(await leftovers(id)).toEqual([])
    }
  })
})
