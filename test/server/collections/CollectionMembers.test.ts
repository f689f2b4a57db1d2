import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCollections, named } from "./arrangeCollections.ts"

const app = useTestApp()
const arrange = () => arrangeCollections(app)
const nobody = `c${"0".repeat(24)}`

const change = (id: string, to: Record<string, unknown>) =>
  app.sql((sql) => sql`UPDATE devices SET ${sql.update(to)} WHERE id = ${id}`)

describe("GET /v1/collections/:id/members", () => {
  test("200 lists the current matches of a dynamic collection, newest first and by page", async () => {
    const { call, create, device, memberIds } = await arrange()
    const ids = [await device({ name: "A" }), await device({ name: "B" }), await device({ name: "A" })]
    const { id } = await create({ criteria: named("A") })
    expect(await memberIds(id)).toEqual([ids[2], ids[0]])
    const second = (await call("GET", `/v1/collections/${id}/members?perPage=1&page=2`)).body
    expect(second).toMatchObject({ page: 2, perPage: 1, totalItems: 2, totalPages: 2 })
    expect(second.data).toEqual([(await call("GET", `/v1/devices/${ids[0]}`)).body])
    await call("PATCH", `/v1/devices/${ids[1]}`, { name: "A" })
    await call("PATCH", `/v1/devices/${ids[2]}`, { name: "B" })
    expect(await memberIds(id)).toEqual([ids[1], ids[0]])
  })

  test("200 lists records of each type", async () => {
    const { call, create, memberIds, site } = await arrange()
    const home = await site({ name: "Home", tags: ["pilot"] })
    await site({ name: "Shop" })
    const sites = await create({
      collectionType: "SITE",
      criteria: { any: [{ attribute: "tags", operator: "contains", value: "pilot" }] }
    })
    expect((await call("GET", `/v1/collections/${sites.id}/members`)).body.data).toEqual([home])

    const customer = (await call("POST", "/v1/customers", { lastName: "Okafor", siteIds: [home.id] })).body
    await call("POST", "/v1/customers", { lastName: "Okafor" })
    const customers = await create({
      collectionType: "CUSTOMER",
      criteria: { attribute: "siteCount", operator: "gte", value: 1 }
    })
    expect((await call("GET", `/v1/collections/${customers.id}/members`)).body.data).toEqual([customer])
    expect(await memberIds((await create({ collectionType: "CUSTOMER" })).id)).toHaveLength(2)
  })

  test("200 lists every record of the workspace for criteria {} of a dynamic collection", async () => {
    const { create, device, memberIds } = await arrange()
    const other = await arrange()
    await other.device()
    const id = await device()
    expect(await memberIds((await create({})).id)).toEqual([id])
  })

  test("200 of a materialized collection is current after refresh, fixed while frozen, and current again afterwards", async () => {
    const { call, create, device, memberIds } = await arrange()
    const first = await device({ name: "A" })
    const { id } = await create({ dynamic: false, criteria: named("A") })
    expect(await memberIds(id)).toEqual([first])
    const second = await device({ name: "A" })
    expect(await memberIds(id)).toEqual([first])
    expect((await call("POST", `/v1/collections/${id}/refresh`)).status).toBe(200)
    expect(await memberIds(id)).toEqual([second, first])

    await call("PATCH", `/v1/collections/${id}`, { isActive: false })
    await call("PATCH", `/v1/devices/${first}`, { name: "B" })
    expectError(await call("POST", `/v1/collections/${id}/refresh`), 400, "INVALID_STATE")
    await call("PATCH", `/v1/collections/${id}`, { criteria: named("B") })
    expect(await memberIds(id)).toEqual([second, first])
    await call("PATCH", `/v1/collections/${id}`, { isActive: true })
    expect(await memberIds(id)).toEqual([first])
  })

  test("200 of a collection that is created frozen has the matches of that moment", async () => {
    const { create, device, memberIds } = await arrange()
    const first = await device({ name: "A" })
    const { id } = await create({ dynamic: false, isActive: false, criteria: named("A") })
    await device({ name: "A" })
    expect(await memberIds(id)).toEqual([first])
  })

  test("200 deleted records and those that leave the workspace leave materialized collections", async () => {
    const { call, create, device, memberIds, site } = await arrange()
    const [removed, direct] = [await device(), await device()]
    await change(removed, { direct: false })
    const gone = await site()
    const devices = await create({ dynamic: false })
    const sites = await create({ dynamic: false, collectionType: "SITE" })
    for (const id of [removed, direct]) await call("PUT", `/v1/collections/${devices.id}/members/${id}`)
    await call("PUT", `/v1/collections/${sites.id}/members/${gone.id}`)
    expect(await memberIds(devices.id)).toEqual([direct, removed])
    for (const id of [removed, direct]) expect((await call("DELETE", `/v1/devices/${id}`)).status).toBe(204)
    expect((await call("DELETE", `/v1/sites/${gone.id}`)).status).toBe(204)
    expect(await memberIds(devices.id)).toEqual([])
    expect(await memberIds(sites.id)).toEqual([])
    const left = await app.sql((sql) => sql`SELECT 1 FROM collection_members WHERE collection_id = ${devices.id}`)
    expect(left).toEqual([])
  })
})

describe("PUT and DELETE /v1/collections/:id/members/:memberId", () => {
  test("204 adds a record once, and removes it", async () => {
    const { call, create, device, memberIds } = await arrange()
    const member = await device()
    const { id } = await create({ dynamic: false })
    const path = `/v1/collections/${id}/members/${member}`
    for (const _ of [1, 2]) expect((await call("PUT", path)).status).toBe(204)
    expect(await memberIds(id)).toEqual([member])
    expect((await call("DELETE", path)).status).toBe(204)
    expect(await memberIds(id)).toEqual([])
    expectError(await call("DELETE", path), 404, "DEVICE_NOT_FOUND")
  })

  test("404 DEVICE_NOT_FOUND, SITE_NOT_FOUND, CUSTOMER_NOT_FOUND for an id that is not such a record of the workspace", async () => {
    const { call, create, device, site } = await arrange()
    const stranger = await arrange()
    const foreign = { DEVICE: await stranger.device(), SITE: (await stranger.site()).id, CUSTOMER: nobody }
    const other = { DEVICE: (await site()).id, SITE: await device(), CUSTOMER: await device() }
    for (const collectionType of ["DEVICE", "SITE", "CUSTOMER"] as const) {
      const { id } = await create({ dynamic: false, collectionType })
      for (const member of [foreign[collectionType], other[collectionType], nobody, "x", "%00"]) {
        for (const method of ["PUT", "DELETE"]) {
          const response = await call(method, `/v1/collections/${id}/members/${member}`)
          expectError(response, 404, `${collectionType}_NOT_FOUND`)
        }
      }
    }
  })

  test("400 INVALID_STATE for a dynamic, a criteria-based, and a frozen collection", async () => {
    const { call, create, device } = await arrange()
    const member = await device()
    for (const fields of [
      { dynamic: true },
      { dynamic: false, criteria: named("A") },
      { dynamic: false, isActive: false }
    ]) {
      const { id } = await create(fields)
      for (const method of ["PUT", "DELETE"]) {
        expectError(await call(method, `/v1/collections/${id}/members/${member}`), 400, "INVALID_STATE")
      }
    }
  })
})

describe("POST /v1/collections/:id/refresh", () => {
  test("200 returns the collection, also if nothing is to be refreshed", async () => {
    const { call, create } = await arrange()
    for (const fields of [{}, { dynamic: false }, { dynamic: false, criteria: named("A") }]) {
      const collection = await create(fields)
      const response = await call("POST", `/v1/collections/${collection.id}/refresh`)
      expect({ status: response.status, body: response.body }).toEqual({ status: 200, body: collection })
    }
  })
})

describe("POST /v1/collections/preview", () => {
  test("200 lists the records that match the criteria, by page, and stores nothing", async () => {
    const { call, device } = await arrange()
    const ids = [await device({ name: "A" }), await device({ name: "A" })]
    const body = { collectionType: "DEVICE", criteria: named("A") }
    const response = await call("POST", "/v1/collections/preview?perPage=1&page=2", body)
    expect([response.status, response.body.totalItems]).toEqual([200, 2])
    expect(response.body.data).toEqual([(await call("GET", `/v1/devices/${ids[0]}`)).body])
    expect((await call("GET", "/v1/collections")).body.totalItems).toBe(0)
  })

  test("200 for the workspace that a MANAGEMENT key chooses", async () => {
    const { call, keys, organizationId, device } = await arrange()
    await device()
    const sibling = await app.workspace(organizationId)
    const body = { collectionType: "DEVICE", criteria: {}, workspaceId: sibling.workspaceId }
    expect((await call("POST", "/v1/collections/preview", body, keys.MANAGEMENT)).body.totalItems).toBe(0)
    expect((await call("POST", "/v1/collections/preview", body)).body.totalItems).toBe(1)
    const theirs = { ...body, workspaceId: (await app.workspace()).workspaceId }
    expectError(await call("POST", "/v1/collections/preview", theirs, keys.MANAGEMENT), 404, "WORKSPACE_NOT_FOUND")
  })

  test("400 INVALID_CRITERIA, and VALIDATION_ERROR for a value that is not criteria", async () => {
    const { call } = await arrange()
    const send = (criteria: unknown) => call("POST", "/v1/collections/preview", { collectionType: "SITE", criteria })
    expectError(await send({ attribute: "type", operator: "eq", value: "battery" }), 400, "INVALID_CRITERIA")
    for (const criteria of ["all", 1, null]) {
      expectError(await send(criteria), 400, "VALIDATION_ERROR", { criteria: "Must be a JSON object" })
    }
  })
})

describe("GET /v1/devices?collectionId", () => {
  test("200 lists the members, also with other filters and cursors", async () => {
    const { call, create, device } = await arrange()
    const ids = [
      await device({ name: "A", tags: ["x"] }),
      await device({ name: "A", tags: ["x", "y"] }),
      await device({ name: "B", tags: ["y"] }),
      await device({ name: "A", tags: ["y"], referenceId: "user-2" })
    ]
    const live = await create({ criteria: named("A") })
    const kept = await create({ dynamic: false, criteria: { attribute: "tags", operator: "in", value: ["y"] } })
    const sites = await create({ collectionType: "SITE" })
    const list = async (query: string) => {
      const { body } = await call("GET", `/v1/devices?${query}`)
      expect(body.totalItems).toBe(body.data.length)
      return body.data.map(({ id }: any) => id)
    }
    expect(await list(`collectionId=${live.id}`)).toEqual([ids[3], ids[1], ids[0]])
    expect(await list(`collectionId=${live.id}&tag=y`)).toEqual([ids[3], ids[1]])
    expect(await list(`collectionId=${live.id}&tag=y&referenceId=user-1&type=inverter`)).toEqual([ids[1]])
    expect(await list(`collectionId=${kept.id}`)).toEqual([ids[3], ids[2], ids[1]])
    expect(await list(`collectionId=${kept.id}&q=b`)).toEqual([ids[2]])
    expect(await list(`collectionId=${kept.id}&tag=x,y&onlineStatus=unknown`)).toEqual([ids[3], ids[2], ids[1]])
    expect(await list(`collectionId=${sites.id}`)).toEqual([])
    expect(await list(`collectionId=${nobody}`)).toEqual([])

    for (const collection of [live, kept]) {
      const whole = await list(`collectionId=${collection.id}`)
      const first = await call("GET", `/v1/devices?collectionId=${collection.id}&perPage=2`)
      const cursor = first.headers.get("x-next-cursor")
      const rest = await call("GET", `/v1/devices?collectionId=${collection.id}&perPage=2&cursor=${cursor}`)
      expect([...first.body.data, ...rest.body.data].map(({ id }: any) => id)).toEqual(whole)
    }
  })

  test("200 a SCOPED key sees only its own user's devices", async () => {
    const { call, create, device, keys } = await arrange()
    const own = await device({ referenceId: "user-1" })
    await device({ referenceId: "user-2" })
    const { id } = await create({ criteria: { attribute: "type", operator: "eq", value: "inverter" } })
    const { body } = await call("GET", `/v1/devices?collectionId=${id}`, undefined, keys.SCOPED)
    expect(body.data.map((device: any) => device.id)).toEqual([own])
  })
})
