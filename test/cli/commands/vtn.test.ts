import { describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeScopes } from "../../server/vtn/enrolled-sites/arrangeScopes.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp({ own: true })

const arrange = async () => {
  const world = await arrangeScopes(app)
  const edp = makeCli(app, world, {
    EDP_DATA_DIR: "/nonexistent",
    EDP_URL: app.url,
    EDP_KEY_MANAGEMENT: world.keys.MANAGEMENT,
    EDP_KEY_SERVER: world.keys.SERVER
  })
  return { ...world, edp: (...args: ReadonlyArray<string>) => edp("vtn", ...args) }
}

const vens = ["clients", "create", "--name", "Aggregator", "--role", "ven"]

describe("edp vtn", () => {
  test("clients create takes the enrollments whose sites a ven sees, and list shows them", async () => {
    const { edp, enrolled, instance } = await arrange()
    const one = await enrolled()
    const other = await enrolled()
    const ids = [one.enrollmentId, other.enrollmentId]
    const created = async (...flags: ReadonlyArray<string>) => (await edp(...vens, ...flags, "--json")).json().scope
    expect(await created()).toBeNull()
    expect(await created("--customer", one.customerId)).toEqual({ customerId: one.customerId })
    expect(await created("--program-instance", instance.id)).toEqual({ programInstanceId: instance.id })
    expect(await created("--enrollment", ids[0]!, "--enrollment", ids[1]!)).toEqual({ enrollmentIds: ids })
    expect((await edp(...vens, "--customer", one.customerId)).stdout).toContain(`customer ${one.customerId}`)
    const { stdout } = await edp("clients", "list")
    for (const text of ["none", `customer ${one.customerId}`, `program instance ${instance.id}`, "2 enrollments"]) {
      expect(stdout).toContain(text)
    }
  })

  test("clients create names the flag's field where two kinds are given, or one is unknown", async () => {
    const { edp, enrolled, instance } = await arrange()
    const { customerId } = await enrolled()
    const both = await edp(...vens, "--customer", customerId, "--program-instance", instance.id)
    expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining("scope.programInstanceId") })
    const unknown = await edp(...vens, "--enrollment", "nothing")
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("scope.enrollmentIds.0") })
  })

  test("reports shows the sites of reported resources", async () => {
    const { bl, edp, enrolled, instance, resources, ven } = await arrange()
    const client = await ven({ programInstanceId: instance.id })
    const { siteId } = await enrolled({ name: "Home" })
    await resources(client)
    const { id: programID } = await bl.ok("POST", "/programs", { programName: "Peak" })
    const { id: eventID } = await bl.ok("POST", "/events", { programID })
    await client.ok("POST", "/reports", {
      eventID,
      clientName: "v",
      resources: [{ resourceName: "Home", intervals: [] }]
    })
    expect((await edp("reports")).stdout).toContain(siteId)
    expect((await edp("reports", "--json")).json()).toMatchObject({ data: [{ resources: [{ siteId }] }] })
  })
})
