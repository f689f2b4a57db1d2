import { ProgramInstances } from "@edp/server/programs/ProgramInstances"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangePrograms, moment, newSlug, nobody, texts } from "./arrangePrograms.ts"
import { atOnce } from "../../support/races.ts"

const app = useTestApp()
const arrange = () => arrangePrograms(app)
const allowed = ["SERVER", "API"] as const
const list = "/v1/programInstances"

describeKeyChecks(app, [
  { method: "GET", path: list, allowed },
  { method: "POST", path: list, allowed },
  { method: "GET", path: `${list}/any`, allowed },
  { method: "PATCH", path: `${list}/any`, allowed },
  { method: "DELETE", path: `${list}/any`, allowed }
])

const may = { deadline: "2026-05-31T23:59:59.000Z", activatesAt: "2026-06-15T00:00:00.000Z" }
const june = { deadline: "2026-06-30T23:59:59.000Z", activatesAt: "2026-06-30T23:59:59.000Z" }

describe("POST /v1/programInstances", () => {
  test("201 with required fields only: active, with the first version of its terms", async () => {
    const { call, program, workspaceId } = await arrange()
    const { slug: programSlug } = await program()
    const slug = newSlug("instance")
    const { body, status } = await call("POST", list, { slug, programSlug, ...texts })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^c[0-9a-z]{24}$/),
        slug,
        programSlug,
        ...texts,
        termsVersion: 1,
        enrollmentPeriods: [],
        customFields: null,
        status: "ACTIVE",
        enrollPath: `/enroll/${slug}`,
        workspaceId,
        createdAt: moment,
        updatedAt: moment
      }
    })
    expect((await call("GET", `${list}/${body.id}`)).body).toEqual(body)
  })

  test("201 stores the given fields; deadlines and activations in UTC", async () => {
    const { call, program } = await arrange()
    const enrollmentPeriods = [{ ...may, deadline: "2026-05-31T16:59:59-07:00" }, june]
    const given = { status: "INACTIVE", customFields: { utility: { code: "U-1", tags: ["a", null] } } }
    const body = { slug: newSlug(), programSlug: (await program()).slug, ...texts, ...given, enrollmentPeriods }
    const created = await call("POST", list, body)
    expect(created).toMatchObject({ status: 201, body: { ...given, enrollmentPeriods: [may, june] } })
    expect((await call("GET", `${list}/${created.body.id}`)).body).toEqual(created.body)
  })

  test("201 a public program of another organization can be instantiated", async () => {
    const { slug } = await (await arrange()).program({ visibility: "PUBLIC" })
    const { instance } = await arrange()
    expect((await instance({ programSlug: slug })).programSlug).toBe(slug)
  })

  test("400 VALIDATION_ERROR lists every invalid field", async () => {
    const { call } = await arrange()
    const wrong = { slug: "Not A Slug", programSlug: "", title: "", customFields: [], status: "OPEN" }
    const missing = ["description", "eligibilityCriteria", "programTerms"]
    const details = Object.fromEntries([...Object.keys(wrong), ...missing].map((name) => [name, expect.any(String)]))
    expectError(await call("POST", list, wrong), 400, "VALIDATION_ERROR", details)
  })

  test.each(["no-such-program", "Not a slug"])("400 VALIDATION_ERROR %s is no program", async (programSlug) => {
    const { call } = await arrange()
    const response = await call("POST", list, { slug: newSlug(), programSlug, ...texts })
    expectError(response, 400, "VALIDATION_ERROR", { programSlug: expect.stringMatching(/^Must be a program/) })
  })

  test("400 VALIDATION_ERROR a private program of another organization, like one that does not exist", async () => {
    const hidden = await (await arrange()).program()
    const { call } = await arrange()
    const responses = await Promise.all(
      [hidden.slug, "no-such-program"].map((programSlug) =>
        call("POST", list, { slug: newSlug(), programSlug, ...texts })
      )
    )
    expect(responses[0]!.body).toEqual(responses[1]!.body)
    expectError(responses[0]!, 400, "VALIDATION_ERROR", { programSlug: expect.any(String) })
  })

  test("400 VALIDATION_ERROR names every period that is out of order or active before its deadline", async () => {
    const { call, program } = await arrange()
    const early = { deadline: june.deadline, activatesAt: june.deadline.replace("59.000", "58.999") }
    const body = { slug: newSlug(), programSlug: (await program()).slug, ...texts }
    expectError(
      await call("POST", list, { ...body, enrollmentPeriods: [june, may, early, june] }),
      400,
      "VALIDATION_ERROR",
      {
        "enrollmentPeriods.1.deadline": "Must be after the deadline of the previous period",
        "enrollmentPeriods.2.activatesAt": "Must be at or after the deadline of the period",
        "enrollmentPeriods.3.deadline": "Must be after the deadline of the previous period"
      }
    )
    const many = Array.from({ length: 101 }, (_, day) => {
      const time = new Date(Date.UTC(2026, 0, 1 + day)).toISOString()
      return { deadline: time, activatesAt: time }
    })
    const refused = await call("POST", list, { ...body, enrollmentPeriods: many })
    expectError(refused, 400, "VALIDATION_ERROR", { enrollmentPeriods: "Must be at most 100 periods" })
    expect((await call("POST", list, { ...body, enrollmentPeriods: many.slice(1) })).status).toBe(201)
  })

  test("400 DUPLICATE_NAME a slug that the workspace has used; another workspace may use it", async () => {
    const { call, instance, organizationId, program } = await arrange()
    const { slug: programSlug } = await program()
    const { slug } = await instance({ programSlug })
    expectError(await call("POST", list, { slug, programSlug, ...texts }), 400, "DUPLICATE_NAME")
    const sibling = await arrangePrograms(app, await app.workspace(organizationId))
    expect((await sibling.instance({ slug, programSlug })).slug).toBe(slug)
  })

  test("201 instances of one slug in several workspaces have different pages, each with a slug as its name", async () => {
    const { organizationId, program } = await arrange()
    const { slug: programSlug } = await program()
    const slug = `${newSlug()}-`.padEnd(63, "x")
    const paths: Array<string> = []
    for (let workspace = 0; workspace < 3; workspace++) {
      const { instance } = await arrangePrograms(app, await app.workspace(organizationId))
      paths.push((await instance({ slug, programSlug })).enrollPath)
    }
    expect(paths[0]).toBe(`/enroll/${slug}`)
    for (const path of paths.slice(1)) {
      expect(path).toMatch(/^\/enroll\/[a-z0-9-]{56}-[a-z0-9]{6}$/)
      expect(path.startsWith(`/enroll/${slug.slice(0, 56)}-`)).toBe(true)
    }
    expect(new Set(paths).size).toBe(3)
  })

  test("concurrent requests with one slug create one instance", async () => {
    const { call, program } = await arrange()
    const body = { slug: newSlug(), programSlug: (await program()).slug, ...texts }
    const responses = await atOnce(5, () => call("POST", list, body))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400])
    expect((await call("GET", list)).body.totalItems).toBe(1)
  })
})

describe("GET /v1/programInstances", () => {
  test("200 newest first, filtered by program, slug and status", async () => {
    const { call, instance } = await arrange()
    const one = await instance()
    const two = await instance({ programSlug: one.programSlug, status: "INACTIVE" })
    const three = await instance({ status: "ARCHIVED" })
    const ids = async (query: string) => {
      const { body } = await call("GET", `${list}?${query}`)
      expect(body.totalItems).toBe(body.data.length)
      return body.data.map(({ id }: any) => id)
    }
    expect(await ids("")).toEqual([three.id, two.id, one.id])
    expect(await ids(`programSlug=${one.programSlug}`)).toEqual([two.id, one.id])
    expect(await ids(`slug=${one.slug},${three.slug}`)).toEqual([three.id, one.id])
    expect(await ids("status=INACTIVE&status=ARCHIVED")).toEqual([three.id, two.id])
    expect((await call("GET", `${list}?perPage=2&page=2`)).body).toMatchObject({ data: [one], totalItems: 3 })
  })

  test("200 lists nothing of another workspace, even of the same organization", async () => {
    const { instance, organizationId } = await arrange()
    await instance()
    const { call } = await arrangePrograms(app, await app.workspace(organizationId))
    expect((await call("GET", list)).body).toMatchObject({ data: [], totalItems: 0 })
  })
})

describe.each(["GET", "PATCH", "DELETE"])("%s /v1/programInstances/:id", (method) => {
  test("404 NOT_FOUND an unknown id, and an instance of another workspace", async () => {
    const { instance, organizationId } = await arrange()
    const { id } = await instance()
    const { call } = await arrangePrograms(app, await app.workspace(organizationId))
    for (const absent of [id, nobody, "x"]) {
      const body = method === "PATCH" ? { title: "Mine" } : undefined
      expectError(await call(method, `${list}/${absent}`, body), 404, "NOT_FOUND")
    }
  })
})

describe("PATCH /v1/programInstances/:id", () => {
  test("200 changes only the given fields; fields of customFields are merged and null removes one", async () => {
    const { call, instance } = await arrange()
    const before = await instance({ customFields: { a: 1, b: { c: 2, d: 3 } }, enrollmentPeriods: [may, june] })
    const path = `${list}/${before.id}`
    const change = { title: "Renamed", customFields: { a: null, b: { c: 4 } }, enrollmentPeriods: [june] }
    const { body } = await call("PATCH", path, change)
    expect(body).toEqual({ ...before, ...change, customFields: { b: { c: 4, d: 3 } }, updatedAt: moment })
    expect((await call("GET", path)).body).toEqual(body)
    expect((await call("PATCH", path, { customFields: null })).body.customFields).toBeNull()
  })

  test("200 changes nothing if nothing differs, and ignores fields that can't be changed", async () => {
    const { call, instance } = await arrange()
    const before = await instance({ customFields: { a: 1 }, enrollmentPeriods: [may] })
    const forged = { id: nobody, slug: "other", programSlug: "other", termsVersion: 9, workspaceId: nobody }
    const same = [{ deadline: "2026-05-31T23:59:59Z", activatesAt: "2026-06-15T02:00:00+02:00" }]
    for (const body of [{}, before, forged, { enrollmentPeriods: same }, { customFields: {} }]) {
      expect(await call("PATCH", `${list}/${before.id}`, body)).toMatchObject({ status: 200, body: before })
    }
  })

  test("200 each change of the terms raises their version, and no other change does", async () => {
    const { call, instance } = await arrange()
    const { id, programTerms } = await instance()
    const version = async (body: object) => (await call("PATCH", `${list}/${id}`, body)).body.termsVersion
    expect(await version({ programTerms, title: "Renamed" })).toBe(1)
    expect(await version({ programTerms: "Up to 30 evenings a year." })).toBe(2)
    expect(await version({ programTerms: "Up to 30 evenings a year." })).toBe(2)
    expect(await version({ programTerms })).toBe(3)
  })

  test("200 concurrent changes of the terms each raise their version", async () => {
    const { call, instance } = await arrange()
    const { id } = await instance()
    const terms = Array.from({ length: 6 }, (_, number) => `Terms ${number}`)
    await Promise.all(terms.map((programTerms) => call("PATCH", `${list}/${id}`, { programTerms })))
    expect((await call("GET", `${list}/${id}`)).body.termsVersion).toBe(7)
  })

  const statuses = ["ACTIVE", "INACTIVE", "ARCHIVED"] as const
  const moves = statuses.flatMap((from) => statuses.map((to) => ({ from, to })))

  test.each(moves.filter(({ from, to }) => from !== "ARCHIVED" || to === from))(
    "200 $from becomes $to",
    async ({ from, to }) => {
      const { call, instance } = await arrange()
      const { id } = await instance({ status: from })
      expect(await call("PATCH", `${list}/${id}`, { status: to })).toMatchObject({ status: 200, body: { status: to } })
    }
  )

  test.each(["ACTIVE", "INACTIVE"])("400 INVALID_STATUS an archived instance does not become %s", async (status) => {
    const { call, instance } = await arrange()
    const before = await instance({ status: "ARCHIVED" })
    const path = `${list}/${before.id}`
    expectError(await call("PATCH", path, { status, title: "Renamed" }), 400, "INVALID_STATUS")
    expect((await call("GET", path)).body).toEqual(before)
    expect((await call("PATCH", path, { title: "Renamed" })).body.title).toBe("Renamed")
  })

  test("400 VALIDATION_ERROR periods out of order keep the stored ones", async () => {
    const { call, instance } = await arrange()
    const before = await instance({ enrollmentPeriods: [may] })
    const path = `${list}/${before.id}`
    const response = await call("PATCH", path, { enrollmentPeriods: [june, may] })
    expectError(response, 400, "VALIDATION_ERROR", { "enrollmentPeriods.1.deadline": expect.any(String) })
    expect((await call("GET", path)).body).toEqual(before)
  })
})

describe("DELETE /v1/programInstances/:id", () => {
  test("204 frees the slug and the name of the page; a second time is 404 NOT_FOUND", async () => {
    const { call, instance } = await arrange()
    const { id, programSlug, slug } = await instance()
    expect(await call("DELETE", `${list}/${id}`)).toMatchObject({ status: 204, text: "" })
    expectError(await call("DELETE", `${list}/${id}`), 404, "NOT_FOUND")
    expect((await instance({ programSlug, slug })).enrollPath).toBe(`/enroll/${slug}`)
  })

  const enroll = (workspaceId: string, id: string) =>
    app.sql(
      (sql) => sql`INSERT INTO enrollments (id, workspace_id, program_instance_id, identification_type, customer_id,
          status, tags, submits, created_at, updated_at)
        VALUES (${id}, ${workspaceId}, ${id}, 'customerId', ${nobody}, 'unenrolled', '{}', false, now(), now())`
    )
  const dispatch = (workspaceId: string, id: string) =>
    app.sql(
      (sql) => sql`INSERT INTO dispatches (id, workspace_id, program_instance_id, name, starts_at, ends_at, intervals,
          priority, randomize_start_seconds, voluntary, test, baseline, status, created_at, updated_at)
        VALUES (${id}, ${workspaceId}, ${id}, 'Peak', now(), now(), '[]', 0, 0, true, false, '{}', 'cancelled', now(),
          now())`
    )

  test.each([
    ["enrollments", enroll],
    ["dispatches", dispatch]
  ] as const)("400 INVALID_STATE an instance with %s, even ended ones", async (records, add) => {
    const { call, instance, workspaceId } = await arrange()
    const { id } = await instance()
    await add(workspaceId, id)
    const response = await call("DELETE", `${list}/${id}`)
    expectError(response, 400, "INVALID_STATE")
    expect(response.body.message).toBe(`The program instance has ${records}: archive it instead`)
    expect((await call("GET", `${list}/${id}`)).status).toBe(200)
  })
})

describe("an instance for later slices", () => {
  test("carries what its program says about enrollments, and is found by the name of its page", async () => {
    const { instance, program, workspaceId } = await arrange()
    const eligibility = { attribute: "type", operator: "eq", value: "battery" }
    const given = { name: "Peak", states: ["CA"], startsAt: "2026-05-01T07:00:00Z", eligibility, active: false }
    const { slug: programSlug } = await program(given)
    const { id, slug } = await instance({ programSlug, enrollmentPeriods: [may] })
    const run = <A, E>(use: (instances: ProgramInstances["Service"]) => Effect.Effect<A, E>) =>
      app.run(Effect.flatMap(ProgramInstances, use))
    const row = await run((instances) => instances.require(workspaceId, id))
    expect(row).toMatchObject({
      id,
      workspaceId,
      programName: "Peak",
      programActive: false,
      programStartsAt: new Date("2026-05-01T07:00:00Z"),
      programEndsAt: null,
      states: ["CA"],
      eligibility,
      enrollmentPeriods: [may],
      status: "ACTIVE",
      termsVersion: 1
    })
    expect(await run((instances) => instances.hold(workspaceId, id))).toEqual(row)
    expect(await run((instances) => instances.byPageSlug(slug))).toEqual(row)
    expect(await run((instances) => instances.byPageSlug(newSlug()))).toBeUndefined()
  })
})
