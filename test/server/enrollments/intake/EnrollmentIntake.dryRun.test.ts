import { expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { someAddress } from "../../../support/Seed.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { nobody } from "../../devices/arrangeDevices.ts"
import { aBattery, arrangeEnrollments, atLeast, inNevada } from "../arrangeEnrollments.ts"

const app = useTestApp()
const arrange = () => arrangeEnrollments(app)
const byId = (customerId: string, fields: object = {}) => ({ identificationType: "customerId", customerId, ...fields })
const byInfo = (fields: object) => ({
  identificationType: "customerInfo",
  customerInfo: { firstName: "Ada", lastName: "Okafor", email: "ada@example.com", ...fields }
})

test("the dry run says what an enrollment would become, and stores nothing", async () => {
  const { call, check, customer, enroll, events, home, instance } = await arrange()
  const { id } = await instance({ states: ["CA"], eligibility: { all: [aBattery, atLeast(10_000)] } })
  const big = await home()
  const small = await home({ staticState: { capacity: 5000 } })
  const bare = await home(null)
  const { address } = (await call("GET", `/v1/sites/${big.siteId}`)).body
  const stranger = await customer()
  const cases: ReadonlyArray<readonly [object, string, ReadonlyArray<string>]> = [
    [byId(big.customerId), "eligible", []],
    [byId(big.customerId, { siteId: big.siteId }), "eligible", []],
    [byId(big.customerId, { manufacturerSlugs: ["tesla"] }), "candidate", ["no_device"]],
    [byId(small.customerId), "ineligible", ["criteria_not_met"]],
    [byId(bare.customerId), "candidate", ["no_device"]],
    [byId(stranger.id), "candidate", ["address_unknown", "no_device"]],
    [byInfo({ location: someAddress() }), "candidate", ["no_device"]],
    [byInfo({ location: inNevada() }), "ineligible", ["state_not_served"]],
    [byInfo({ location: address }), "eligible", []]
  ]
  const before = await events()
  for (const [body, status, codes] of cases) {
    const response = await check(id, body)
    expect(response.status, response.text).toBe(200)
    expect([response.body.status, response.body.reasons.map(({ code }: any) => code)]).toEqual([status, codes])
  }
  expect(await events()).toEqual(before)
  await enroll(id, big.customerId)
  expect((await check(id, byId(big.customerId))).body).toEqual({
    status: "eligible",
    reasons: [{ code: "already_enrolled", message: "The customer has an enrollment in this program instance already" }]
  })
})

test("the dry run names an instance that takes no enrollments, and refuses what an enrollment would refuse", async () => {
  const { check, customer, instance, site } = await arrange()
  const closed = await instance({}, { status: "INACTIVE" })
  const { id: customerId } = await customer()
  expect((await check(closed.id, byId(customerId))).body).toMatchObject({
    status: "eligible",
    reasons: [{ code: "takes_no_enrollments" }]
  })
  const { id } = await instance()
  const siteId = (await site()).id
  expectError(await check(nobody, byId(customerId)), 404, "NOT_FOUND")
  expectError(await check(id, byId(nobody)), 404, "CUSTOMER_NOT_FOUND")
  expectError(await check(id, byId(customerId, { siteId: nobody })), 404, "SITE_NOT_FOUND")
  expectError(await check(id, byId(customerId, { siteId })), 400, "CUSTOMER_NOT_CONNECTED_TO_SITE")
  expectError(await check(id, { identificationType: "leadId" }), 400, "VALIDATION_ERROR", {
    identificationType: expect.any(String)
  })
  expectError(await check(id, { identificationType: "customerId" }), 400, "VALIDATION_ERROR", {
    customerId: expect.any(String)
  })
})
