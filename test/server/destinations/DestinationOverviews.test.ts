import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDestinations } from "./arrangeDestinations.ts"
import { type Receiver, startReceiver } from "../../support/peers/webhookReceiver.ts"

const app = useTestApp({ own: true })
const nobody = `c${"0".repeat(24)}`
const path = "/dashboard/api/destinations"

let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())
beforeEach(() => receiver.respond((response) => response.writeHead(204).end()))

describeKeyChecks(app, [
  { method: "GET", path, allowed: ["MANAGEMENT"] },
  { method: "GET", path: `${path}/${nobody}`, allowed: ["MANAGEMENT"] },
  { method: "POST", path: `${path}/${nobody}/deactivate`, allowed: ["MANAGEMENT"] },
  { method: "GET", path: `/dashboard/api/events/${nobody}/deliveries`, allowed: ["MANAGEMENT"] }
])

const arrange = async (organizationId?: string) => {
  const arranged = await arrangeDestinations(app, organizationId)
  const operate = (method: string, to: string, body?: object) =>
    arranged.call(method, to, body, arranged.keys.MANAGEMENT)
  return { ...arranged, operate }
}

describe("GET /dashboard/api/destinations", () => {
  test("counts waiting and failed deliveries, and says since when a destination fails and until when it is paused", async () => {
    receiver.respond((response) => response.writeHead(500).end("down"))
    const { attempted, customer, deliverUntil, deliveries, destination, operate, timePasses } = await arrange()
    const { id } = await destination({ url: receiver.url })
    const quiet = await destination({ url: receiver.url, eventTypes: ["SITE_CREATED"] })
    await customer()
    await customer()
    await deliverUntil("each is tried", async () => (await attempted(id, 1)) && (await attempted(id, 1, 1)))
    for (const attempts of [2, 3]) {
      await timePasses()
      await deliverUntil("one is tried again", async () =>
        (await deliveries(id)).some((one) => one.attempts.length >= attempts)
      )
    }
    const { body, status } = await operate("GET", path)
    expect([status, body.totalItems, body.data.map((one: { id: string }) => one.id)]).toEqual([200, 2, [quiet.id, id]])
    expect(body.data[0].health).toEqual({
      pending: 0,
      oldestPendingAt: null,
      failed: 0,
      failingSince: null,
      failures: 0,
      pausedUntil: null
    })
    expect(body.data[1].health).toMatchObject({ pending: 2, failed: 0 })
    expect(body.data[1].health.failures).toBeGreaterThanOrEqual(3)
    expect(Date.parse(body.data[1].health.failingSince)).not.toBeNaN()
    expect(Date.parse(body.data[1].health.oldestPendingAt)).not.toBeNaN()
    expect((await operate("GET", `${path}/${id}`)).body).toMatchObject({ id, health: { pending: 2 } })
    await app.sql((sql) => sql`UPDATE deliveries SET status = 'failed' WHERE destination_id = ${id}`)
    expect((await operate("GET", `${path}/${id}`)).body.health).toMatchObject({
      pending: 0,
      failed: 2,
      oldestPendingAt: null
    })
  })

  test("shows no secret: neither the URL behind its host, nor the signing secret, nor values of headers", async () => {
    const { call, destination, operate } = await arrange()
    const made = await destination({ url: `${receiver.url}/hook-token`, headers: { "X-Team": "header-secret" } })
    for (const to of [path, `${path}/${made.id}`]) {
      const { body, text } = await operate("GET", to)
      for (const secret of ["hook-token", made.secret, "header-secret"]) expect(text).not.toContain(secret)
      const shown = to === path ? body.data[0] : body
      expect(shown).toMatchObject({ headerNames: ["X-Team"], isSigned: true, previousSecretUntil: null })
    }
    await call("POST", `/v1/destinations/${made.id}/rotate-secret`)
    const until = Date.parse((await operate("GET", `${path}/${made.id}`)).body.previousSecretUntil)
    expect(Math.abs(until - Date.now() - 86_400_000)).toBeLessThan(60_000)
  })

  test("404 NOT_FOUND a destination of another workspace, which is in no list either", async () => {
    const { destination } = await arrange()
    const { id } = await destination({ url: receiver.url })
    const stranger = await arrange()
    expect((await stranger.operate("GET", path)).body.totalItems).toBe(0)
    expectError(await stranger.operate("GET", `${path}/${id}`), 404, "NOT_FOUND")
    expectError(await stranger.operate("POST", `${path}/${id}/deactivate`), 404, "NOT_FOUND")
  })
})

describe("POST /dashboard/api/destinations/:id/deactivate", () => {
  test("keeps what waits until the destination is activated, and is in the audit log once", async () => {
    receiver.respond((response) => response.writeHead(500).end())
    const { attempted, begin, customer, deliveries, deliverUntil, destination, ok, operate, timePasses } =
      await arrange()
    const { id } = await destination({ url: receiver.url })
    await customer()
    await deliverUntil("it is tried", () => attempted(id, 1))
    const deactivated = await operate("POST", `${path}/${id}/deactivate`)
    expect(deactivated.body).toMatchObject({
      deactivatedReason: "Deactivated by an operator",
      health: { pending: 1, pausedUntil: null }
    })
    expect((await operate("POST", `${path}/${id}/deactivate`)).body.deactivatedAt).toBe(deactivated.body.deactivatedAt)
    receiver.respond((response) => response.writeHead(204).end())
    await timePasses()
    await begin()
    expect((await deliveries(id))[0].attempts).toHaveLength(1)
    await ok("POST", `/v1/destinations/${id}/activate`)
    await deliverUntil("it arrives", async () => (await deliveries(id))[0].status === "succeeded")
    const { body } = await operate("GET", `/v1/audit-logs?action=destination.deactivate&resourceId=${id}`)
    expect(body.data.map((one: { after: object }) => one.after)).toEqual([
      expect.objectContaining({ deactivated: true })
    ])
  })
})

describe("GET /dashboard/api/events/:id/deliveries", () => {
  test("lists the delivery of an event to each destination that subscribes to it", async () => {
    const { customer, deliveries, deliverUntil, destination, ok, operate } = await arrange()
    const first = await destination({ url: receiver.url })
    const second = await destination({ url: receiver.url })
    const other = await destination({ url: receiver.url, eventTypes: ["SITE_CREATED"] })
    await customer()
    await deliverUntil("both get it", async () =>
      [await deliveries(first.id), await deliveries(second.id)].every(([one]) => one?.status === "succeeded")
    )
    const [event] = (await ok("GET", "/v1/events?type=CUSTOMER_CREATED")).data
    const { body, status } = await operate("GET", `/dashboard/api/events/${event.id}/deliveries`)
    expect(status).toBe(200)
    expect(body.data.map((one: { destinationId: string }) => one.destinationId).toSorted()).toEqual(
      [first.id, second.id].toSorted()
    )
    expect(body.data).toContainEqual((await deliveries(first.id))[0])
    expect(body.data).not.toContainEqual(expect.objectContaining({ destinationId: other.id }))
    const stranger = await arrange()
    expectError(await stranger.operate("GET", `/dashboard/api/events/${event.id}/deliveries`), 404, "NOT_FOUND")
  })
})
