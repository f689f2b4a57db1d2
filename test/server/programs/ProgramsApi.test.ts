import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangePrograms, moment, newSlug, nobody } from "./arrangePrograms.ts"

const app = useTestApp()
const arrange = () => arrangePrograms(app)
const readers = ["SERVER", "API", "MANAGEMENT"] as const

describeKeyChecks(app, [
  { method: "GET", path: "/v1/programs", allowed: readers },
  { method: "POST", path: "/v1/programs", allowed: ["MANAGEMENT"] },
  { method: "GET", path: "/v1/programs/any", allowed: readers },
  { method: "PATCH", path: "/v1/programs/any", allowed: ["MANAGEMENT"] }
])

const battery = { attribute: "type", operator: "eq", value: "battery" }

describe("POST /v1/programs", () => {
  test("201 with required fields only: private, active, without conditions and without an end", async () => {
    const { call, manage, organizationId } = await arrange()
    const slug = newSlug()
    const { body, status } = await manage("POST", "/v1/programs", { slug, name: "Evening Peak" })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^c[0-9a-z]{24}$/),
        slug,
        name: "Evening Peak",
        description: "",
        states: [],
        active: true,
        visibility: "PRIVATE",
        organizationId,
        year: null,
        startsAt: null,
        endsAt: null,
        eligibility: null,
        createdAt: moment,
        updatedAt: moment
      }
    })
    expect((await call("GET", `/v1/programs/${slug}`)).body).toEqual(body)
  })

  test("201 stores the given fields: times in UTC, each state once, the criteria as sent", async () => {
    const { call, manage } = await arrange()
    const given = {
      slug: newSlug(),
      name: "Evening Peak",
      description: "Batteries discharge on hot evenings.",
      active: false,
      visibility: "PUBLIC",
      year: 2026,
      eligibility: { any: [{ not: battery }, { attribute: "state.capacity", operator: "gte", value: 10_000 }] }
    }
    const times = { startsAt: "2026-05-01T00:00:00-07:00", endsAt: "2026-11-01T00:00:00-07:00" }
    const { body, status } = await manage("POST", "/v1/programs", { ...given, ...times, states: ["NY", "CA", "NY"] })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...given,
      states: ["NY", "CA"],
      startsAt: "2026-05-01T07:00:00.000Z",
      endsAt: "2026-11-01T07:00:00.000Z"
    })
    expect(JSON.stringify((await call("GET", `/v1/programs/${given.slug}`)).body)).toBe(JSON.stringify(body))
  })

  test("400 VALIDATION_ERROR lists every invalid field", async () => {
    const { manage } = await arrange()
    const body = {
      slug: "Not A Slug",
      name: "",
      description: 7,
      "states.1": ["CA", "California"],
      active: "yes",
      visibility: "SECRET",
      year: 1.5,
      startsAt: "soon",
      endsAt: "2026-02-30T00:00:00Z",
      eligibility: []
    }
    const { "states.1": states, ...rest } = body
    const details = Object.fromEntries(Object.keys(body).map((field) => [field, expect.any(String)]))
    expectError(await manage("POST", "/v1/programs", { ...rest, states }), 400, "VALIDATION_ERROR", details)
  })

  test.each(["2026-05-01T07:00:00Z", "2026-05-01T06:59:59Z"])(
    "400 VALIDATION_ERROR an end at %s is not after the start",
    async (endsAt) => {
      const { manage } = await arrange()
      const body = { slug: newSlug(), name: "Peak", startsAt: "2026-05-01T00:00:00-07:00", endsAt }
      const response = await manage("POST", "/v1/programs", body)
      expectError(response, 400, "VALIDATION_ERROR", { endsAt: "Must be after startsAt" })
    }
  )

  test("400 INVALID_CRITERIA has the path of the invalid part of eligibility", async () => {
    const { manage } = await arrange()
    const eligibility = { all: [battery, { attribute: "address.city", operator: "eq", value: "Sacramento" }] }
    const response = await manage("POST", "/v1/programs", { slug: newSlug(), name: "Peak", eligibility })
    expectError(response, 400, "INVALID_CRITERIA")
    expect(response.body.message).toMatch(/^eligibility\.all\.1\.attribute: Must be one of type, /)
  })

  test("400 DUPLICATE_NAME a slug that any organization has taken", async () => {
    const { program } = await arrange()
    const { slug } = await program()
    const { manage } = await arrange()
    expectError(await manage("POST", "/v1/programs", { slug, name: "Mine" }), 400, "DUPLICATE_NAME")
  })
})

describe("GET /v1/programs", () => {
  test("200 lists public programs and those of the organization, newest first", async () => {
    const { organizationId, program } = await arrange()
    const hidden = await program()
    const open = await program({ visibility: "PUBLIC" })
    const slugsFor = async (organization?: string) => {
      const { call } = await arrangePrograms(app, await app.workspace(organization))
      const { body } = await call("GET", "/v1/programs?perPage=100")
      return body.data.map(({ slug }: any) => slug).filter((slug: string) => [hidden.slug, open.slug].includes(slug))
    }
    expect(await slugsFor(organizationId)).toEqual([open.slug, hidden.slug])
    expect(await slugsFor()).toEqual([open.slug])
  })

  test("200 filters by state, visibility and activity; a program without states takes every state", async () => {
    const { call, program } = await arrange()
    const { slug: everywhere } = await program({ active: false })
    const { slug: west } = await program({ states: ["CA", "OR"] })
    const { slug: east } = await program({ states: ["NY"], active: false })
    const slugs = async (query: string) => {
      const { body } = await call("GET", `/v1/programs?visibility=PRIVATE&${query}`)
      expect(body.totalItems).toBe(body.data.length)
      return body.data.map(({ slug }: any) => slug)
    }
    expect(await slugs("")).toEqual([east, west, everywhere])
    expect(await slugs("state=OR")).toEqual([west, everywhere])
    expect(await slugs("state=NY,OR")).toEqual([east, west, everywhere])
    expect(await slugs("state=TX")).toEqual([everywhere])
    expect(await slugs("active=true")).toEqual([west])
    expect(await slugs("active=false&state=NY")).toEqual([east, everywhere])
  })

  test("400 VALIDATION_ERROR lists every invalid parameter", async () => {
    const { call } = await arrange()
    const wrong = Object.fromEntries(
      ["page", "state.0", "visibility.0", "active", "name"].map((field) => [field, expect.any(String)])
    )
    const response = await call("GET", "/v1/programs?page=0&state=california&visibility=ALL&active=1&name=x")
    expectError(response, 400, "VALIDATION_ERROR", wrong)
  })
})

describe("GET /v1/programs/:slug", () => {
  test.each(["no-such-program", "Not%20A%20Slug", "%00"])("404 NOT_FOUND %s", async (slug) => {
    const { call } = await arrange()
    expectError(await call("GET", `/v1/programs/${slug}`), 404, "NOT_FOUND")
  })

  test("404 NOT_FOUND a private program of another organization; a public one can be read", async () => {
    const { program } = await arrange()
    const [hidden, open] = [await program(), await program({ visibility: "PUBLIC" })]
    const { call } = await arrange()
    expectError(await call("GET", `/v1/programs/${hidden.slug}`), 404, "NOT_FOUND")
    expect((await call("GET", `/v1/programs/${open.slug}`)).body).toEqual(open)
  })
})

describe("PATCH /v1/programs/:slug", () => {
  test("200 changes only the given fields; null clears, arrays and criteria are replaced", async () => {
    const { call, manage, program } = await arrange()
    const before = await program({
      states: ["CA"],
      year: 2026,
      startsAt: "2026-05-01T07:00:00Z",
      endsAt: "2026-11-01T07:00:00Z",
      eligibility: battery
    })
    const path = `/v1/programs/${before.slug}`
    const changes = { year: null, startsAt: null, states: ["NY"], eligibility: { not: battery } }
    const { body } = await manage("PATCH", path, changes)
    expect(body).toEqual({ ...before, ...changes, updatedAt: moment })
    expect(body.updatedAt > before.updatedAt).toBe(true)
    expect((await call("GET", path)).body).toEqual(body)
    expect((await manage("PATCH", path, { eligibility: null })).body.eligibility).toBeNull()
  })

  test("200 ignores fields that can't be changed, and changes nothing if nothing differs", async () => {
    const { manage, program } = await arrange()
    const before = await program({ states: ["CA"], endsAt: "2026-11-01T07:00:00Z", eligibility: battery })
    const path = `/v1/programs/${before.slug}`
    const same = { ...before, endsAt: "2026-11-01T00:00:00-07:00" }
    const forged = { id: nobody, slug: "other", organizationId: nobody, createdAt: "2000-01-01T00:00:00Z" }
    for (const body of [{}, same, forged]) {
      expect(await manage("PATCH", path, body)).toMatchObject({ status: 200, body: before })
    }
  })

  test("400 VALIDATION_ERROR an end that is not after the stored start", async () => {
    const { manage, program } = await arrange()
    const { slug } = await program({ startsAt: "2026-05-01T07:00:00Z" })
    const response = await manage("PATCH", `/v1/programs/${slug}`, { endsAt: "2026-05-01T07:00:00Z" })
    expectError(response, 400, "VALIDATION_ERROR", { endsAt: "Must be after startsAt" })
  })

  test("400 INVALID_CRITERIA keeps the stored eligibility", async () => {
    const { call, manage, program } = await arrange()
    const before = await program({ eligibility: battery })
    const path = `/v1/programs/${before.slug}`
    expectError(await manage("PATCH", path, { eligibility: { all: [] } }), 400, "INVALID_CRITERIA")
    expect((await call("GET", path)).body).toEqual(before)
  })

  test("403 FORBIDDEN a public program of another organization, or of the deployment", async () => {
    const owner = await arrange()
    const open = await owner.program({ visibility: "PUBLIC" })
    const other = await arrange()
    const path = `/v1/programs/${open.slug}`
    expectError(await other.manage("PATCH", path, { name: "Mine" }), 403, "FORBIDDEN")
    await app.sql((sql) => sql`UPDATE programs SET organization_id = NULL WHERE slug = ${open.slug}`)
    expectError(await owner.manage("PATCH", path, { name: "Mine" }), 403, "FORBIDDEN")
    expect((await owner.call("GET", path)).body).toEqual({ ...open, organizationId: null })
  })

  test("404 NOT_FOUND a private program of another organization", async () => {
    const { program } = await arrange()
    const { slug } = await program()
    const { manage } = await arrange()
    expectError(await manage("PATCH", `/v1/programs/${slug}`, { name: "Mine" }), 404, "NOT_FOUND")
  })

  test("200 every workspace of the organization may change its program", async () => {
    const { organizationId, program } = await arrange()
    const { slug } = await program()
    const { manage } = await arrangePrograms(app, await app.workspace(organizationId))
    expect((await manage("PATCH", `/v1/programs/${slug}`, { name: "Ours" })).body.name).toBe("Ours")
  })
})
