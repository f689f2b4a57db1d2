import { EnrolledSites } from "@edp/server/enrollments/enrolled-sites/EnrolledSites"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeEnrollments } from "../arrangeEnrollments.ts"

const app = useTestApp()

const arrange = async () => {
  const place = await arrangeEnrollments(app)
  const sitesAt = (instanceId: string, at = new Date()) =>
    app.run(Effect.flatMap(EnrolledSites, (enrolled) => enrolled.at(place.workspaceId, instanceId, at)))
  return {
    ...place,
    sitesAt,
    devicesAt: async (instanceId: string) => {
      const sites = await sitesAt(instanceId)
      const found = await app.run(
        Effect.flatMap(EnrolledSites, (enrolled) => enrolled.devices(place.workspaceId, sites))
      )
      return found.map(({ deviceId }) => deviceId)
    },
    approved: async (instanceId: string, customerId: string, fields: object = {}) => {
      const { id } = await place.enroll(instanceId, customerId, fields)
      await place.moved(id, "approve")
      return id as string
    }
  }
}

test("sites take part from the approval of their enrollment to its end", async () => {
  const { approved, enroll, home, instance, moved, sitesAt } = await arrange()
  const { id } = await instance()
  const { customerId, siteId } = await home()
  await enroll(id, (await home()).customerId)
  const early = new Date(Date.now() - 60_000)
  const enrollmentId = await approved(id, customerId, { siteId, manufacturerSlugs: ["generic"] })
  expect(await sitesAt(id)).toEqual([{ siteId, customerId, enrollmentId, manufacturerSlugs: ["generic"] }])
  expect(await sitesAt(id, early)).toEqual([])
  await moved(enrollmentId, "unenroll")
  expect(await sitesAt(id)).toEqual([])
})

test("an enrollment takes part from its activation on", async () => {
  const { approved, home, instance, sitesAt } = await arrange()
  const activatesAt = new Date(Date.now() + 86_400_000)
  const deadline = new Date(Date.now() + 3_600_000)
  const { id } = await instance({}, { enrollmentPeriods: [{ deadline, activatesAt }] })
  const { customerId, siteId } = await home()
  await approved(id, customerId)
  expect(await sitesAt(id)).toEqual([])
  expect(await sitesAt(id, activatesAt)).toMatchObject([{ siteId, manufacturerSlugs: null }])
})

test("an enrollment without a site stands for all sites of the customer, and the oldest enrollment of a site counts", async () => {
  const { approved, call, customer, home, instance, site, sitesAt } = await arrange()
  const { id } = await instance()
  const { customerId, siteId } = await home()
  const second = (await site({ customerId })).id
  const whole = await approved(id, customerId)
  const partner = (await customer()).id
  await call("PUT", `/v1/sites/${second}/customers/${partner}`)
  await approved(id, partner, { siteId: second })
  const found = await sitesAt(id)
  expect(found.map((each) => [each.siteId, each.enrollmentId])).toEqual(
    [siteId, second].sort().map((each) => [each, whole])
  )
  await call("DELETE", `/v1/sites/${siteId}`)
  expect((await sitesAt(id)).map((each) => each.siteId)).toEqual([second])
})

test("the connected devices of enrolled sites take part, of the manufacturers of the enrollment", async () => {
  const { approved, device, devicesAt, home, instance } = await arrange()
  const { id } = await instance()
  const one = await home()
  const other = await home()
  await device({ type: "battery", siteId: one.siteId, disconnectedAt: new Date() })
  const simulated = await device({ type: "battery", siteId: other.siteId, manufacturer: "simulator" })
  await home()
  await approved(id, one.customerId)
  await approved(id, other.customerId, { manufacturerSlugs: ["simulator"] })
  expect(await devicesAt(id)).toEqual([one.deviceId, simulated].sort())
})
