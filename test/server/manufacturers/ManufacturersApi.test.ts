import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp()
const readers = ["SERVER", "API", "CONNECT", "MANUFACTURER", "MANAGEMENT"] as const

describeKeyChecks(app, [
  { method: "GET", path: "/v1/manufacturers", allowed: readers },
  { method: "GET", path: "/v1/manufacturers/generic", allowed: readers },
  { method: "POST", path: "/v1/manufacturers", allowed: ["MANAGEMENT"] },
  { method: "PATCH", path: "/v1/manufacturers/generic", allowed: ["MANAGEMENT"] }
])

let serial = 0

const arrange = async () => {
  const { keys } = await app.workspace()
  const slug = `acme-${++serial}`
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, `/v1/manufacturers${path}`, {
      key: keys.MANAGEMENT,
      ...(body === undefined ? {} : { body })
    })
  const acme = { slug, name: "Acme", deviceTypes: ["battery", "meter"] }
  return { call, slug, acme, create: () => call("POST", "", acme) }
}

describe("GET /v1/manufacturers", () => {
  test("200 lists by slug, page by page", async () => {
    const { call, create } = await arrange()
    await create()
    const total = (await call("GET", "")).body.totalItems
    const slugs: Array<string> = []
    for (let page = 1; page <= Math.ceil(total / 7); page++) {
      const { body } = await call("GET", `?page=${page}&perPage=7`)
      expect(body).toMatchObject({ page, perPage: 7, totalItems: total, totalPages: Math.ceil(total / 7) })
      slugs.push(...body.data.map((one: any) => one.slug))
    }
    expect(slugs).toEqual([...new Set(slugs)].toSorted())
    expect(slugs).toHaveLength(total)
  })

  test("200 contains the starter catalogue", async () => {
    const { call } = await arrange()
    const slugs = ["generic", "simulator", "tesla"]
    for (const slug of slugs) expect((await call("GET", `/${slug}`)).status).toBe(200)
  })

  test("400 VALIDATION_ERROR lists every invalid parameter", async () => {
    const { call } = await arrange()
    const wrong = { page: expect.any(String), perPage: expect.any(String), slug: expect.any(String) }
    expectError(await call("GET", "?page=0&perPage=101&slug=x"), 400, "VALIDATION_ERROR", wrong)
  })
})

describe("GET /v1/manufacturers/:slug", () => {
  test("200 returns the manufacturer", async () => {
    const { call } = await arrange()
    const { status, body } = await call("GET", "/simulator")
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { slug: "simulator", name: "Simulator", logoUrl: null }
    })
    expect(body.deviceTypes).toHaveLength(9)
  })

  test.each(["no-such-maker", "Not%20A%20Slug", "%00"])("404 NOT_FOUND %s", async (slug) => {
    const { call } = await arrange()
    expectError(await call("GET", `/${slug}`), 404, "NOT_FOUND")
  })
})

describe("POST /v1/manufacturers", () => {
  test("201 with required fields only: it pushes directly, has no connect flow and no logo", async () => {
    const { call, slug, acme, create } = await arrange()
    const { status, body } = await create()
    expect({ status, body }).toEqual({
      status: 201,
      body: { ...acme, connectable: false, directIntegration: true, logoUrl: null, onlineWindow: 900 }
    })
    expect((await call("GET", `/${slug}`)).body).toEqual(body)
  })

  test("201 stores the given fields, each device type once, and never a connect flow", async () => {
    const { call, acme } = await arrange()
    const given = { ...acme, directIntegration: false, logoUrl: "https://acme.example/logo.svg", onlineWindow: 5400 }
    const { body } = await call("POST", "", { ...given, deviceTypes: ["meter", "meter"], connectable: true })
    expect(body).toEqual({ ...given, deviceTypes: ["meter"], connectable: false })
  })

  test("400 VALIDATION_ERROR a slug that is taken", async () => {
    const { create } = await arrange()
    expect((await create()).status).toBe(201)
    expectError(await create(), 400, "VALIDATION_ERROR", { slug: "Is taken by another manufacturer" })
  })

  test("400 VALIDATION_ERROR lists every invalid field", async () => {
    const { call } = await arrange()
    const strange = { directIntegration: "yes", logoUrl: "http://plain", onlineWindow: 604_801 }
    const body = { slug: "Not A Slug", name: "", deviceTypes: [], ...strange }
    const wrong = Object.fromEntries(Object.keys(body).map((field) => [field, expect.any(String)]))
    expectError(await call("POST", "", body), 400, "VALIDATION_ERROR", wrong)
  })
})

describe("PATCH /v1/manufacturers/:slug", () => {
  test("200 changes only the given fields", async () => {
    const { call, slug, create } = await arrange()
    const before = (await create()).body
    const changed = { ...before, name: "Acme, Inc.", logoUrl: "https://acme.example/logo.svg" }
    const response = await call("PATCH", `/${slug}`, { name: changed.name, logoUrl: changed.logoUrl, slug: "other" })
    expect(response).toMatchObject({ status: 200, body: changed })
    const bare = await call("PATCH", `/${slug}`, { logoUrl: null, deviceTypes: ["charger"], directIntegration: false })
    expect(bare.body).toEqual({ ...changed, logoUrl: null, deviceTypes: ["charger"], directIntegration: false })
    expect((await call("GET", `/${slug}`)).body).toEqual(bare.body)
  })

  test("200 changes how long a reading makes a device online", async () => {
    const { call, slug, create } = await arrange()
    const before = (await create()).body
    expect((await call("PATCH", `/${slug}`, { onlineWindow: 7200 })).body).toEqual({ ...before, onlineWindow: 7200 })
  })

  test("200 an empty change has no effect", async () => {
    const { call, slug, create } = await arrange()
    const before = (await create()).body
    expect((await call("PATCH", `/${slug}`, {})).body).toEqual(before)
  })

  test("400 VALIDATION_ERROR lists every invalid field", async () => {
    const { call, slug, create } = await arrange()
    await create()
    const wrong = { name: expect.any(String), deviceTypes: expect.any(String), onlineWindow: expect.any(String) }
    expectError(
      await call("PATCH", `/${slug}`, { name: null, deviceTypes: [], onlineWindow: 0 }),
      400,
      "VALIDATION_ERROR",
      wrong
    )
  })

  test("404 NOT_FOUND", async () => {
    const { call } = await arrange()
    expectError(await call("PATCH", "/no-such-maker", { name: "x" }), 404, "NOT_FOUND")
  })
})
