import { expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { seedDevice, seedSite, someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { atOnce } from "../../support/races.ts"

/** Only sessions that truly run side by side can pass one another by. */
describePostgres("concurrent changes of sites", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })

  const location = { latitude: 38, longitude: -121 }

  const arrange = async () => {
    const place = await app.workspace()
    const key = place.keys.SERVER
    return {
      ...place,
      call: (method: string, path: string, body?: unknown) =>
        app.call(method, path, { key, ...(body === undefined ? {} : { body }) }),
      create: (fields: object = {}) => seedSite(app, key, { location, ...fields })
    }
  }

  test("create one site at one address, and the others are SITE_ALREADY_EXISTS", async () => {
    const { call } = await arrange()
    const address = someAddress()
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => call("POST", "/v1/sites", n % 2 ? { address } : { address, location }))
    )
    const codes = responses.map(({ status, body }) => body.code ?? status)
    expect(codes.sort()).toEqual([201, ...Array.from({ length: 19 }, () => "SITE_ALREADY_EXISTS")])
    expect((await call("GET", "/v1/sites")).body.totalItems).toBe(1)
  })

  test("move one of several sites to one address", async () => {
    const { call, create } = await arrange()
    const sites = []
    for (let n = 0; n < 8; n++) sites.push(await create())
    const body = { address: someAddress(), location }
    const responses = await Promise.all(sites.map(({ id }) => call("PATCH", `/v1/sites/${id}`, body)))
    const codes = responses.map((response) => response.body.code ?? response.status)
    expect(codes.sort()).toEqual([200, ...Array.from({ length: 7 }, () => "SITE_ALREADY_EXISTS")])
  })

  test("swap the addresses of two sites with two different results, and no error but SITE_ALREADY_EXISTS", async () => {
    const { call, create } = await arrange()
    for (let round = 0; round < 10; round++) {
      const [one, two] = [await create(), await create()]
      const responses = await Promise.all([
        call("PATCH", `/v1/sites/${one.id}`, { address: two.address, location }),
        call("PATCH", `/v1/sites/${two.id}`, { address: one.address, location })
      ])
      for (const { body } of responses) expect([undefined, "SITE_ALREADY_EXISTS"]).toContain(body.code)
      const streets = await Promise.all(
        [one, two].map(async ({ id }) => (await call("GET", `/v1/sites/${id}`)).body.address.streetOne)
      )
      expect(new Set(streets).size).toBe(2)
    }
  })

  test("delete a site once, and no device keeps it", async () => {
    const { call, create, workspaceId } = await arrange()
    for (let round = 0; round < 5; round++) {
      const { id } = await create()
      await atOnce(5, () => seedDevice(app, workspaceId, { siteId: id }))
      const responses = await atOnce(6, () => call("DELETE", `/v1/sites/${id}`))
      expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404])
      const kept = await app.sql((sql) => sql`SELECT 1 FROM devices WHERE site_id = ${id}`)
      expect(kept).toHaveLength(0)
    }
  })

  test("turn on deletion protection either before a concurrent deletion or after it", async () => {
    const { call, create, workspaceId, keys } = await arrange()
    for (let round = 0; round < 10; round++) {
      const { id } = await create()
      const protect = (deletionProtection: boolean) =>
        app.call("PATCH", `/v1/workspaces/${workspaceId}`, { key: keys.MANAGEMENT, body: { deletionProtection } })
      const [deleted] = await Promise.all([call("DELETE", `/v1/sites/${id}`), protect(true)])
      expect([204, 400]).toContain(deleted.status)
      expect((await call("GET", `/v1/sites/${id}`)).status).toBe(deleted.status === 204 ? 404 : 200)
      expect((await call("DELETE", `/v1/sites/${id}`)).status).toBe(deleted.status === 204 ? 404 : 400)
      await protect(false)
    }
  })
})
