import { objectLimits } from "@edp/server/vtn/objects/objectLimits"
import { expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { makeVtn } from "../VtnWorld.ts"

const app = useTestApp({ own: true })
const { reportsPerEvent, resourcesPerVen, skipped } = objectLimits

const arrange = async () => {
  const vtn = await makeVtn(app)
  const [ven, other] = [await vtn.enrolled(), await vtn.enrolled()]
  const resource = (venID: string, resourceName: string) => ({
    objectType: "VEN_RESOURCE_REQUEST",
    venID,
    resourceName
  })
  const report = (eventID: string) => ({ eventID, clientName: "v", resources: [] })
  /** Copies of a resource or a report until there are so many. */
  const fill = (table: "vtn_resources" | "vtn_reports", id: string, count: number) =>
    app.sql(
      (
        sql
      ) => sql`INSERT INTO ${sql(table)} SELECT copy.* FROM ${sql(table)} object, generate_series(2, ${count}::int) n,
        jsonb_populate_record(object, jsonb_build_object('id', object.id || n, 'resource_name', 'resource-' || n)) AS copy
        WHERE object.id = ${id}`
    )
  return { ...vtn, ven, other, resource, report, fill }
}

test("a ven has at most 10,000 resources, and another one stays as it is", async () => {
  const { bl, fill, other, resource, ven } = await arrange()
  const first = await ven.ok("POST", "/resources", resource(ven.ven.id, "first"))
  await fill("vtn_resources", first.id, resourcesPerVen - 1)
  const last = await ven.ok("POST", "/resources", resource(ven.ven.id, "last"))
  const refused = await ven.call("POST", "/resources", resource(ven.ven.id, "beyond"))
  expect(refused).toMatchObject({ status: 409, body: { title: "Conflict" } })
  expect(refused.body.detail).toBe("venID: A ven has at most 10000 resources: delete others first")
  const foreign = await other.ok("POST", "/resources", resource(other.ven.id, "own"))
  const moved = await bl.call("PUT", `/resources/${foreign.id}`, {
    objectType: "BL_RESOURCE_REQUEST",
    clientID: ven.clientId,
    venID: ven.ven.id,
    resourceName: "moved"
  })
  expect(moved).toMatchObject({ status: 409 })
  await ven.ok("PUT", `/resources/${last.id}`, resource(ven.ven.id, "renamed"))
  await ven.ok("DELETE", `/resources/${last.id}`)
  await ven.ok("POST", "/resources", resource(ven.ven.id, "again"))
})

test("a client has at most 50,000 reports on an event, and replaces them as before", async () => {
  const { fill, makeEvent, other, report, ven } = await arrange()
  const [event, another] = [await makeEvent(), await makeEvent()]
  const first = await ven.ok("POST", "/reports", report(event.id))
  await fill("vtn_reports", first.id, reportsPerEvent)
  const refused = await ven.call("POST", "/reports", report(event.id))
  expect(refused).toMatchObject({ status: 409, body: { title: "Conflict" } })
  expect(refused.body.detail).toContain("eventID: A client has at most 50000 reports on an event")
  await ven.ok("PUT", `/reports/${first.id}`, { ...report(event.id), reportName: "replaced" })
  await other.ok("POST", "/reports", report(event.id))
  const elsewhere = await ven.ok("POST", "/reports", report(another.id))
  expect((await ven.call("PUT", `/reports/${elsewhere.id}`, report(event.id))).status).toBe(409)
  await ven.ok("DELETE", `/reports/${first.id}`)
  await ven.ok("POST", "/reports", report(event.id))
})

test.each(["programs", "events", "reports", "subscriptions", "vens", "resources"])(
  "a list of %s leaves out at most 100,000 objects before its page",
  async (kind) => {
    const { bl } = await makeVtn(app)
    expect(await bl.ok("GET", `/${kind}?skip=${skipped}`)).toEqual([])
    const refused = await bl.call("GET", `/${kind}?skip=${skipped + 1}`)
    expect(refused).toMatchObject({ status: 400 })
    expect(refused.body.detail).toContain("skip: Must be an integer from 0 to 100000")
  }
)
