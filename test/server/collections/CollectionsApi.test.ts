import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCollections, named } from "./arrangeCollections.ts"

const app = useTestApp()
const allowed = ["SERVER", "API", "MANAGEMENT"] as const
const arrange = () => arrangeCollections(app)
const nobody = `c${"0".repeat(24)}`
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describeKeyChecks(app, [
  { method: "GET", path: "/v1/collections", allowed },
  { method: "POST", path: "/v1/collections", allowed },
  { method: "POST", path: "/v1/collections/preview", allowed },
  { method: "GET", path: "/v1/collections/any", allowed },
  { method: "PATCH", path: "/v1/collections/any", allowed },
  { method: "DELETE", path: "/v1/collections/any", allowed },
  { method: "GET", path: "/v1/collections/any/members", allowed },
  { method: "PUT", path: "/v1/collections/any/members/any", allowed },
  { method: "DELETE", path: "/v1/collections/any/members/any", allowed },
  { method: "POST", path: "/v1/collections/any/refresh", allowed }
])

describe("POST /v1/collections", () => {
  test("201 with defaults, the criteria as sent, and the key that created it", async () => {
    const { call, workspaceId } = await arrange()
    const criteria = { all: [{ attribute: "type", operator: "eq", value: "inverter" }] }
    const { status, body } = await call("POST", "/v1/collections", {
      name: "Inverters",
      collectionType: "DEVICE",
      criteria
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      name: "Inverters",
      collectionType: "DEVICE",
      description: null,
      criteria,
      criteriaVersion: "1",
      workspaceId,
      dynamic: true,
      isActive: true,
      visibilityLevel: "INTERNAL",
      createdById: expect.stringMatching(/^c[0-9a-z]{24}$/),
      createdByType: "API_KEY",
      deletedAt: null,
      createdAt: moment,
      updatedAt: moment
    })
    expect(JSON.stringify((await call("GET", `/v1/collections/${body.id}`)).body)).toBe(JSON.stringify(body))
  })

  test("201 ignores read-only fields, and the workspaceId of a SERVER key", async () => {
    const { create, workspaceId } = await arrange()
    const forged = { id: nobody, workspaceId: nobody, createdById: nobody, deletedAt: "2000-01-01T00:00:00.000Z" }
    const body = await create(forged)
    expect(body).toMatchObject({ workspaceId, deletedAt: null })
    expect([body.id, body.createdById]).not.toContain(nobody)
  })

  test("201 a MANAGEMENT key may choose a workspace of its organization; the default is its own", async () => {
    const { call, keys, organizationId, workspaceId } = await arrange()
    const sibling = await app.workspace(organizationId)
    const body = { name: "Ours", collectionType: "SITE", criteria: {} }
    const there = await call("POST", "/v1/collections", { ...body, workspaceId: sibling.workspaceId }, keys.MANAGEMENT)
    expect([there.status, there.body.workspaceId]).toEqual([201, sibling.workspaceId])
    const here = await call("POST", "/v1/collections", body, keys.MANAGEMENT)
    expect([here.status, here.body.workspaceId]).toEqual([201, workspaceId])
  })

  test("400 VALIDATION_ERROR lists all missing fields", async () => {
    const { call } = await arrange()
    expectError(await call("POST", "/v1/collections", {}), 400, "VALIDATION_ERROR", {
      name: expect.any(String),
      collectionType: expect.any(String),
      criteria: expect.any(String)
    })
  })

  test("400 INVALID_CRITERIA has the path of the invalid part", async () => {
    const { call } = await arrange()
    const criteria = { all: [named("a"), { any: [named("b"), { not: { ...named("c"), value: 7 } }] }] }
    const response = await call("POST", "/v1/collections", { name: "Wrong", collectionType: "DEVICE", criteria })
    expectError(response, 400, "INVALID_CRITERIA")
    expect(response.body.message).toBe("criteria.all.1.any.1.not.value: Must be a text without NUL")
  })

  test("400 DUPLICATE_NAME for the name of an existing collection; it is free after the deletion", async () => {
    const { call, create } = await arrange()
    const first = await create({ name: "Twice" })
    const body = { name: "Twice", collectionType: "SITE", criteria: {} }
    expectError(await call("POST", "/v1/collections", body), 400, "DUPLICATE_NAME")
    expect((await call("DELETE", `/v1/collections/${first.id}`)).status).toBe(204)
    expect((await call("POST", "/v1/collections", body)).status).toBe(201)
  })

  test("404 WORKSPACE_NOT_FOUND for a workspace of another organization", async () => {
    const { call, keys } = await arrange()
    const stranger = await app.workspace()
    const body = { name: "Theirs", collectionType: "SITE", criteria: {}, workspaceId: stranger.workspaceId }
    expectError(await call("POST", "/v1/collections", body, keys.MANAGEMENT), 404, "WORKSPACE_NOT_FOUND")
  })
})

describe("GET /v1/collections", () => {
  test("200 newest first, filtered by type, visibility, kind, state and name prefix", async () => {
    const { call, create } = await arrange()
    const one = await create({ name: "Alpha", collectionType: "SITE", visibilityLevel: "SHARED" })
    const two = await create({ name: "Beta 50%", dynamic: false })
    const three = await create({ name: "alpine", dynamic: false, isActive: false })
    const ids = async (query: string) => {
      const { body } = await call("GET", `/v1/collections?${query}`)
      expect(body.totalItems).toBe(body.data.length)
      return body.data.map(({ id }: any) => id)
    }
    expect(await ids("")).toEqual([three.id, two.id, one.id])
    expect(await ids("collectionType=SITE")).toEqual([one.id])
    expect(await ids("visibilityLevel=SHARED")).toEqual([one.id])
    expect(await ids("dynamic=false")).toEqual([three.id, two.id])
    expect(await ids("isActive=false")).toEqual([three.id])
    expect(await ids("q=ALP")).toEqual([three.id, one.id])
    expect(await ids("q=%25")).toEqual([])
  })

  test("400 VALIDATION_ERROR for an unknown filter or an unknown value", async () => {
    const { call } = await arrange()
    for (const query of ["kind=SITE", "collectionType=HOUSE", "dynamic=1", "page=0", "perPage=101"]) {
      expectError(await call("GET", `/v1/collections?${query}`), 400, "VALIDATION_ERROR", expect.any(Object))
    }
  })

  test("404 WORKSPACE_NOT_FOUND for a workspace that the key may not choose", async () => {
    const { call, keys, organizationId } = await arrange()
    const sibling = await app.workspace(organizationId)
    const path = `/v1/collections?workspaceId=${sibling.workspaceId}`
    expect((await call("GET", path, undefined, keys.MANAGEMENT)).status).toBe(200)
    expectError(await call("GET", path), 404, "WORKSPACE_NOT_FOUND")
    expectError(
      await call("GET", `/v1/collections?workspaceId=${nobody}`, undefined, keys.MANAGEMENT),
      404,
      "WORKSPACE_NOT_FOUND"
    )
  })
})

describe("GET /v1/collections/:id", () => {
  test("404 COLLECTION_NOT_FOUND for a deleted, foreign or unknown one, on every path below it", async () => {
    const { call, create, keys, organizationId } = await arrange()
    const deleted = await create({})
    await call("DELETE", `/v1/collections/${deleted.id}`)
    const sibling = await app.workspace(organizationId)
    const body = { name: "Theirs", collectionType: "DEVICE", criteria: {}, dynamic: false }
    const theirs = (await call("POST", "/v1/collections", body, sibling.keys.SERVER)).body
    for (const id of [deleted.id, theirs.id, nobody, "%00", "x".repeat(80)]) {
      for (const [method, path] of [
        ["GET", ""],
        ["PATCH", ""],
        ["DELETE", ""],
        ["GET", "/members"],
        ["PUT", `/members/${nobody}`],
        ["DELETE", `/members/${nobody}`],
        ["POST", "/refresh"]
      ] as const) {
        const response = await call(method, `/v1/collections/${id}${path}`, method === "PATCH" ? {} : undefined)
        expectError(response, 404, "COLLECTION_NOT_FOUND")
      }
    }
    const named = `/v1/collections/${theirs.id}?workspaceId=${sibling.workspaceId}`
    expect((await call("GET", named, undefined, keys.MANAGEMENT)).body).toEqual(theirs)
    expectError(
      await call("GET", `/v1/collections/${theirs.id}`, undefined, keys.MANAGEMENT),
      404,
      "COLLECTION_NOT_FOUND"
    )
    expectError(await call("GET", named), 404, "WORKSPACE_NOT_FOUND")
  })
})

describe("PATCH /v1/collections/:id", () => {
  test("200 keeps absent fields, clears the description with null, and allows repeating fixed fields", async () => {
    const { call, create } = await arrange()
    const before = await create({ description: "Before", criteria: named("a") })
    const path = `/v1/collections/${before.id}`
    const { body, status } = await call("PATCH", path, {
      description: null,
      visibilityLevel: "SHARED",
      collectionType: "DEVICE",
      dynamic: true
    })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, description: null, visibilityLevel: "SHARED", updatedAt: moment })
    expect((await call("GET", path)).body).toEqual(body)
    expect((await call("PATCH", path, {})).body).toEqual({ ...body, updatedAt: moment })
  })

  test("400 VALIDATION_ERROR for another type or kind", async () => {
    const { call, create } = await arrange()
    const { id } = await create({})
    const response = await call("PATCH", `/v1/collections/${id}`, { collectionType: "SITE", dynamic: false })
    expectError(response, 400, "VALIDATION_ERROR", {
      collectionType: "Is fixed: must be DEVICE",
      dynamic: "Is fixed: must be true"
    })
  })

  test("400 INVALID_CRITERIA and DUPLICATE_NAME change nothing", async () => {
    const { call, create } = await arrange()
    await create({ name: "Taken" })
    const before = await create({ name: "Mine", dynamic: false, criteria: named("a") })
    const path = `/v1/collections/${before.id}`
    const wrong = { name: "Other", criteria: { attribute: "colour", operator: "eq", value: "red" } }
    expectError(await call("PATCH", path, wrong), 400, "INVALID_CRITERIA")
    expectError(await call("PATCH", path, { name: "Taken", criteria: named("b") }), 400, "DUPLICATE_NAME")
    expect((await call("GET", path)).body).toEqual(before)
  })
})

describe("DELETE /v1/collections/:id", () => {
  test("204 keeps the record with its deletedAt and does not change the members; repeating it is 404", async () => {
    const { call, create, device } = await arrange()
    const id = await device()
    const collection = await create({ dynamic: false, criteria: named("Roof") })
    expect((await call("DELETE", `/v1/collections/${collection.id}`)).status).toBe(204)
    expectError(await call("DELETE", `/v1/collections/${collection.id}`), 404, "COLLECTION_NOT_FOUND")
    const [row] = await app.sql(
      (sql) => sql<{ deletedAt: Date }>`SELECT deleted_at AS "deletedAt" FROM collections WHERE id = ${collection.id}`
    )
    expect(row!.deletedAt).toBeInstanceOf(Date)
    expect((await call("GET", `/v1/devices/${id}`)).status).toBe(200)
    expect((await call("GET", "/v1/collections")).body.totalItems).toBe(0)
    expect((await call("GET", `/v1/devices?collectionId=${collection.id}`)).body.totalItems).toBe(0)
  })
})
