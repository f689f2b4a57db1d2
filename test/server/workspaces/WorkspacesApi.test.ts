import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { seedDevice, seedSite } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp()
const readers = ["MANAGEMENT", "SERVER", "API"] as const

describeKeyChecks(app, [
  { method: "GET", path: "/v1/workspaces", allowed: readers },
  { method: "POST", path: "/v1/workspaces", allowed: ["MANAGEMENT"] },
  { method: "GET", path: "/v1/workspaces/any", allowed: readers },
  { method: "PATCH", path: "/v1/workspaces/any", allowed: ["MANAGEMENT"] },
  { method: "DELETE", path: "/v1/workspaces/any", allowed: ["MANAGEMENT"] }
])

const nobody = `c${"0".repeat(24)}`
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const arrange = async () => {
  const place = await app.workspace()
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { key: place.keys.MANAGEMENT, ...(body === undefined ? {} : { body }) })
  const create = async (fields: object = {}) =>
    (await call("POST", "/v1/workspaces", { name: "Pilot", ...fields })).body
  return { ...place, call, create, own: `/v1/workspaces/${place.workspaceId}` }
}

describe("GET /v1/workspaces", () => {
  test("200 lists all of a MANAGEMENT key's organization only, newest first", async () => {
    const { call, create, workspaceId } = await arrange()
    await arrange()
    const made = [await create({ name: "One" }), await create({ name: "Two" })]
    const { status, body } = await call("GET", "/v1/workspaces")
    expect(status).toBe(200)
    expect(body).toMatchObject({ page: 1, perPage: 10, totalItems: 3, totalPages: 1 })
    expect(body.data.slice(0, 2)).toEqual([made[1], made[0]])
    expect(body.data[2].id).toBe(workspaceId)
  })

  test.each(["SERVER", "API"] as const)("200 lists the own one of a %s key", async (type) => {
    const { create, keys, workspaceId } = await arrange()
    await create()
    const { body } = await app.call("GET", "/v1/workspaces", { key: keys[type] })
    expect([body.totalItems, body.data.map(({ id }: { id: string }) => id)]).toEqual([1, [workspaceId]])
  })

  test("200 has pages", async () => {
    const { call, create } = await arrange()
    for (const name of ["a", "b", "c"]) await create({ name })
    const { body } = await call("GET", "/v1/workspaces?page=2&perPage=2")
    expect(body).toMatchObject({ page: 2, perPage: 2, totalItems: 4, totalPages: 2 })
    expect(body.data[0].name).toBe("a")
  })

  test.each([
    ["page=0", "page"],
    ["perPage=101", "perPage"],
    ["name=Pilot", "name"]
  ])("400 VALIDATION_ERROR for ?%s", async (query, field) => {
    const { call } = await arrange()
    const response = await call("GET", `/v1/workspaces?${query}`)
    expectError(response, 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })
})

describe("POST /v1/workspaces", () => {
  test("201 is unprotected and in UTC by default", async () => {
    const { call, organizationId } = await arrange()
    const { status, body } = await call("POST", "/v1/workspaces", { name: "Pilot" })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      organizationId,
      name: "Pilot",
      deletionProtection: false,
      timezone: "UTC",
      logoUrl: null,
      accentColor: null,
      contactEmail: null,
      contactPhone: null,
      contactUrl: null,
      temperatureUnit: "F",
      distanceUnit: "mi",
      connectRedirects: [],
      pausedAt: null,
      createdAt: moment,
      updatedAt: body.createdAt
    })
    expect((await call("GET", `/v1/workspaces/${body.id}`)).body).toEqual(body)
  })

  test("201 stores every given field", async () => {
    const { create } = await arrange()
    const given = {
      name: "x".repeat(100),
      deletionProtection: true,
      timezone: "America/Los_Angeles",
      logoUrl: "https://acme.example/logo.svg",
      accentColor: "#1A5fb4",
      contactEmail: "help@acme.example",
      contactPhone: "+1 (916) 555-0142",
      contactUrl: "https://acme.example/help",
      temperatureUnit: "C",
      distanceUnit: "km"
    }
    expect(await create(given)).toMatchObject(given)
  })

  test("201 ignores read-only fields", async () => {
    const { create, organizationId } = await arrange()
    const forged = { id: nobody, organizationId: nobody, createdAt: "2000-01-01T00:00:00.000Z" }
    const body = await create(forged)
    expect(body.organizationId).toBe(organizationId)
    expect(body.id).not.toBe(forged.id)
    expect(body.createdAt).not.toBe(forged.createdAt)
  })

  test("400 VALIDATION_ERROR lists every invalid field", async () => {
    const { call } = await arrange()
    const response = await call("POST", "/v1/workspaces", {
      name: "",
      deletionProtection: "yes",
      timezone: "Mars",
      logoUrl: "http://acme.example/logo.svg",
      accentColor: "blue",
      contactEmail: "help",
      contactPhone: "ask Ada",
      contactUrl: "javascript:alert(1)",
      temperatureUnit: "K",
      distanceUnit: "leagues"
    })
    const details = Object.fromEntries(
      [
        "name",
        "deletionProtection",
        "timezone",
        "logoUrl",
        "accentColor",
        "contactEmail",
        "contactPhone",
        "contactUrl",
        "temperatureUnit",
        "distanceUnit"
      ].map((field) => [field, expect.any(String)])
    )
    expectError(response, 400, "VALIDATION_ERROR", details)
  })

  test.each([[undefined], [null], [7], ["x".repeat(101)]])("400 VALIDATION_ERROR for the name %j", async (name) => {
    const { call } = await arrange()
    expectError(await call("POST", "/v1/workspaces", { name }), 400, "VALIDATION_ERROR", { name: expect.any(String) })
  })

  test("400 DUPLICATE_NAME in the organization, not in another", async () => {
    const { call, create } = await arrange()
    await create({ name: "Pilot" })
    expectError(await call("POST", "/v1/workspaces", { name: "Pilot" }), 400, "DUPLICATE_NAME")
    expect((await (await arrange()).call("POST", "/v1/workspaces", { name: "Pilot" })).status).toBe(201)
  })

  test("201 for one of several concurrent creations with one name", async () => {
    const { call } = await arrange()
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => call("POST", "/v1/workspaces", { name: "Pilot" }))
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400])
  })
})

describe("GET /v1/workspaces/:id", () => {
  test("200 returns any of the organization for a MANAGEMENT key", async () => {
    const { call, create } = await arrange()
    const workspace = await create()
    expect(await call("GET", `/v1/workspaces/${workspace.id}`)).toMatchObject({ status: 200, body: workspace })
  })

  test("200 returns its own for a SERVER key, and 404 WORKSPACE_NOT_FOUND for another of the organization", async () => {
    const { create, keys, own } = await arrange()
    const other = await create()
    expect((await app.call("GET", own, { key: keys.SERVER })).status).toBe(200)
    const response = await app.call("GET", `/v1/workspaces/${other.id}`, { key: keys.SERVER })
    expectError(response, 404, "WORKSPACE_NOT_FOUND")
  })

  test("404 WORKSPACE_NOT_FOUND for one of another organization as for an unknown one", async () => {
    const { call } = await arrange()
    const other = await arrange()
    for (const id of [other.workspaceId, nobody, "x", "%00"]) {
      expectError(await call("GET", `/v1/workspaces/${id}`), 404, "WORKSPACE_NOT_FOUND")
    }
  })
})

describe("PATCH /v1/workspaces/:id", () => {
  test.each([
    ["name", "Field test"],
    ["deletionProtection", true],
    ["timezone", "Europe/Oslo"],
    ["logoUrl", "https://acme.example/other.png"],
    ["accentColor", "#00ff00"],
    ["contactEmail", "ask@acme.example"],
    ["contactPhone", "555 0100"],
    ["contactUrl", "https://acme.example/ask"],
    ["temperatureUnit", "C"],
    ["distanceUnit", "km"]
  ])("200 %s becomes %j, and nothing else changes", async (field, value) => {
    const { call, create } = await arrange()
    const workspace = await create()
    const { status, body } = await call("PATCH", `/v1/workspaces/${workspace.id}`, { [field]: value })
    expect(status).toBe(200)
    expect(body).toEqual({ ...workspace, [field]: value, updatedAt: moment })
    expect((await call("GET", `/v1/workspaces/${workspace.id}`)).body).toEqual(body)
  })

  test("200 keeps absent, unknown and read-only fields", async () => {
    const { call, create } = await arrange()
    const workspace = await create()
    const body = { id: nobody, organizationId: nobody, createdAt: "2000-01-01T00:00:00.000Z", colour: "red" }
    const patched = await call("PATCH", `/v1/workspaces/${workspace.id}`, body)
    expect(patched.body).toEqual({ ...workspace, updatedAt: moment })
  })

  test("200 null removes the contact", async () => {
    const { call, create } = await arrange()
    const { id } = await create({ contactEmail: "help@acme.example", contactPhone: "555 0100" })
    const { body } = await call("PATCH", `/v1/workspaces/${id}`, { contactEmail: null, contactPhone: null })
    expect(body).toMatchObject({ contactEmail: null, contactPhone: null })
  })

  test("200 null removes the logo and the accent colour", async () => {
    const { call, create } = await arrange()
    const { id } = await create({ logoUrl: "https://acme.example/logo.svg", accentColor: "#1a5fb4" })
    const { body } = await call("PATCH", `/v1/workspaces/${id}`, { logoUrl: null, accentColor: null })
    expect(body).toMatchObject({ logoUrl: null, accentColor: null })
  })

  test.each(["#12345", "#1234567", "1a5fb4", "#12345g", "#1a5fb4\n"])(
    "400 VALIDATION_ERROR for the accent colour %j",
    async (accentColor) => {
      const { call, own } = await arrange()
      expectError(await call("PATCH", own, { accentColor }), 400, "VALIDATION_ERROR", {
        accentColor: expect.any(String)
      })
    }
  )

  test("200 two concurrent changes of different fields both take effect", async () => {
    const { call, create } = await arrange()
    const { id } = await create()
    const given = { name: "Field test", deletionProtection: true, timezone: "Europe/Oslo" }
    await Promise.all(
      Object.entries(given).map(([field, value]) => call("PATCH", `/v1/workspaces/${id}`, { [field]: value }))
    )
    expect((await call("GET", `/v1/workspaces/${id}`)).body).toMatchObject(given)
  })

  test("400 VALIDATION_ERROR lists every invalid field", async () => {
    const { call, own } = await arrange()
    const response = await call("PATCH", own, { name: null, deletionProtection: null, timezone: null })
    const details = Object.fromEntries(
      ["name", "deletionProtection", "timezone"].map((field) => [field, expect.any(String)])
    )
    expectError(response, 400, "VALIDATION_ERROR", details)
  })

  test("400 DUPLICATE_NAME for the name of another, and 200 for its own", async () => {
    const { call, create } = await arrange()
    await create({ name: "One" })
    const { id } = await create({ name: "Two" })
    expectError(await call("PATCH", `/v1/workspaces/${id}`, { name: "One" }), 400, "DUPLICATE_NAME")
    expect((await call("PATCH", `/v1/workspaces/${id}`, { name: "Two" })).status).toBe(200)
  })

  test("404 WORKSPACE_NOT_FOUND for one of another organization, which is unchanged", async () => {
    const { call } = await arrange()
    const other = await arrange()
    for (const id of [other.workspaceId, nobody, "x"]) {
      expectError(await call("PATCH", `/v1/workspaces/${id}`, { name: "Taken over" }), 404, "WORKSPACE_NOT_FOUND")
    }
    expect((await other.call("GET", other.own)).body.name).toBe(`Workspace ${other.workspaceId}`)
  })
})

describe("DELETE /v1/workspaces/:id", () => {
  test("204 deletes everything in it; its keys are rejected at once", async () => {
    const { call, organizationId } = await arrange()
    const doomed = await app.workspace(organizationId)
    const site = await seedSite(app, doomed.keys.SERVER)
    await seedDevice(app, doomed.workspaceId, { siteId: site.id })
    const alert = { siteId: site.id, title: "Gone", sourceSystem: "test", severity: "INFO" }
    expect((await app.call("POST", "/v1/alerts", { key: doomed.keys.SERVER, body: alert })).status).toBe(201)
    expect(await call("DELETE", `/v1/workspaces/${doomed.workspaceId}`)).toMatchObject({ status: 204, text: "" })
    expectError(await call("GET", `/v1/workspaces/${doomed.workspaceId}`), 404, "WORKSPACE_NOT_FOUND")
    expectError(await call("DELETE", `/v1/workspaces/${doomed.workspaceId}`), 404, "WORKSPACE_NOT_FOUND")
    expectError(await app.call("GET", "/v1/sites", { key: doomed.keys.SERVER }), 401, "UNAUTHENTICATED")
    const left = await app.sql<{ n: number }>(
      (sql) => sql`SELECT ((SELECT count(*) FROM sites WHERE workspace_id = ${doomed.workspaceId})
        + (SELECT count(*) FROM devices WHERE origin_workspace_id = ${doomed.workspaceId})
        + (SELECT count(*) FROM alerts WHERE workspace_id = ${doomed.workspaceId})
        + (SELECT count(*) FROM api_keys WHERE workspace_id = ${doomed.workspaceId}))::int AS n`
    )
    expect(left).toEqual([{ n: 0 }])
  })

  test("400 DELETION_PROTECTION_ENABLED while it is protected", async () => {
    const { call, create } = await arrange()
    const { id } = await create({ deletionProtection: true })
    expectError(await call("DELETE", `/v1/workspaces/${id}`), 400, "DELETION_PROTECTION_ENABLED")
    await call("PATCH", `/v1/workspaces/${id}`, { deletionProtection: false })
    expect((await call("DELETE", `/v1/workspaces/${id}`)).status).toBe(204)
  })

  test("400 DELETION_PROTECTION_ENABLED for the workspace of the last valid MANAGEMENT key", async () => {
    const { call, own } = await arrange()
    expectError(await call("DELETE", own), 400, "DELETION_PROTECTION_ENABLED")
    expect((await call("GET", own)).status).toBe(200)
  })

  test("204 also for the calling key's own, while another workspace has a valid MANAGEMENT key", async () => {
    const { call, own, organizationId, keys } = await arrange()
    const other = await app.workspace(organizationId)
    expect((await call("DELETE", own)).status).toBe(204)
    expectError(await app.call("GET", "/v1/workspaces", { key: keys.MANAGEMENT }), 401, "UNAUTHENTICATED")
    expect((await app.call("GET", "/v1/workspaces", { key: other.keys.MANAGEMENT })).body.totalItems).toBe(1)
  })

  test("404 WORKSPACE_NOT_FOUND for one of another organization, which is kept", async () => {
    const { call } = await arrange()
    const other = await arrange()
    for (const id of [other.workspaceId, nobody, "x"]) {
      expectError(await call("DELETE", `/v1/workspaces/${id}`), 404, "WORKSPACE_NOT_FOUND")
    }
    expect((await other.call("GET", other.own)).status).toBe(200)
  })
})
