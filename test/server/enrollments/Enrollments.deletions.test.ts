import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { aBattery, arrangeEnrollments } from "./arrangeEnrollments.ts"

const app = useTestApp()
const arrange = () => arrangeEnrollments(app)

test("the deletion of a customer ends their live enrollments with a reason, and leaves ended ones as they are", async () => {
  const { call, enroll, events, home, instance, moved, read } = await arrange()
  const { customerId } = await home(null)
  const made = async (fields: object, ...verbs: ReadonlyArray<string>) => {
    const { id } = await enroll((await instance(fields)).id, customerId, { submit: verbs.length > 0 })
    for (const verb of verbs.slice(1)) await moved(id, verb)
    return id
  }
  const live = [
    await made({ eligibility: aBattery }),
    await made({}),
    await made({}, "submit"),
    await made({}, "submit", "approve")
  ]
  const ended = [
    await made({ states: ["OR"] }),
    await made({}, "submit", "reject"),
    await made({}, "submit", "approve", "unenroll")
  ]
  expect(await Promise.all(live.map(async (id) => (await read(id)).status))).toEqual([
    "candidate",
    "eligible",
    "submitted",
    "approved"
  ])
  const before = await Promise.all(ended.map(read))
  expect((await call("DELETE", `/v1/customers/${customerId}`)).status).toBe(204)
  for (const id of live) {
    const after = await read(id)
    expect(after).toMatchObject({
      customerId,
      status: "unenrolled",
      statusReason: "The customer was deleted",
      requiredActions: []
    })
    expect(after.unenrolledAt).toBe(after.updatedAt)
  }
  expect(await Promise.all(ended.map(read))).toEqual(before)
  expect((await events()).at(-1).type).toBe("CUSTOMER_DELETED")
})

test("the deletion of a site ends the enrollments of that site, and not those of all sites of its customers", async () => {
  const { call, enroll, home, instance, read } = await arrange()
  const { customerId, siteId } = await home()
  const ofSite = await enroll((await instance()).id, customerId, { siteId })
  const ofAll = await enroll((await instance()).id, customerId)
  expect((await call("DELETE", `/v1/sites/${siteId}`)).status).toBe(204)
  expect(await read(ofSite.id)).toMatchObject({ status: "unenrolled", statusReason: "The site was deleted", siteId })
  expect(await read(ofAll.id)).toMatchObject({ status: "submitted", statusReason: null })
})

test("a workspace is deleted with its enrollments", async () => {
  const { call, customer, enroll, instance, organizationId, workspaceId } = await arrange()
  // An organization keeps a management key.
  await app.workspace(organizationId)
  const { id } = await enroll((await instance()).id, (await customer()).id)
  expect((await call("DELETE", `/v1/workspaces/${workspaceId}`, undefined, "MANAGEMENT")).status).toBe(204)
  expect(await app.sql((sql) => sql`SELECT id FROM enrollments WHERE id = ${id}`)).toEqual([])
})
