import { expect, test } from "vitest"
import { rounds, testSeed as seed } from "../../support/rounds.ts"
import { Random } from "../../support/Random.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { type EnrollmentScene, arrangeEnrollments, atLeast } from "./arrangeEnrollments.ts"
import { type Expected, EnrollmentModel, type ModelEnrollment, type ModelSite } from "./EnrollmentModel.ts"

const RUNS = rounds(5)
const STEPS = 120

// The sweep looks at the candidates of all workspaces.
const app = useTestApp({ own: true })

const capacities = [5000, 10_000, 13_500]

/** A sequence of requests, each of which is compared with the model. */
class EnrollmentHistory {
  readonly model = new EnrollmentModel()
  /** The requests that were refused, by code. */
  readonly refusals = new Map<string, number>()
  /** The number of enrollments that were made. */
  made = 0

  private readonly scene: EnrollmentScene
  private readonly random: Random

  constructor(scene: EnrollmentScene, random: Random) {
    this.scene = scene
    this.random = random
  }

  private expectResponse(response: any, expected: Expected) {
    if ("code" in expected) {
      expect([response.status, response.body.code]).toEqual([
        expected.code.endsWith("NOT_FOUND") ? 404 : 400,
        expected.code
      ])
      this.refusals.set(expected.code, (this.refusals.get(expected.code) ?? 0) + 1)
    } else expect([response.body.status, response.text]).toEqual([expected.status, response.text])
  }

  async addHome() {
    const { customerId, siteId } = await this.scene.home(null)
    this.model.homes.push({ customerId, siteId, batteries: [], customerDeleted: false, siteDeleted: false })
  }

  async addInstance() {
    const least = this.random.pick([null, ...capacities])
    const { id, programSlug } = await this.scene.instance({ eligibility: least && atLeast(least) })
    this.model.instances.push({ id, programSlug, least, isOpen: true })
  }

  private async arrive(home: ModelSite) {
    if (home.siteDeleted) return
    const capacity = this.random.pick(capacities)
    await this.scene.device({ type: "battery", siteId: home.siteId, staticState: { capacity } })
    home.batteries.push(capacity)
  }

  private async enroll() {
    const { model, random, scene } = this
    const [instance, home] = [random.pick(model.instances), random.pick(model.homes)]
    const [submits, namesSite] = [random.chance(0.6), random.chance(0.5)]
    const body = {
      identificationType: "customerId",
      customerId: home.customerId,
      ...(namesSite && { siteId: home.siteId }),
      ...(!submits && { submit: false })
    }
    const expected = model.expectEnroll(instance, home, submits, namesSite)
    // One of a request of many gets the same response.
    const response = random.chance(0.7)
      ? await scene.post(instance.id, body)
      : await this.enrollInBulk(instance.id, body)
    this.expectResponse(response, expected)
    if (!("status" in expected)) return
    this.made++
    model.enrolled({ id: response.body.id, instance, home, submits, namesSite }, expected.status)
  }

  private async enrollInBulk(instanceId: string, body: object) {
    const { results } = await this.scene.bulk(instanceId, [{ identificationType: "leadId" }, body])
    const { enrollment, ...result } = results[1]
    if (enrollment !== undefined) return { status: 201, body: enrollment, text: "" }
    return { status: result.code.endsWith("NOT_FOUND") ? 404 : 400, body: result, text: "" }
  }

  private async decide(enrollment: ModelEnrollment) {
    const verb = this.random.pick(["submit", "submit", "approve", "approve", "reject", "unenroll", "delete"] as const)
    if (verb === "delete") {
      const expected = this.model.remove(enrollment)
      const response = await this.scene.call("DELETE", `/v1/enrollments/${enrollment.id}`)
      if (expected === undefined) return expect(response.status).toBe(204)
      return this.expectResponse(response, expected)
    }
    const expected = verb === "submit" ? this.model.submit(enrollment) : this.model.decide(enrollment, verb)
    this.expectResponse(await this.scene.move(enrollment.id, verb), expected)
  }

  private async changeProgram() {
    const instance = this.random.pick(this.model.instances)
    if (this.random.chance(0.5)) {
      instance.isOpen = this.random.chance(0.7)
      const status = instance.isOpen ? "ACTIVE" : "INACTIVE"
      await this.scene.required(200, "PATCH", `/v1/programInstances/${instance.id}`, { status })
    } else {
      instance.least = this.random.pick([null, ...capacities])
      const eligibility = instance.least && atLeast(instance.least)
      await this.scene.required(200, "PATCH", `/v1/programs/${instance.programSlug}`, { eligibility }, "MANAGEMENT")
    }
  }

  private async remove(home: ModelSite) {
    const isCustomer = this.random.chance(0.5)
    if (isCustomer ? home.customerDeleted : home.siteDeleted) return
    const path = isCustomer ? `/v1/customers/${home.customerId}` : `/v1/sites/${home.siteId}`
    await this.scene.required(204, "DELETE", path)
    if (isCustomer) this.model.deleteCustomer(home)
    else this.model.deleteSite(home)
    await this.addHome()
  }

  async step() {
    const { model, random } = this
    const kind = random.below(100)
    if (kind < 30 || model.enrollments.length === 0) return this.enroll()
    if (kind < 75) return this.decide(random.pick(model.enrollments.slice(-12)))
    if (kind < 85) return this.arrive(random.pick(model.homes))
    if (kind < 92) return this.changeProgram()
    if (kind < 95) return this.remove(random.pick(model.homes))
    // It also judges candidates that other tests have left in the database, so its number is not compared.
    await this.scene.sweep()
    model.sweep()
  }

  /** The service's enrollments and events are those of the model. */
  async look() {
    const rows = await app.sql<{ readonly id: string; readonly status: string }>(
      (sql) => sql`SELECT id, status FROM enrollments WHERE workspace_id = ${this.scene.workspaceId} ORDER BY id`
    )
    const expected = this.model.enrollments.map(({ id, status }) => ({ id, status }))
    expect(rows).toEqual(expected.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
    const events = await app.sql<{ readonly type: string; readonly id: string }>(
      (sql) => sql`SELECT type, payload->'enrollment'->>'id' AS id FROM events
        WHERE workspace_id = ${this.scene.workspaceId} AND type LIKE 'ENROLLMENT_%' ORDER BY sequence`
    )
    const published = events.map(({ id, type }) => `${id} ${type}`)
    expect(published.toSorted()).toEqual(this.model.events.map(([type, id]) => `${id} ${type}`).toSorted())
  }
}

test.each(Array.from({ length: RUNS }, (_, run) => seed + run))(
  "any sequence of enrollments keeps to the rules, and every other transition is refused (seed %i)",
  async (each) => {
    const history = new EnrollmentHistory(await arrangeEnrollments(app), new Random(each))
    for (let n = 0; n < 8; n++) await history.addHome()
    for (let n = 0; n < 3; n++) await history.addInstance()
    for (let step = 0; step < STEPS; step++) {
      await history.step()
      await history.look()
    }
    expect(history.made).toBeGreaterThan(5)
    expect(history.refusals.get("INVALID_STATUS")).toBeGreaterThan(5)
    expect(history.refusals.get("INVALID_STATE")).toBeGreaterThan(2)
  }
)
