import { expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { someAddress } from "../../../support/Seed.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { nobody } from "../../devices/arrangeDevices.ts"
import { aBattery, arrangeEnrollments, inNevada } from "../arrangeEnrollments.ts"

const app = useTestApp()
const arrange = () => arrangeEnrollments(app)

const byId = (customerId: string, fields: object = {}) => ({ identificationType: "customerId", customerId, ...fields })
const byEmail = (email: string, fields: object = {}) => ({
  identificationType: "customerInfo",
  customerInfo: { firstName: "Ada", lastName: "Okafor", email, ...fields }
})

test("an invalid item does not affect the others, and each result is that of a single request", async () => {
  const { bulk, customer, enroll, home, instance, site } = await arrange()
  const other = await (await arrange()).home()
  const { id } = await instance({ states: ["CA"], eligibility: aBattery })
  const [eligible, waiting, known] = [await home(), await home(null), await home()]
  await enroll(id, known.customerId)
  const lonely = (await site()).id
  const items: ReadonlyArray<readonly [object, string]> = [
    [byId(eligible.customerId), "submitted"],
    [byId(waiting.customerId), "candidate"],
    [byEmail("new@example.com", { location: someAddress() }), "candidate"],
    [byEmail("afar@example.com", { location: inNevada() }), "ineligible"],
    [{ identificationType: "leadId", leadId: "lead-1" }, "VALIDATION_ERROR"],
    [byId(nobody), "CUSTOMER_NOT_FOUND"],
    [byId(known.customerId), "INVALID_STATE"],
    [byId((await customer()).id, { siteId: nobody }), "SITE_NOT_FOUND"],
    [byId((await customer()).id, { siteId: other.siteId }), "SITE_NOT_IN_WORKSPACE"],
    [byId((await customer()).id, { siteId: lonely }), "CUSTOMER_NOT_CONNECTED_TO_SITE"],
    [byEmail("lost@example.com", { location: { ...someAddress(), postalCode: "00000" } }), "INVALID_LOCATION"],
    [byId((await customer()).id, { acceptedTerms: { version: 9 } }), "VALIDATION_ERROR"]
  ]
  const response = await bulk(
    id,
    items.map(([item]) => item)
  )
  expect([response.created, response.failed]).toEqual([4, 8])
  expect(response.results.map(({ code, enrollment, index }: any) => [index, code ?? enrollment.status])).toEqual(
    items.map(([, expected], index) => [index, expected])
  )
  expect(response.results[4].details).toEqual({
    identificationType: "Must be customerId or customerInfo: leads are retired"
  })
})

test("the first of several items for one customer is taken, however they are identified", async () => {
  const { bulk, call, customer, events, instance } = await arrange()
  const { id } = await instance()
  const ada = await customer({ email: "ada@example.com" })
  const before = (await events()).length
  const location = someAddress()
  const response = await bulk(id, [
    byEmail("Ada@Example.com"),
    byId(ada.id),
    byEmail("ada@example.com", { location: someAddress() }),
    byEmail("new@example.com", { location }),
    byEmail("NEW@example.com"),
    byEmail("neighbour@example.com", { location: { ...location, streetOne: location.streetOne.toLowerCase() } })
  ])
  const outcomes = response.results.map(({ code, enrollment }: any) => code ?? enrollment.status)
  expect(outcomes).toEqual(["submitted", "INVALID_STATE", "INVALID_STATE", "submitted", "INVALID_STATE", "submitted"])
  expect(response.results[0].enrollment.customerId).toBe(ada.id)
  // Two persons live at one site, which is created once.
  const { siteId } = response.results[3].enrollment
  expect(response.results[5].enrollment.siteId).toBe(siteId)
  const home = (await call("GET", `/v1/sites/${siteId}`)).body
  expect(home.customerIds.toSorted()).toEqual([3, 5].map((at) => response.results[at].enrollment.customerId).toSorted())
  expect((await events()).slice(before).map(({ type }) => type)).toEqual([
    "CUSTOMER_CREATED",
    "CUSTOMER_CREATED",
    "SITE_CREATED",
    "ENROLLMENT_SUBMITTED",
    "ENROLLMENT_SUBMITTED",
    "ENROLLMENT_SUBMITTED"
  ])
})

test("an instance that takes no enrollments refuses every item, and one that does not exist the request", async () => {
  const { bulk, call, customer, events, instance } = await arrange()
  const { id } = await instance({}, { status: "INACTIVE" })
  const known = await customer()
  const before = await events()
  const response = await bulk(id, [byId(known.id), byEmail("new@example.com", { location: someAddress() })])
  expect(response).toMatchObject({ created: 0, failed: 2 })
  expect(response.results.map(({ code }: any) => code)).toEqual(["INVALID_STATE", "INVALID_STATE"])
  expect(await events()).toEqual(before)
  const body = { enrollments: [byId(known.id)] }
  expectError(await call("POST", `/v1/programInstances/${nobody}/enrollments/bulk`, body), 404, "NOT_FOUND")
})

test("500 new customers with sites are enrolled by one request, and 501 items are refused", async () => {
  const { bulk, call, instance } = await arrange()
  const { id } = await instance({ states: ["CA"], eligibility: aBattery })
  const people = Array.from({ length: 501 }, (_, n) => byEmail(`person-${n}@example.com`, { location: someAddress() }))
  const response = await bulk(id, people.slice(0, 500))
  expect([response.created, response.failed]).toEqual([500, 0])
  expect(response.results[499].enrollment).toMatchObject({ status: "candidate", address: { city: "Sacramento" } })
  const refused = await call("POST", `/v1/programInstances/${id}/enrollments/bulk`, { enrollments: people })
  expectError(refused, 400, "VALIDATION_ERROR", { enrollments: "Must be an array of 1 to 500 enrollments" })
})

test("a bulk request counts in the bulk class, and an Idempotency-Key repeats its response", async () => {
  const { instance, keys } = await arrange()
  const { id } = await instance()
  const path = `/v1/programInstances/${id}/enrollments/bulk`
  const request = {
    key: keys.SERVER,
    body: { enrollments: [byEmail("new@example.com")] },
    headers: { "Idempotency-Key": "all" }
  }
  const [first, second] = [await app.call("POST", path, request), await app.call("POST", path, request)]
  expect([first.status, second.status, second.body]).toEqual([200, 200, first.body])
  // More than the 1 MiB that other requests may have.
  const large = { enrollments: [{ ...byEmail("large@example.com"), metadata: { note: "x".repeat(2_000_000) } }] }
  const response = await app.call("POST", path, { key: keys.SERVER, body: large })
  expect([response.status, response.body.created]).toEqual([200, 1])
})
