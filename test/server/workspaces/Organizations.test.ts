import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp()

describeKeyChecks(app, [
  { method: "GET", path: "/v1/organizations", allowed: ["MANAGEMENT"] },
  { method: "GET", path: "/v1/organizations/any", allowed: ["MANAGEMENT"] },
  { method: "PATCH", path: "/v1/organizations/any", allowed: ["MANAGEMENT"] }
])

const arrange = async () => {
  const { organizationId, workspaceId, keys } = await app.workspace()
  const key = keys.MANAGEMENT
  return { organizationId, workspaceId, key, path: `/v1/organizations/${organizationId}` }
}

describe("GET /v1/organizations", () => {
  test("200 lists the key's own organization", async () => {
    const { key, organizationId } = await arrange()
    const { status, body } = await app.call("GET", "/v1/organizations", { key })
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [
        {
          id: organizationId,
          name: `Organization ${organizationId}`,
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          updatedAt: expect.any(String)
        }
      ],
      page: 1,
      perPage: 10,
      totalItems: 1,
      totalPages: 1
    })
  })

  test("200 a page beyond the last is empty and has the total", async () => {
    const { key } = await arrange()
    const { body } = await app.call("GET", "/v1/organizations?page=2&perPage=5", { key })
    expect(body).toEqual({ data: [], page: 2, perPage: 5, totalItems: 1, totalPages: 1 })
  })

  test.each([
    ["page=0", "page"],
    ["page=1001", "page"],
    ["perPage=101", "perPage"],
    ["perPage=x", "perPage"],
    ["name=x", "name"]
  ])("400 VALIDATION_ERROR for ?%s", async (query, field) => {
    const { key } = await arrange()
    const response = await app.call("GET", `/v1/organizations?${query}`, { key })
    expectError(response, 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })
})

describe("GET /v1/organizations/:id", () => {
  test("200 returns the key's own", async () => {
    const { key, path, organizationId } = await arrange()
    const { status, body } = await app.call("GET", path, { key })
    expect([status, body.id]).toEqual([200, organizationId])
  })

  test("404 NOT_FOUND for another organization, an unknown id and a malformed one", async () => {
    const { key } = await arrange()
    const other = await app.workspace()
    for (const id of [other.organizationId, `c${"0".repeat(24)}`, "x", "%00"]) {
      expectError(await app.call("GET", `/v1/organizations/${id}`, { key }), 404, "NOT_FOUND")
    }
  })
})

describe("PATCH /v1/organizations/:id", () => {
  test("200 changes only the name", async () => {
    const { key, path, organizationId } = await arrange()
    const before = (await app.call("GET", path, { key })).body
    const body = { name: "Sunny Valley Energy", id: "other", createdAt: "2000-01-01T00:00:00.000Z" }
    const renamed = await app.call("PATCH", path, { key, body })
    expect(renamed.status).toBe(200)
    expect(renamed.body).toEqual({
      id: organizationId,
      name: "Sunny Valley Energy",
      createdAt: before.createdAt,
      updatedAt: expect.any(String)
    })
    expect((await app.call("GET", path, { key })).body).toEqual(renamed.body)
  })

  test("200 keeps an absent name", async () => {
    const { key, path } = await arrange()
    const before = (await app.call("GET", path, { key })).body
    expect(await app.call("PATCH", path, { key, body: {} })).toMatchObject({ status: 200, body: before })
  })

  test.each([[""], ["x".repeat(101)], [null], [7], ["a\u0000b"]])(
    "400 VALIDATION_ERROR for the name %j",
    async (name) => {
      const { key, path } = await arrange()
      const response = await app.call("PATCH", path, { key, body: { name } })
      expectError(response, 400, "VALIDATION_ERROR", { name: expect.any(String) })
    }
  )

  test("404 NOT_FOUND for another organization, which keeps its name", async () => {
    const { key } = await arrange()
    const other = await arrange()
    expectError(await app.call("PATCH", other.path, { key, body: { name: "Taken over" } }), 404, "NOT_FOUND")
    expect((await app.call("GET", other.path, { key: other.key })).body.name).toBe(
      `Organization ${other.organizationId}`
    )
  })
})
