import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { moment, nobody } from "../devices/arrangeDevices.ts"
import { aBattery, arrangeEnrollments, atLeast, inNevada } from "./arrangeEnrollments.ts"

const app = useTestApp()
const allowed = ["SERVER", "API"] as const
const arrange = () => arrangeEnrollments(app)

describeKeyChecks(app, [
  { method: "GET", path: "/v1/programInstances/any/enrollments", allowed },
  { method: "POST", path: "/v1/programInstances/any/enrollments", allowed },
  { method: "POST", path: "/v1/programInstances/any/enrollments/bulk", allowed },
  { method: "POST", path: "/v1/programInstances/any/eligibility", allowed },
  { method: "GET", path: "/v1/enrollments/any", allowed },
  { method: "DELETE", path: "/v1/enrollments/any", allowed },
  { method: "POST", path: "/v1/enrollments/any/submit", allowed },
  { method: "POST", path: "/v1/enrollments/any/approve", allowed },
  { method: "POST", path: "/v1/enrollments/any/reject", allowed },
  { method: "POST", path: "/v1/enrollments/any/unenroll", allowed }
])

const byId = (customerId: string, fields: object = {}) => ({ identificationType: "customerId", customerId, ...fields })
const info = (fields: object = {}) => ({ firstName: "Ada", lastName: "Okafor", email: "ada@example.com", ...fields })
const byInfo = (fields: object = {}, others: object = {}) => ({
  identificationType: "customerInfo",
  customerInfo: info(fields),
  ...others
})

describe("POST /v1/programInstances/:id/enrollments", () => {
  test("201 submits an eligible customer, with all fields", async () => {
    const { home, instance, post, read } = await arrange()
    const { id } = await instance({ states: ["CA"], eligibility: aBattery })
    const { customerId, siteId } = await home()
    const given = {
      siteId,
      manufacturerSlugs: ["generic", "simulator"],
      serialNumber: "SN-1",
      referenceId: "application-12",
      referenceDescription: "Paper form",
      tags: ["pilot", "north", "pilot"],
      metadata: { campaign: { wave: 2 } },
      acceptedTerms: { version: 1, acceptedAt: "2026-03-01T12:00:00+02:00" }
    }
    const { body, status } = await post(id, byId(customerId, given))
    expect(status).toBe(201)
    expect(body).toEqual({
      ...given,
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      programInstanceId: id,
      identificationType: "customerId",
      customerId,
      status: "submitted",
      statusReason: null,
      tags: ["pilot", "north"],
      address: null,
      acceptedTerms: { version: 1, acceptedAt: "2026-03-01T10:00:00.000Z" },
      requiredActions: [
        { code: "give_address", title: "Give the address of the site", actor: "owner", done: true },
        { code: "connect_device", title: "Connect a device at the site", actor: "owner", done: true },
        { code: "accept_terms", title: "Accept the terms of the program", actor: "owner", done: true },
        { code: "submit", title: "Submit the enrollment", actor: "operator", done: true },
        { code: "approve", title: "Approve the enrollment", actor: "operator", done: false }
      ],
      activatesAt: null,
      submittedAt: moment,
      approvedAt: null,
      rejectedAt: null,
      unenrolledAt: null,
      createdAt: moment,
      updatedAt: moment
    })
    expect(await read(body.id)).toEqual(body)
  })

  test("201 stays eligible with submit false, and is a candidate while no device is connected", async () => {
    const { enroll, home, instance } = await arrange()
    const { id } = await instance({ eligibility: aBattery })
    const waiting = await enroll(id, (await home()).customerId, { submit: false })
    expect(waiting).toMatchObject({ status: "eligible", statusReason: null, submittedAt: null })
    const candidate = await enroll(id, (await home(null)).customerId)
    expect(candidate).toMatchObject({
      status: "candidate",
      statusReason: "The program has conditions for devices; none is connected at the site yet"
    })
    expect(candidate.requiredActions).toMatchObject([
      { code: "give_address", done: true },
      { code: "connect_device", done: false },
      { code: "accept_terms", done: false },
      { code: "submit", done: false },
      { code: "approve", done: false }
    ])
  })

  test("201 ineligible with the reasons, which needs no action and may be repeated", async () => {
    const { enroll, home, instance, site } = await arrange()
    const { id } = await instance({ states: ["CA", "OR"], eligibility: { all: [aBattery, atLeast(10_000)] } })
    const { customerId } = await home({ staticState: { capacity: 5000 } })
    for (let time = 0; time < 2; time++) {
      const refused = await enroll(id, customerId)
      expect(refused).toMatchObject({
        status: "ineligible",
        statusReason: "The battery's capacity is 5,000 Wh; the program takes at least 10,000 Wh",
        requiredActions: []
      })
    }
    const afar = await home({}, { address: inNevada() })
    expect(await enroll(id, afar.customerId)).toMatchObject({
      status: "ineligible",
      statusReason: "The program serves sites in CA, OR; the address is in NV"
    })
    // One of the homes qualifies.
    await site({ customerId: afar.customerId })
    expect(await enroll(id, afar.customerId)).toMatchObject({ status: "candidate" })
  })

  test("201 customerInfo creates the customer and the site, or finds them by the e-mail and the address", async () => {
    const { call, events, instance, post } = await arrange()
    const [first, second] = [await instance({ states: ["CA"] }), await instance({ states: ["CA"] })]
    const location = someAddress()
    const { body } = await post(first.id, byInfo({ phone: "+1 916 555 0142", location }))
    expect(body).toMatchObject({
      identificationType: "customerInfo",
      status: "submitted",
      address: { ...location, country: "USA" }
    })
    const customer = (await call("GET", `/v1/customers/${body.customerId}`)).body
    expect(customer).toMatchObject({ ...info(), phone: "+1 916 555 0142", connectedSiteIds: [body.siteId] })
    const site = (await call("GET", `/v1/sites/${body.siteId}`)).body
    expect(site).toMatchObject({ address: location, customerIds: [body.customerId] })
    expect(site.location).not.toBeNull()
    expect((await events()).map(({ type }) => type)).toEqual([
      "CUSTOMER_CREATED",
      "SITE_CREATED",
      "ENROLLMENT_SUBMITTED"
    ])
    const spelled = { ...location, streetOne: location.streetOne.toUpperCase() }
    const again = await post(second.id, byInfo({ email: "ADA@example.com", location: spelled }))
    expect(again.body).toMatchObject({ customerId: body.customerId, siteId: body.siteId, status: "submitted" })
    expect((await events()).map(({ type }) => type).slice(3)).toEqual(["ENROLLMENT_SUBMITTED"])
  })

  test("201 a customer without a site is a candidate where the program names states, otherwise eligible", async () => {
    const { customer, enroll, instance } = await arrange()
    const { id } = await customer()
    expect(await enroll((await instance({ states: ["CA"] })).id, id)).toMatchObject({
      status: "candidate",
      statusReason: "The program serves sites in CA; the address of the site is not known yet"
    })
    expect(await enroll((await instance()).id, id)).toMatchObject({ status: "submitted" })
  })

  test("201 activates with the first period whose deadline it meets", async () => {
    const { customer, enroll, instance } = await arrange()
    const enrollmentPeriods = [
      { deadline: "2020-01-01T00:00:00.000Z", activatesAt: "2020-02-01T00:00:00.000Z" },
      { deadline: "2125-01-01T00:00:00.000Z", activatesAt: "2125-02-01T00:00:00.000Z" },
      { deadline: "2126-01-01T00:00:00.000Z", activatesAt: "2126-02-01T00:00:00.000Z" }
    ]
    const { id } = await instance({}, { enrollmentPeriods })
    const enrolled = await enroll(id, (await customer()).id)
    expect(enrolled.activatesAt).toBe("2125-02-01T00:00:00.000Z")
    const eligible = await enroll(id, (await customer()).id, { submit: false })
    expect(eligible.activatesAt).toBeNull()
  })

  test("201 an Idempotency-Key repeats the response and enrolls once", async () => {
    const { customer, instance, keys } = await arrange()
    const { id } = await instance()
    const body = byId((await customer()).id)
    const path = `/v1/programInstances/${id}/enrollments`
    const request = { key: keys.SERVER, body, headers: { "Idempotency-Key": "enroll-1" } }
    const [first, second] = [await app.call("POST", path, request), await app.call("POST", path, request)]
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body])
  })

  test("400 VALIDATION_ERROR for leads, and for persons that are not identified as announced", async () => {
    const { customer, instance, post } = await arrange()
    const { id } = await instance()
    const customerId = (await customer()).id
    const refusals: ReadonlyArray<readonly [object, string]> = [
      [{ identificationType: "leadId", leadId: "lead-1" }, "identificationType"],
      [{ customerId }, "identificationType"],
      [{ identificationType: "customerId" }, "customerId"],
      [{ identificationType: "customerId", customerId, customerInfo: info() }, "customerInfo"],
      [{ identificationType: "customerInfo" }, "customerInfo"],
      [{ identificationType: "customerInfo", customerId, customerInfo: info() }, "customerId"],
      [
        { identificationType: "customerInfo", customerInfo: { firstName: "Ada", email: "ada@example.com" } },
        "customerInfo.lastName"
      ],
      [byInfo({ location: { ...someAddress(), city: " " } }), "customerInfo.location.city"],
      [byInfo({ location: someAddress() }, { siteId: nobody }), "siteId"],
      [byId(customerId, { manufacturerSlugs: [] }), "manufacturerSlugs"],
      [byId(customerId, { acceptedTerms: { version: 2 } }), "acceptedTerms.version"],
      [
        byId(customerId, { acceptedTerms: { version: 1, acceptedAt: "2125-01-01T00:00:00Z" } }),
        "acceptedTerms.acceptedAt"
      ]
    ]
    for (const [body, field] of refusals) {
      const response = await post(id, body)
      expectError(response, 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
    }
    const { details } = (await post(id, { identificationType: "leadId" })).body
    expect(details.identificationType).toBe("Must be customerId or customerInfo: leads are retired")
  })

  test("400 INVALID_LOCATION for an address that does not exist, and nothing is left behind", async () => {
    const { events, instance, post } = await arrange()
    const response = await post((await instance()).id, byInfo({ location: { ...someAddress(), state: "NV" } }))
    expectError(response, 400, "INVALID_LOCATION")
    expect(await events()).toEqual([])
  })

  test("400 CUSTOMER_NOT_CONNECTED_TO_SITE for a site that is not associated with the customer", async () => {
    const { customer, instance, post, site } = await arrange()
    const { id } = await instance()
    const siteId = (await site()).id
    expectError(await post(id, byId((await customer()).id, { siteId })), 400, "CUSTOMER_NOT_CONNECTED_TO_SITE")
    expectError(await post(id, byInfo({}, { siteId })), 400, "CUSTOMER_NOT_CONNECTED_TO_SITE")
  })

  test("400 INVALID_STATE for a second live enrollment, which leaves nothing behind", async () => {
    const { customer, enroll, events, home, instance, post } = await arrange()
    const { id } = await instance({ eligibility: aBattery })
    const known = await customer({ email: "ada@example.com" })
    await enroll(id, known.id)
    const { customerId } = await home()
    await enroll(id, customerId)
    const before = await events()
    expectError(await post(id, byId(customerId)), 400, "INVALID_STATE")
    expectError(await post(id, byInfo({ location: someAddress() })), 400, "INVALID_STATE")
    expect(await events()).toEqual(before)
  })

  test("400 INVALID_STATE where the instance or its program takes no enrollments, with the reason", async () => {
    const { customer, instance, instanceFor, post, program, required } = await arrange()
    const { id: customerId } = await customer()
    const archived = await instance({}, { status: "ARCHIVED" })
    const inactive = await instance({}, { status: "INACTIVE" })
    const late = await instance(
      {},
      { enrollmentPeriods: [{ deadline: "2020-01-01T00:00:00Z", activatesAt: "2020-01-01T00:00:00Z" }] }
    )
    const early = await instance({ startsAt: "2125-01-01T00:00:00Z" })
    const ended = await instance({ startsAt: "2019-01-01T00:00:00Z", endsAt: "2020-01-01T00:00:00Z" })
    const { slug } = await program()
    const dormant = await instanceFor(slug)
    await required(200, "PATCH", `/v1/programs/${slug}`, { active: false }, "MANAGEMENT")
    const reasons = [
      [archived, /is archived/],
      [inactive, /is inactive/],
      [late, /last deadline for enrollments was 2020-01-01T00:00:00.000Z/],
      [early, /takes enrollments from 2125-01-01T00:00:00.000Z on/],
      [ended, /ended at 2020-01-01T00:00:00.000Z/],
      [dormant, /is not active/]
    ] as const
    for (const [{ id }, reason] of reasons) {
      const response = await post(id, byId(customerId))
      expectError(response, 400, "INVALID_STATE")
      expect(response.body.message).toMatch(reason)
    }
  })

  test("404 for an instance, a customer or a site that does not exist, and SITE_NOT_IN_WORKSPACE for a foreign one", async () => {
    const { customer, instance, post } = await arrange()
    const other = await arrange()
    const foreign = await other.home()
    const { id } = await instance()
    const { id: customerId } = await customer()
    expectError(await post(nobody, byId(customerId)), 404, "NOT_FOUND")
    expectError(await post((await other.instance()).id, byId(customerId)), 404, "NOT_FOUND")
    expectError(await post(id, byId(nobody)), 404, "CUSTOMER_NOT_FOUND")
    expectError(await post(id, byId(foreign.customerId)), 404, "CUSTOMER_NOT_FOUND")
    expectError(await post(id, byId(customerId, { siteId: nobody })), 404, "SITE_NOT_FOUND")
    const response = await post(id, byId(customerId, { siteId: foreign.siteId }))
    expect(response.body.code).toBe("SITE_NOT_IN_WORKSPACE")
  })
})

describe("GET /v1/programInstances/:id/enrollments", () => {
  test("200 newest first, by status, customer, site, reference and tag", async () => {
    const { call, enroll, home, instance } = await arrange()
    const { id } = await instance()
    const homes = [await home(), await home(), await home()]
    const all = []
    for (const [at, { customerId, siteId }] of homes.entries()) {
      all.unshift(await enroll(id, customerId, { siteId, referenceId: `r${at}`, tags: [`t${at}`], submit: at === 0 }))
    }
    await enroll((await instance()).id, homes[0]!.customerId)
    const list = async (query: string) => (await call("GET", `/v1/programInstances/${id}/enrollments?${query}`)).body
    const ids = async (query: string) => (await list(query)).data.map((each: any) => each.id)
    expect(await list("")).toEqual({ data: all, page: 1, perPage: 10, totalItems: 3, totalPages: 1 })
    const [third, second, first] = all.map((each) => each.id)
    expect(await ids("status=submitted")).toEqual([first])
    expect(await ids("status=eligible,approved")).toEqual([third, second])
    expect(await ids(`customerId=${homes[1]!.customerId}`)).toEqual([second])
    expect(await ids(`siteId=${homes[0]!.siteId},${homes[2]!.siteId}`)).toEqual([third, first])
    expect(await ids("referenceId=r1&referenceId=r2")).toEqual([third, second])
    expect(await ids("tag=t0,t2")).toEqual([third, first])
    expect(await ids("tag=t0&status=eligible")).toEqual([])
    expect(await list("perPage=1&page=2")).toMatchObject({ data: [{ id: second }], totalItems: 3, totalPages: 3 })
  })

  test("400 VALIDATION_ERROR for an unknown status, 404 for an instance that does not exist", async () => {
    const { call, instance } = await arrange()
    const { id } = await instance()
    expectError(await call("GET", `/v1/programInstances/${id}/enrollments?status=lost`), 400, "VALIDATION_ERROR", {
      "status.0": expect.any(String)
    })
    expectError(await call("GET", `/v1/programInstances/${nobody}/enrollments`), 404, "NOT_FOUND")
  })
})

describe("GET and DELETE /v1/enrollments/:id", () => {
  test("200 with the leadId of an enrollment that was made from a lead", async () => {
    const { customer, enroll, instance, read } = await arrange()
    const enrollment = await enroll((await instance()).id, (await customer()).id)
    expect(enrollment).not.toHaveProperty("leadId")
    await app.sql((sql) => sql`UPDATE enrollments SET lead_id = 'lead-7' WHERE id = ${enrollment.id}`)
    expect(await read(enrollment.id)).toEqual({ ...enrollment, leadId: "lead-7" })
  })

  test("204 deletes an enrollment that is not approved; the customer may then enroll again", async () => {
    const { call, customer, enroll, instance } = await arrange()
    const { id } = await instance()
    const { id: customerId } = await customer()
    const enrollment = await enroll(id, customerId)
    expect((await call("DELETE", `/v1/enrollments/${enrollment.id}`)).status).toBe(204)
    expectError(await call("DELETE", `/v1/enrollments/${enrollment.id}`), 404, "NOT_FOUND")
    expectError(await call("GET", `/v1/enrollments/${enrollment.id}`), 404, "NOT_FOUND")
    expect(await enroll(id, customerId)).toMatchObject({ status: "submitted" })
  })

  test("400 INVALID_STATE for the deletion of an approved one", async () => {
    const { call, customer, enroll, instance, moved } = await arrange()
    const { id } = await enroll((await instance()).id, (await customer()).id)
    await moved(id, "approve")
    expectError(await call("DELETE", `/v1/enrollments/${id}`), 400, "INVALID_STATE")
  })

  test("404 for an enrollment of another workspace", async () => {
    const { call } = await arrange()
    const other = await arrange()
    const { id } = await other.enroll((await other.instance()).id, (await other.customer()).id)
    expectError(await call("GET", `/v1/enrollments/${id}`), 404, "NOT_FOUND")
    expectError(await call("POST", `/v1/enrollments/${id}/approve`), 404, "NOT_FOUND")
    expectError(await call("DELETE", `/v1/enrollments/${id}`), 404, "NOT_FOUND")
  })
})

describe("POST /v1/enrollments/:id/{submit,approve,reject,unenroll}", () => {
  test("200 goes from eligible to unenrolled with reasons and times, and publishes each step", async () => {
    const { customer, enroll, events, instance, moved } = await arrange()
    const { id } = await instance()
    const created = await enroll(id, (await customer()).id, { submit: false })
    const submitted = await moved(created.id, "submit", { reason: "Form complete", acceptedTerms: { version: 1 } })
    expect(submitted).toMatchObject({
      status: "submitted",
      statusReason: "Form complete",
      submittedAt: moment,
      acceptedTerms: { version: 1, acceptedAt: submitted.submittedAt }
    })
    const approved = await moved(created.id, "approve", { reason: "Welcome" })
    expect(approved).toMatchObject({ status: "approved", statusReason: "Welcome", approvedAt: moment })
    expect(approved.submittedAt).toBe(submitted.submittedAt)
    expect(approved.requiredActions.filter(({ done }: any) => !done)).toEqual([
      expect.objectContaining({ code: "give_address" }),
      expect.objectContaining({ code: "connect_device" })
    ])
    const ended = await moved(created.id, "unenroll")
    expect(ended).toMatchObject({ status: "unenrolled", statusReason: null, unenrolledAt: moment, requiredActions: [] })
    const published = (await events()).filter(({ type }) => type.startsWith("ENROLLMENT_"))
    expect(published.map(({ data, type }) => [type, data.enrollment, data.customer.id])).toEqual([
      ["ENROLLMENT_SUBMITTED", submitted, created.customerId],
      ["ENROLLMENT_APPROVED", approved, created.customerId]
    ])
  })

  test("200 a rejected customer may enroll again", async () => {
    const { customer, enroll, events, instance, moved } = await arrange()
    const { id } = await instance()
    const { id: customerId } = await customer()
    const first = await enroll(id, customerId)
    const rejected = await moved(first.id, "reject", { reason: "No interconnection agreement" })
    expect(rejected).toMatchObject({
      status: "rejected",
      statusReason: "No interconnection agreement",
      rejectedAt: moment
    })
    await enroll(id, customerId)
    const types = (await events()).map(({ type }) => type).filter((type) => type.startsWith("ENROLLMENT_"))
    expect(types).toEqual(["ENROLLMENT_SUBMITTED", "ENROLLMENT_REJECTED", "ENROLLMENT_SUBMITTED"])
  })

  test("400 INVALID_STATE to submit one that is not eligible, which keeps its status, and one whose instance is closed", async () => {
    const { device, enroll, home, instance, move, moved, read, required } = await arrange()
    const { id } = await instance({ eligibility: aBattery })
    const { customerId, siteId } = await home(null)
    const candidate = await enroll(id, customerId, { submit: false })
    const early = await move(candidate.id, "submit")
    expectError(early, 400, "INVALID_STATE")
    expect(early.body.message).toContain("none is connected at the site yet")
    await device({ type: "thermostat", siteId })
    const wrong = await move(candidate.id, "submit")
    expectError(wrong, 400, "INVALID_STATE")
    expect(wrong.body.message).toBe("The device is a thermostat; the program takes batteries")
    expect(await read(candidate.id)).toMatchObject({ status: "candidate" })
    await device({ type: "battery", siteId })
    await required(200, "PATCH", `/v1/programInstances/${id}`, { status: "INACTIVE" })
    expectError(await move(candidate.id, "submit"), 400, "INVALID_STATE")
    await required(200, "PATCH", `/v1/programInstances/${id}`, { status: "ACTIVE" })
    expect(await moved(candidate.id, "submit")).toMatchObject({ status: "submitted", statusReason: null })
  })

  test("400 VALIDATION_ERROR for outdated terms and a reason that is too long", async () => {
    const { customer, enroll, instance, move, required } = await arrange()
    const { id } = await instance()
    const created = await enroll(id, (await customer()).id, { submit: false })
    await required(200, "PATCH", `/v1/programInstances/${id}`, { programTerms: "Other terms." })
    expectError(await move(created.id, "submit", { acceptedTerms: { version: 1 } }), 400, "VALIDATION_ERROR", {
      "acceptedTerms.version": "Must be 2, the version of the program instance's terms"
    })
    expectError(await move(created.id, "submit", { reason: "x".repeat(1001) }), 400, "VALIDATION_ERROR", {
      reason: expect.any(String)
    })
  })

  test("400 INVALID_STATUS for every other transition, and 404 for an enrollment that does not exist", async () => {
    const { customer, enroll, instance, move, moved } = await arrange()
    const { id } = await instance()
    const made = async (...verbs: ReadonlyArray<string>) => {
      const created = await enroll(id, (await customer()).id, { submit: false })
      for (const verb of verbs) await moved(created.id, verb)
      return created.id
    }
    const refused = [
      [await made(), ["approve", "reject", "unenroll"]],
      [await made("submit"), ["submit", "unenroll"]],
      [await made("submit", "approve"), ["submit", "approve", "reject"]],
      [await made("submit", "reject"), ["submit", "approve", "reject", "unenroll"]],
      [await made("submit", "approve", "unenroll"), ["submit", "approve", "reject", "unenroll"]]
    ] as const
    for (const [enrollment, verbs] of refused) {
      for (const verb of verbs) expectError(await move(enrollment, verb), 400, "INVALID_STATUS")
    }
    for (const verb of ["submit", "approve", "reject", "unenroll"]) {
      expectError(await move(nobody, verb), 404, "NOT_FOUND")
    }
  })
})
