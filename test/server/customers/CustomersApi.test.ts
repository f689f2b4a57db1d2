import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCustomers, nobody } from "./arrangeCustomers.ts"
import { atOnce } from "../../support/races.ts"

const app = useTestApp()
const workspaceKeys = ["SERVER", "API"] as const

describeKeyChecks(app, [
  { method: "GET", path: "/v1/customers", allowed: workspaceKeys },
  { method: "POST", path: "/v1/customers", allowed: workspaceKeys },
  { method: "GET", path: "/v1/customers/any", allowed: workspaceKeys },
  { method: "PATCH", path: "/v1/customers/any", allowed: workspaceKeys },
  { method: "DELETE", path: "/v1/customers/any", allowed: workspaceKeys }
])

const arrange = (organizationId?: string) => arrangeCustomers(app, organizationId)
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ada = { referenceId: "user-1", firstName: "Ada", lastName: "Okafor", email: "Ada@example.com", phone: "555 0142" }
const taken = { referenceId: expect.any(String) }

describe("POST /v1/customers", () => {
  test("201 without fields creates a customer with null fields", async () => {
    const { call, get, workspaceId } = await arrange()
    const { status, body } = await call("POST", "/v1/customers", {})
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      workspaceId,
      referenceId: null,
      firstName: null,
      lastName: null,
      email: null,
      emailUnconfirmed: false,
      phone: null,
      createdAt: moment,
      updatedAt: body.createdAt,
      connectedSiteIds: [],
      connectedDeviceIds: []
    })
    expect(await get(body.id)).toEqual(body)
  })

  test("201 stores every field, and links each given site once", async () => {
    const { create, site, device } = await arrange()
    const [first, second] = [await site(), await site()]
    const id = await device({ siteId: first.id })
    const body = await create({ ...ada, siteIds: [first.id, second.id, first.id] })
    expect(body).toMatchObject(ada)
    expect(body.connectedSiteIds).toEqual([second.id, first.id])
    expect(body.connectedDeviceIds).toEqual([id])
  })

  test("201 ignores read-only fields", async () => {
    const { call, workspaceId } = await arrange()
    const { body } = await call("POST", "/v1/customers", {
      id: nobody,
      workspaceId: nobody,
      connectedDeviceIds: [nobody]
    })
    expect(body).toMatchObject({ workspaceId, connectedDeviceIds: [] })
    expect(body.id).not.toBe(nobody)
  })

  test("201 accepts a referenceId of another workspace, and any number of customers without one", async () => {
    const { create, organizationId } = await arrange()
    await create(ada)
    await create({ referenceId: null })
    await create({ referenceId: null })
    await (await arrange(organizationId)).create(ada)
  })

  test("400 VALIDATION_ERROR for a referenceId that another customer of the workspace has", async () => {
    const { create, call } = await arrange()
    await create(ada)
    expectError(await call("POST", "/v1/customers", { referenceId: "user-1" }), 400, "VALIDATION_ERROR", taken)
    await create({ referenceId: "USER-1" })
  })

  test("400 VALIDATION_ERROR for all but one of several concurrent requests with one referenceId", async () => {
    const { call } = await arrange()
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => call("POST", "/v1/customers", { referenceId: "race" }))
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(400)])
    for (const response of responses.filter(({ status }) => status === 400)) {
      expectError(response, 400, "VALIDATION_ERROR", taken)
    }
  })

  test("201 and 400 a referenceId of 1000 three-byte characters is stored, found and unique", async () => {
    const { create, call } = await arrange()
    const referenceId = Array.from({ length: 1000 }, (_, n) =>
      String.fromCodePoint(0x4e00 + ((n * n * 7919) % 20_000))
    ).join("")
    expect((await create({ referenceId })).referenceId).toBe(referenceId)
    expectError(await call("POST", "/v1/customers", { referenceId }), 400, "VALIDATION_ERROR", taken)
    const filter = `/v1/customers?referenceId=${encodeURIComponent(referenceId)}`
    expect((await call("GET", filter)).body.totalItems).toBe(1)
  })

  test.each([
    [{ referenceId: "" }, "referenceId"],
    [{ referenceId: "x".repeat(1001) }, "referenceId"],
    [{ firstName: "" }, "firstName"],
    [{ firstName: "x".repeat(101) }, "firstName"],
    [{ lastName: 7 }, "lastName"],
    [{ lastName: "NUL\0" }, "lastName"],
    [{ email: "ada" }, "email"],
    [{ email: "ada@example" }, "email"],
    [{ email: "ada@exam ple.com" }, "email"],
    [{ email: "ada@example.com, eve@example.com" }, "email"],
    [{ email: "NUL\0@example.com" }, "email"],
    [{ email: `${"x".repeat(250)}@example.com` }, "email"],
    [{ phone: "1234" }, "phone"],
    [{ phone: "1".repeat(21) }, "phone"],
    [{ siteIds: "one" }, "siteIds"],
    [{ siteIds: [7] }, "siteIds.0"],
    [{ siteIds: Array(101).fill(nobody) }, "siteIds"]
  ])("400 VALIDATION_ERROR for %j", async (body, field) => {
    const { call } = await arrange()
    expectError(await call("POST", "/v1/customers", body), 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })

  test("400 VALIDATION_ERROR lists all invalid fields", async () => {
    const { call } = await arrange()
    const response = await call("POST", "/v1/customers", { firstName: "", email: "ada", phone: "1" })
    expectError(response, 400, "VALIDATION_ERROR", {
      firstName: expect.any(String),
      email: expect.any(String),
      phone: expect.any(String)
    })
  })

  test("404 SITE_NOT_FOUND for an unknown site, and no customer is created", async () => {
    const { call, site } = await arrange()
    const { id } = await site()
    for (const unknown of [nobody, "home"]) {
      expectError(await call("POST", "/v1/customers", { siteIds: [id, unknown] }), 404, "SITE_NOT_FOUND")
    }
    expect((await call("GET", "/v1/customers")).body.totalItems).toBe(0)
  })

  test("404 SITE_NOT_IN_WORKSPACE for a site of another workspace, and no customer is created", async () => {
    const { call, organizationId } = await arrange()
    const { id } = await (await arrange(organizationId)).site()
    expectError(await call("POST", "/v1/customers", { siteIds: [id] }), 404, "SITE_NOT_IN_WORKSPACE")
    expect((await call("GET", "/v1/customers")).body.totalItems).toBe(0)
  })
})

describe("GET /v1/customers/:id", () => {
  test("200 lists the devices at its sites and those that it connected, each once, newest first", async () => {
    const { create, get, site, device, connectedBy } = await arrange()
    const [home, cabin, other] = [await site(), await site(), await site()]
    const customer = await create({ siteIds: [home.id, cabin.id] })
    const atHome = await device({ siteId: home.id })
    const both = await connectedBy(customer.id, { siteId: home.id })
    const nowhere = await connectedBy(customer.id)
    await device({ siteId: other.id })
    await device()
    const atCabin = await device({ siteId: cabin.id })
    expect(await get(customer.id)).toEqual({
      ...customer,
      connectedSiteIds: [cabin.id, home.id],
      connectedDeviceIds: [atCabin, nowhere, both, atHome]
    })
  })

  test("200 with include=devices,commandDetails returns devices as GET /v1/devices/:id does", async () => {
    const { create, call, site, device, connectedBy } = await arrange()
    const home = await site()
    const { id } = await create({ siteIds: [home.id] })
    const ids = [await connectedBy(id), await device({ siteId: home.id })].toReversed()
    const { body } = await call("GET", `/v1/customers/${id}?include=devices,commandDetails`)
    const shown = await Promise.all(ids.map(async (device) => (await call("GET", `/v1/devices/${device}`)).body))
    expect(body.devices).toEqual(shown)
    expect(body.connectedDeviceIds).toEqual(ids)
  })

  test("200 with include=devices returns an empty list if there are none; without it no field", async () => {
    const { create, call } = await arrange()
    const customer = await create()
    expect((await call("GET", `/v1/customers/${customer.id}?include=devices`)).body).toEqual({
      ...customer,
      devices: []
    })
    expect((await call("GET", `/v1/customers/${customer.id}`)).body).toEqual(customer)
  })

  test("200 a device that was removed from the workspace is no longer the customer's, even after its return", async () => {
    const { create, call, get, connectedBy, workspaceId } = await arrange()
    const { id } = await create()
    const device = await connectedBy(id)
    expect((await call("DELETE", `/v1/devices/${device}`)).status).toBe(204)
    expect((await get(id)).connectedDeviceIds).toEqual([])
    await app.sql((sql) => sql`UPDATE devices SET workspace_id = ${workspaceId} WHERE id = ${device}`)
    expect((await get(id)).connectedDeviceIds).toEqual([])
  })

  test.each([
    ["include=sites", "include.0"],
    ["include=", "include.0"],
    ["include=devices,sites", "include.1"],
    ["expand=devices", "expand"]
  ])("400 VALIDATION_ERROR for ?%s", async (query, field) => {
    const { create, call } = await arrange()
    const { id } = await create()
    expectError(await call("GET", `/v1/customers/${id}?${query}`), 400, "VALIDATION_ERROR", {
      [field]: expect.any(String)
    })
  })

  test("404 CUSTOMER_NOT_FOUND for an unknown id, one of another workspace, and an invalid one", async () => {
    const { call, organizationId } = await arrange()
    const { id } = await (await arrange(organizationId)).create()
    for (const unknown of [nobody, id, "ada", "%00"]) {
      expectError(await call("GET", `/v1/customers/${unknown}`), 404, "CUSTOMER_NOT_FOUND")
    }
  })
})

describe("PATCH /v1/customers/:id", () => {
  test("200 keeps absent fields, clears those that are null, and updates the time of change", async () => {
    const { create, call, get, site } = await arrange()
    const before = await create({ ...ada, siteIds: [(await site()).id] })
    const { status, body } = await call("PATCH", `/v1/customers/${before.id}`, { email: null, lastName: "Obi" })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, email: null, lastName: "Obi", updatedAt: moment })
    expect(body.updatedAt > before.updatedAt).toBe(true)
    expect(await get(before.id)).toEqual(body)
  })

  test("200 clears every field with null, and changes nothing without fields", async () => {
    const { create, call } = await arrange()
    const { id } = await create(ada)
    expect((await call("PATCH", `/v1/customers/${id}`, {})).body).toMatchObject(ada)
    const nothing = { referenceId: null, firstName: null, lastName: null, email: null, phone: null }
    expect((await call("PATCH", `/v1/customers/${id}`, nothing)).body).toMatchObject(nothing)
  })

  test("200 accepts the customer's own referenceId, and a cleared one is free", async () => {
    const { create, call } = await arrange()
    const { id } = await create(ada)
    expect((await call("PATCH", `/v1/customers/${id}`, { referenceId: "user-1" })).status).toBe(200)
    await call("PATCH", `/v1/customers/${id}`, { referenceId: null })
    await create(ada)
  })

  test("400 VALIDATION_ERROR for another customer's referenceId; of several concurrent ones for all but one", async () => {
    const { create, call } = await arrange()
    await create(ada)
    const { id } = await create()
    expectError(await call("PATCH", `/v1/customers/${id}`, { referenceId: "user-1" }), 400, "VALIDATION_ERROR", taken)
    const others = await atOnce(4, () => create())
    const responses = await Promise.all(
      others.map((other) => call("PATCH", `/v1/customers/${other.id}`, { referenceId: "race" }))
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  })

  test("400 VALIDATION_ERROR for invalid fields", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    expectError(await call("PATCH", `/v1/customers/${id}`, { email: "ada", phone: "1" }), 400, "VALIDATION_ERROR", {
      email: expect.any(String),
      phone: expect.any(String)
    })
  })

  test("404 CUSTOMER_NOT_FOUND", async () => {
    const { call, organizationId } = await arrange()
    const { id } = await (await arrange(organizationId)).create()
    for (const unknown of [nobody, id]) {
      expectError(await call("PATCH", `/v1/customers/${unknown}`, { firstName: "Eve" }), 404, "CUSTOMER_NOT_FOUND")
    }
  })
})

describe("DELETE /v1/customers/:id", () => {
  test("204 keeps its sites and devices, and repeating it is 404 CUSTOMER_NOT_FOUND", async () => {
    const { create, call, site, connectedBy } = await arrange()
    const home = await site()
    const { id } = await create({ ...ada, siteIds: [home.id] })
    const device = await connectedBy(id, { siteId: home.id })
    const before = (await call("GET", `/v1/devices/${device}`)).body
    const { status, text } = await call("DELETE", `/v1/customers/${id}`)
    expect([status, text]).toEqual([204, ""])
    expect((await call("GET", `/v1/sites/${home.id}`)).body.customerIds).toEqual([])
    expect((await call("GET", `/v1/devices/${device}`)).body).toEqual(before)
    expect((await call("GET", `/v1/devices?customerId=${id}`)).body.totalItems).toBe(0)
    expectError(await call("DELETE", `/v1/customers/${id}`), 404, "CUSTOMER_NOT_FOUND")
    await create(ada)
  })

  test("204 for one of several concurrent requests, 404 for the others", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    const responses = await atOnce(4, () => call("DELETE", `/v1/customers/${id}`))
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404])
  })

  test("400 DELETION_PROTECTION_ENABLED while the workspace is protected", async () => {
    const { create, call, protect, site } = await arrange()
    const home = await site()
    const customer = await create({ siteIds: [home.id] })
    await protect(true)
    const path = `/v1/customers/${customer.id}`
    expectError(await call("DELETE", path), 400, "DELETION_PROTECTION_ENABLED")
    expectError(await call("DELETE", `/v1/customers/${nobody}`), 404, "CUSTOMER_NOT_FOUND")
    expect((await call("GET", path)).body).toEqual(customer)
    expect((await call("DELETE", `/v1/sites/${home.id}/customers/${customer.id}`)).status).toBe(204)
    await protect(false)
    expect((await call("DELETE", path)).status).toBe(204)
  })

  test("404 CUSTOMER_NOT_FOUND for another workspace's, which is kept", async () => {
    const { call, organizationId } = await arrange()
    const other = await arrange(organizationId)
    const { id } = await other.create()
    expectError(await call("DELETE", `/v1/customers/${id}`), 404, "CUSTOMER_NOT_FOUND")
    expect((await other.get(id)).id).toBe(id)
  })
})

describe("deletion protection", () => {
  test("400 DELETION_PROTECTION_ENABLED for the workspace, its sites, customers and devices", async () => {
    const { create, call, protect, site, device, workspaceId, keys } = await arrange()
    const home = await site()
    const paths = [
      `/v1/customers/${(await create()).id}`,
      `/v1/devices/${await device({ siteId: home.id })}`,
      `/v1/sites/${home.id}`
    ]
    await protect(true)
    for (const path of paths) expectError(await call("DELETE", path), 400, "DELETION_PROTECTION_ENABLED")
    const workspace = () => app.call("DELETE", `/v1/workspaces/${workspaceId}`, { key: keys.MANAGEMENT })
    expectError(await workspace(), 400, "DELETION_PROTECTION_ENABLED")
    await protect(false)
    for (const path of paths) expect((await call("DELETE", path)).status).toBe(204)
  })

  test("204 an unprotected workspace is deleted with its customers, their links and their devices", async () => {
    const keeper = await arrange()
    const { create, site, connectedBy, workspaceId } = await arrange(keeper.organizationId)
    const home = await site()
    const { id } = await create({ siteIds: [home.id] })
    await connectedBy(id, { siteId: home.id })
    const gone = await app.call("DELETE", `/v1/workspaces/${workspaceId}`, { key: keeper.keys.MANAGEMENT })
    expect(gone.status).toBe(204)
    const left = await app.sql(
      (sql) => sql`SELECT id FROM customers WHERE workspace_id = ${workspaceId}
        UNION ALL SELECT customer_id FROM customer_sites WHERE workspace_id = ${workspaceId}
        UNION ALL SELECT id FROM devices WHERE origin_workspace_id = ${workspaceId}`
    )
    expect(left).toEqual([])
  })
})
