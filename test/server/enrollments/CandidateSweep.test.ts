import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { moment } from "../devices/arrangeDevices.ts"
import { aBattery, arrangeEnrollments, atLeast } from "./arrangeEnrollments.ts"

// The sweep looks at the candidates of all workspaces.
const app = useTestApp({ own: true })
const arrange = () => arrangeEnrollments(app)

const pushed = { chargingState: "idle", charge: 5000, chargePercentage: 50, whConsumed: null }

test("a candidate is submitted once a device that meets the conditions has arrived at its site", async () => {
  const { device, enroll, events, home, instance, read, sweep } = await arrange()
  const enrollmentPeriods = [{ deadline: "2125-01-01T00:00:00.000Z", activatesAt: "2125-02-01T00:00:00.000Z" }]
  const { id } = await instance({ eligibility: aBattery }, { enrollmentPeriods })
  const [first, second, third] = [await home(null), await home(null), await home(null)]
  const named = await enroll(id, first.customerId, { siteId: first.siteId })
  const all = await enroll(id, second.customerId)
  const kept = await enroll(id, third.customerId, { submit: false })
  expect(await sweep()).toBe(0)
  for (const { siteId } of [first, second, third]) await device({ type: "battery", siteId })
  expect(await sweep()).toBe(2)
  const [one, two] = [await read(named.id), await read(all.id)]
  for (const each of [one, two]) {
    expect(each).toMatchObject({
      status: "submitted",
      statusReason: null,
      submittedAt: moment,
      activatesAt: "2125-02-01T00:00:00.000Z"
    })
  }
  // It was not to be submitted by itself.
  expect(await read(kept.id)).toMatchObject({ status: "candidate" })
  const published = (await events()).filter(({ type }) => type === "ENROLLMENT_SUBMITTED")
  expect(published.map(({ data }) => data.enrollment)).toEqual([one, two])
  expect(await sweep()).toBe(0)
})

test("a candidate becomes ineligible by a device that fails the conditions, after its first reading", async () => {
  const { device, enroll, home, instance, read, readings, sweep } = await arrange()
  const { id } = await instance({ eligibility: { attribute: "state.chargePercentage", operator: "gte", value: 80 } })
  const { customerId, siteId } = await home(null)
  const candidate = await enroll(id, customerId)
  const deviceId = await device({ type: "battery", name: "Powerwall", siteId })
  expect(await sweep()).toBe(0)
  expect(await read(candidate.id)).toMatchObject({
    status: "candidate",
    statusReason: "“Powerwall” has sent no reading yet, which the program's conditions need"
  })
  await readings(deviceId, { at: new Date(), state: pushed })
  expect(await sweep()).toBe(1)
  expect(await read(candidate.id)).toMatchObject({
    status: "ineligible",
    statusReason: "The battery's state of charge is 50 %; the program takes at least 80 %"
  })
})

test("a candidate waits while its instance takes no enrollments, and for a device of its manufacturers", async () => {
  const { device, enroll, home, instance, read, required, sweep } = await arrange()
  const { id } = await instance({ eligibility: atLeast(10_000) })
  const { customerId, siteId } = await home(null)
  const candidate = await enroll(id, customerId, { manufacturerSlugs: ["simulator"] })
  const staticState = { capacity: 13_500 }
  await device({ type: "battery", siteId, staticState })
  expect(await sweep()).toBe(0)
  await device({ type: "battery", siteId, staticState, manufacturer: "simulator" })
  await required(200, "PATCH", `/v1/programInstances/${id}`, { status: "INACTIVE" })
  expect(await sweep()).toBe(0)
  await required(200, "PATCH", `/v1/programInstances/${id}`, { status: "ACTIVE" })
  expect(await sweep()).toBe(1)
  expect(await read(candidate.id)).toMatchObject({ status: "submitted" })
})

test("a candidate without an address is submitted once its customer has a site", async () => {
  const { customer, enroll, instance, read, site, sweep } = await arrange()
  const { id } = await instance({ states: ["CA"] })
  const { id: customerId } = await customer()
  const candidate = await enroll(id, customerId)
  expect(candidate).toMatchObject({ status: "candidate" })
  await site({ customerId })
  expect(await sweep()).toBe(1)
  expect(await read(candidate.id)).toMatchObject({ status: "submitted" })
})
