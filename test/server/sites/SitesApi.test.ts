import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { seedDevice, seedSite, someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { atOnce } from "../../support/races.ts"

const app = useTestApp()
const workspaceKeys = ["SERVER", "API"] as const

describeKeyChecks(app, [
  { method: "GET", path: "/v1/sites", allowed: workspaceKeys },
  { method: "POST", path: "/v1/sites", allowed: workspaceKeys },
  { method: "GET", path: "/v1/sites/any", allowed: workspaceKeys },
  { method: "PATCH", path: "/v1/sites/any", allowed: workspaceKeys },
  { method: "DELETE", path: "/v1/sites/any", allowed: workspaceKeys }
])

const nobody = `c${"0".repeat(24)}`
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const sacramento = { latitude: 38.580568, longitude: -121.49559 }
const abroad = { city: "Ottawa", state: "Ontario", postalCode: "K1A 0B1", country: "Canada" }

const arrange = async () => {
  const place = await app.workspace()
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { key: place.keys.SERVER, ...(body === undefined ? {} : { body }) })
  return {
    ...place,
    call,
    create: (fields: object = {}) => seedSite(app, place.keys.SERVER, fields),
    post: (fields: object) => call("POST", "/v1/sites", { address: someAddress(), ...fields })
  }
}

describe("POST /v1/sites", () => {
  test("201 with only an address has the location of its postal code, and other fields empty", async () => {
    const { call, workspaceId } = await arrange()
    const address = someAddress()
    const { status, body } = await call("POST", "/v1/sites", { address })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      workspaceId,
      name: null,
      referenceId: null,
      address: { ...address, country: "USA" },
      location: sacramento,
      timezone: null,
      tags: [],
      maxImportW: null,
      maxExportW: null,
      customerIds: [],
      deviceCount: 0,
      createdAt: moment,
      updatedAt: body.createdAt
    })
    expect((await call("GET", `/v1/sites/${body.id}`)).body).toEqual(body)
  })

  test("201 stores every given field, and the address as given without outer spaces", async () => {
    const { post } = await arrange()
    const address = {
      streetOne: "  12  capitol MALL ",
      streetTwo: " Apt 4",
      city: "sacramento ",
      state: " California",
      postalCode: "95814-1234 ",
      country: " United States"
    }
    const given = {
      name: "Home",
      referenceId: "home-1",
      location: { latitude: -90, longitude: 180 },
      timezone: "America/Los_Angeles",
      tags: ["pilot", "roof", "pilot"]
    }
    expect((await post({ address, ...given })).body).toMatchObject({
      ...given,
      tags: ["pilot", "roof"],
      address: {
        streetOne: "12  capitol MALL",
        streetTwo: "Apt 4",
        city: "sacramento",
        state: "California",
        postalCode: "95814-1234",
        country: "United States"
      }
    })
  })

  test("201 has power limits from 0 on; a change sets them, and null removes them", async () => {
    const { call, post } = await arrange()
    const { body, status } = await post({ maxImportW: 0, maxExportW: 7500.5 })
    expect([status, body.maxImportW, body.maxExportW]).toEqual([201, 0, 7500.5])
    const changed = await call("PATCH", `/v1/sites/${body.id}`, { maxImportW: 11_000, maxExportW: null })
    expect(changed).toMatchObject({ status: 200, body: { maxImportW: 11_000, maxExportW: null } })
    expect((await call("GET", `/v1/sites/${body.id}`)).body).toEqual(changed.body)
    const refused = await call("PATCH", `/v1/sites/${body.id}`, { maxImportW: -1, maxExportW: "7 kW" })
    expectError(refused, 400, "VALIDATION_ERROR", {
      maxImportW: "Must be a number of at least 0",
      maxExportW: "Must be a number of at least 0"
    })
  })

  test("201 treats null like an absent field", async () => {
    const { post } = await arrange()
    const { status, body } = await post({ name: null, referenceId: null, location: null, timezone: null })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: null, referenceId: null, location: sacramento, timezone: null })
  })

  test("201 an empty second street line is null, an empty country is the USA", async () => {
    const { post } = await arrange()
    const address = someAddress()
    const { body } = await post({ address: { ...address, streetTwo: "  ", country: " " } })
    expect(body.address).toEqual({ ...address, country: "USA" })
  })

  test("201 abroad, without a location", async () => {
    const { post } = await arrange()
    const { status, body } = await post({ address: { ...someAddress(), ...abroad } })
    expect([status, body.location, body.address.country]).toEqual([201, null, "Canada"])
  })

  test("201 uses given coordinates without looking up the postal code", async () => {
    const { post } = await arrange()
    const address = { ...someAddress(), postalCode: "00000" }
    const { status, body } = await post({ address, location: { latitude: 38, longitude: -121 } })
    expect([status, body.location]).toEqual([201, { latitude: 38, longitude: -121 }])
  })

  test("201 ignores read-only fields", async () => {
    const { post, workspaceId } = await arrange()
    const forged = {
      id: nobody,
      workspaceId: nobody,
      createdAt: "2000-01-01T00:00:00.000Z",
      deviceCount: 7,
      county: "X",
      customerIds: [nobody]
    }
    const { body } = await post(forged)
    expect(body).toMatchObject({ workspaceId, deviceCount: 0, customerIds: [] })
    expect(body.id).not.toBe(forged.id)
    expect(body.createdAt).not.toBe(forged.createdAt)
  })

  test("400 VALIDATION_ERROR lists every invalid field", async () => {
    const { call } = await arrange()
    const response = await call("POST", "/v1/sites", {
      name: "",
      referenceId: "x".repeat(1001),
      address: { streetOne: "", city: 7, postalCode: "x".repeat(21) },
      location: { latitude: "north" },
      timezone: "Mars/Olympus",
      tags: ["a,b"]
    })
    const fields = [
      "name",
      "referenceId",
      "address.streetOne",
      "address.city",
      "address.state",
      "address.postalCode",
      "location.latitude",
      "location.longitude",
      "timezone",
      "tags.0"
    ]
    const details = Object.fromEntries(fields.map((field) => [field, expect.any(String)]))
    expectError(response, 400, "VALIDATION_ERROR", details)
  })

  test("400 VALIDATION_ERROR without an address", async () => {
    const { call } = await arrange()
    expectError(await call("POST", "/v1/sites", {}), 400, "VALIDATION_ERROR", { address: expect.any(String) })
  })

  test("400 VALIDATION_ERROR for lines of only spaces", async () => {
    const { post } = await arrange()
    const response = await post({ address: { ...someAddress(), streetOne: "  ", city: "\t" } })
    const details = { "address.streetOne": expect.any(String), "address.city": expect.any(String) }
    expectError(response, 400, "VALIDATION_ERROR", details)
  })

  test.each([
    ["a postal code that does not exist", { postalCode: "95899" }],
    ["a postal code of another state", { state: "NY" }],
    ["a malformed postal code", { postalCode: "958" }],
    ["an invalid state", { state: "Ontario" }]
  ])("400 INVALID_LOCATION for %s", async (_, change) => {
    const { post } = await arrange()
    expectError(await post({ address: { ...someAddress(), ...change } }), 400, "INVALID_LOCATION")
  })

  test.each([
    { latitude: 90.000001, longitude: 0 },
    { latitude: -91, longitude: 0 },
    { latitude: 0, longitude: 180.5 },
    { latitude: 0, longitude: -181 }
  ])("400 INVALID_LOCATION for the coordinates %j", async (location) => {
    const { post } = await arrange()
    expectError(await post({ location }), 400, "INVALID_LOCATION")
  })

  test("400 SITE_ALREADY_EXISTS for another spelling of the same address", async () => {
    const { post } = await arrange()
    const address = {
      streetOne: "100 North Main Street",
      streetTwo: "Apartment 4",
      city: "Sacramento",
      state: "CA",
      postalCode: "95814"
    }
    expect((await post({ address })).status).toBe(201)
    const spellings = [
      address,
      { ...address, streetOne: "100 n. main ST", streetTwo: "Apt. 4" },
      { ...address, state: "california", country: "United States" },
      { ...address, postalCode: "95814-0001", country: "US" }
    ]
    for (const spelling of spellings) expectError(await post({ address: spelling }), 400, "SITE_ALREADY_EXISTS")
    expectError(await post({ address, location: sacramento }), 400, "SITE_ALREADY_EXISTS")
  })

  test("201 another unit is another address, and so is another country", async () => {
    const { post } = await arrange()
    const address = { ...someAddress(), streetTwo: "Apt 4" }
    expect((await post({ address })).status).toBe(201)
    expect((await post({ address: { ...address, streetTwo: "Apt 5" } })).status).toBe(201)
    expect((await post({ address: { ...address, country: "Canada" } })).status).toBe(201)
  })

  test("201 the same address in another workspace", async () => {
    const address = someAddress()
    expect((await (await arrange()).post({ address })).status).toBe(201)
    expect((await (await arrange()).post({ address })).status).toBe(201)
  })

  test("201 for one of several concurrent creations at one address", async () => {
    const { post, call } = await arrange()
    const body = { address: someAddress(), location: sacramento }
    const responses = await atOnce(8, () => post(body))
    const codes = responses.map((response) => response.body.code ?? response.status)
    expect(codes.sort()).toEqual([201, ...Array.from({ length: 7 }, () => "SITE_ALREADY_EXISTS")])
    expect((await call("GET", "/v1/sites")).body.totalItems).toBe(1)
  })
})

describe("GET /v1/sites/:id", () => {
  test("200 has the number of its devices", async () => {
    const { create, call, workspaceId } = await arrange()
    const { id } = await create()
    await seedDevice(app, workspaceId, { siteId: id })
    await seedDevice(app, workspaceId, { siteId: id })
    await seedDevice(app, workspaceId)
    expect(await call("GET", `/v1/sites/${id}`)).toMatchObject({ status: 200, body: { id, deviceCount: 2 } })
  })

  test("404 SITE_NOT_FOUND for a site of another workspace as for an unknown one", async () => {
    const { call } = await arrange()
    const foreign = await (await arrange()).create()
    for (const id of [foreign.id, nobody, "x", "%00"]) {
      expectError(await call("GET", `/v1/sites/${id}`), 404, "SITE_NOT_FOUND")
    }
  })
})

describe("PATCH /v1/sites/:id", () => {
  const full = {
    name: "Home",
    referenceId: "home-1",
    timezone: "America/Los_Angeles",
    tags: ["pilot"],
    location: { latitude: 38, longitude: -121 }
  }

  test("200 keeps absent fields", async () => {
    const { create, call } = await arrange()
    const site = await create(full)
    const { status, body } = await call("PATCH", `/v1/sites/${site.id}`, {})
    expect(status).toBe(200)
    expect(body).toEqual({ ...site, updatedAt: moment })
  })

  test.each([
    ["name", "Cabin"],
    ["referenceId", "home-2"],
    ["timezone", "Europe/Oslo"],
    ["tags", ["a", "b"]],
    ["tags", []],
    ["location", { latitude: 1.5, longitude: 2.5 }],
    ["name", null],
    ["referenceId", null],
    ["timezone", null],
    ["location", null]
  ])("200 %s becomes %j, and nothing else changes", async (field, value) => {
    const { create, call } = await arrange()
    const site = await create(full)
    const { status, body } = await call("PATCH", `/v1/sites/${site.id}`, { [field]: value })
    expect(status).toBe(200)
    expect(body).toEqual({ ...site, [field]: value, updatedAt: moment })
    expect((await call("GET", `/v1/sites/${site.id}`)).body).toEqual(body)
  })

  test("200 stores tags once, in order", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    expect((await call("PATCH", `/v1/sites/${id}`, { tags: ["b", "a", "b"] })).body.tags).toEqual(["b", "a"])
  })

  test("200 merges a new address into the old one and updates the location", async () => {
    const { create, call } = await arrange()
    const site = await create({ address: { ...someAddress(), streetTwo: "Apt 4" } })
    const address = { streetOne: "350 5th Ave", city: "New York", state: "NY", postalCode: "10001", country: "US" }
    const patch = { address: { ...address, streetTwo: null } }
    const { status, body } = await call("PATCH", `/v1/sites/${site.id}`, patch)
    expect(status).toBe(200)
    expect(body.address).toEqual(address)
    expect(body.location).toEqual({ latitude: 40.75065, longitude: -73.997293 })
  })

  test("200 frees the old address, and the site is found only at the new one", async () => {
    const { create, call, post } = await arrange()
    const address = someAddress()
    const { id } = await create({ address })
    await call("PATCH", `/v1/sites/${id}`, {
      address: { ...address, state: "NY", city: "New York", postalCode: "10001" }
    })
    expect((await call("GET", "/v1/sites?state=NY&postalCode=10001")).body.totalItems).toBe(1)
    expect((await call("GET", "/v1/sites?state=CA")).body.totalItems).toBe(0)
    expect((await post({ address })).status).toBe(201)
  })

  test("200 another spelling of its own address is accepted, and keeps the location", async () => {
    const { create, call } = await arrange()
    const address = { ...someAddress(), streetTwo: "Apartment 4" }
    const site = await create({ address, location: { latitude: 38, longitude: -121 } })
    const spelling = { ...address, streetTwo: "APT 4", country: "US" }
    const { status, body } = await call("PATCH", `/v1/sites/${site.id}`, { address: spelling })
    expect([status, body.address, body.location]).toEqual([200, spelling, site.location])
  })

  test("200 a new address with coordinates uses these, or none", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    const location = { latitude: 1, longitude: 2 }
    const there = { ...someAddress(), postalCode: "00000" }
    expect((await call("PATCH", `/v1/sites/${id}`, { address: there, location })).body.location).toEqual(location)
    const nowhere = { address: { ...someAddress(), postalCode: "00000" }, location: null }
    expect((await call("PATCH", `/v1/sites/${id}`, nowhere)).body.location).toBeNull()
  })

  test("200 ignores read-only fields", async () => {
    const { create, call } = await arrange()
    const site = await create()
    const forged = { id: nobody, workspaceId: nobody, createdAt: "2000-01-01T00:00:00.000Z", deviceCount: 7 }
    expect((await call("PATCH", `/v1/sites/${site.id}`, forged)).body).toEqual({ ...site, updatedAt: moment })
  })

  test("200 two concurrent changes of different fields both take effect", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    await Promise.all([
      call("PATCH", `/v1/sites/${id}`, { name: "Home" }),
      call("PATCH", `/v1/sites/${id}`, { tags: ["pilot"] }),
      call("PATCH", `/v1/sites/${id}`, { referenceId: "home-1" })
    ])
    expect((await call("GET", `/v1/sites/${id}`)).body).toMatchObject({
      name: "Home",
      tags: ["pilot"],
      referenceId: "home-1"
    })
  })

  test("400 VALIDATION_ERROR lists every invalid field", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    const response = await call("PATCH", `/v1/sites/${id}`, {
      name: "",
      tags: null,
      timezone: "here",
      address: null,
      location: { latitude: "1" }
    })
    const fields = ["name", "tags", "timezone", "address", "location.latitude"]
    expectError(
      response,
      400,
      "VALIDATION_ERROR",
      Object.fromEntries(fields.map((field) => [field, expect.any(String)]))
    )
  })

  test("200 merges a part of an address; 400 VALIDATION_ERROR if the result is invalid", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    const { address } = (await call("GET", `/v1/sites/${id}`)).body
    const part = await call("PATCH", `/v1/sites/${id}`, { address: { streetTwo: "Apt 4" } })
    expect(part.body.address).toEqual({ ...address, streetTwo: "Apt 4" })
    const without = await call("PATCH", `/v1/sites/${id}`, { address: { city: null } })
    expectError(without, 400, "VALIDATION_ERROR", { "address.city": "Is required" })
    const blank = await call("PATCH", `/v1/sites/${id}`, { address: { ...someAddress(), state: " " } })
    expectError(blank, 400, "VALIDATION_ERROR", { "address.state": expect.any(String) })
  })

  test("400 INVALID_LOCATION for an address or coordinates without a location, and nothing changes", async () => {
    const { create, call } = await arrange()
    const site = await create()
    const address = { ...someAddress(), state: "NY" }
    expectError(await call("PATCH", `/v1/sites/${site.id}`, { name: "X", address }), 400, "INVALID_LOCATION")
    const location = { latitude: 91, longitude: 0 }
    expectError(await call("PATCH", `/v1/sites/${site.id}`, { name: "X", location }), 400, "INVALID_LOCATION")
    expect((await call("GET", `/v1/sites/${site.id}`)).body).toEqual(site)
  })

  test("400 SITE_ALREADY_EXISTS for the address of another site, with or without coordinates", async () => {
    const { create, call } = await arrange()
    const address = someAddress()
    await create({ address })
    const site = await create()
    for (const body of [{ address }, { address, location: sacramento }]) {
      expectError(await call("PATCH", `/v1/sites/${site.id}`, body), 400, "SITE_ALREADY_EXISTS")
    }
    expect((await call("GET", `/v1/sites/${site.id}`)).body).toEqual(site)
  })

  test("404 SITE_NOT_FOUND for a site of another workspace, which is unchanged", async () => {
    const { call } = await arrange()
    const other = await arrange()
    const foreign = await other.create()
    for (const id of [foreign.id, nobody, "x"]) {
      expectError(await call("PATCH", `/v1/sites/${id}`, { name: "Taken over" }), 404, "SITE_NOT_FOUND")
    }
    expect((await other.call("GET", `/v1/sites/${foreign.id}`)).body).toEqual(foreign)
  })
})

describe("DELETE /v1/sites/:id", () => {
  test("204 without a body, then 404", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    expect(await call("DELETE", `/v1/sites/${id}`)).toMatchObject({ status: 204, text: "" })
    expectError(await call("DELETE", `/v1/sites/${id}`), 404, "SITE_NOT_FOUND")
    expectError(await call("GET", `/v1/sites/${id}`), 404, "SITE_NOT_FOUND")
  })

  test("204 keeps its devices without a site, and updates their time of change", async () => {
    const { create, call, workspaceId } = await arrange()
    const { id } = await create()
    const device = await seedDevice(app, workspaceId, { siteId: id })
    await call("DELETE", `/v1/sites/${id}`)
    const rows = await app.sql<{ site: string | null; changed: boolean }>(
      (sql) =>
        sql`SELECT site_id AS site, updated_at > '2026-01-01T00:00:00Z' AS changed FROM devices WHERE id = ${device}`
    )
    expect(rows).toEqual([{ site: null, changed: true }])
  })

  test("204 frees the address", async () => {
    const { create, call, post } = await arrange()
    const address = someAddress()
    const { id } = await create({ address })
    await call("DELETE", `/v1/sites/${id}`)
    expect((await post({ address })).status).toBe(201)
  })

  test("400 DELETION_PROTECTION_ENABLED while the workspace is protected, and nothing is unlinked", async () => {
    const { create, call, workspaceId, keys } = await arrange()
    const site = await create()
    await seedDevice(app, workspaceId, { siteId: site.id })
    const protect = (deletionProtection: boolean) =>
      app.call("PATCH", `/v1/workspaces/${workspaceId}`, { key: keys.MANAGEMENT, body: { deletionProtection } })
    await protect(true)
    expectError(await call("DELETE", `/v1/sites/${site.id}`), 400, "DELETION_PROTECTION_ENABLED")
    expect((await call("GET", `/v1/sites/${site.id}`)).body.deviceCount).toBe(1)
    await protect(false)
    expect((await call("DELETE", `/v1/sites/${site.id}`)).status).toBe(204)
  })

  test("404 SITE_NOT_FOUND takes precedence over the protection", async () => {
    const { call, workspaceId, keys } = await arrange()
    await app.call("PATCH", `/v1/workspaces/${workspaceId}`, {
      key: keys.MANAGEMENT,
      body: { deletionProtection: true }
    })
    expectError(await call("DELETE", `/v1/sites/${nobody}`), 404, "SITE_NOT_FOUND")
  })

  test("404 SITE_NOT_FOUND for a site of another workspace, which is kept", async () => {
    const { call } = await arrange()
    const other = await arrange()
    const foreign = await other.create()
    for (const id of [foreign.id, "x"]) expectError(await call("DELETE", `/v1/sites/${id}`), 404, "SITE_NOT_FOUND")
    expect((await other.call("GET", `/v1/sites/${foreign.id}`)).status).toBe(200)
  })

  test("204 for one of several concurrent deletions", async () => {
    const { create, call } = await arrange()
    const { id } = await create()
    const responses = await atOnce(4, () => call("DELETE", `/v1/sites/${id}`))
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404])
  })
})
