import { eventTypes } from "@edp/domain/events/EventType"
import { Deliveries } from "@edp/server/destinations/delivery/Deliveries"
import { FanOut } from "@edp/server/destinations/delivery/FanOut"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDestinations } from "../arrangeDestinations.ts"
import { type Receiver, startReceiver } from "../../../support/peers/webhookReceiver.ts"

const app = useTestApp({ own: true })
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())
beforeEach(() => {
  receiver.received.length = 0
  receiver.respond((response) => response.writeHead(204).end())
})

const arrange = () => arrangeDestinations(app)
const minuteAgo = () => new Date(Date.now() - 60_000).toISOString()
const fails = () => receiver.respond((response) => response.writeHead(500).end())
const works = () => receiver.respond((response) => response.writeHead(204).end())

/** A destination with as many deliveries as there are letters, the first ones succeeded. */
const withDeliveries = async (count: number) => {
  const arranged = await arrange()
  const { customer, deliveries, deliverUntil, destination } = arranged
  const { id } = await destination({ url: receiver.url })
  for (let n = 0; n < count; n++) await customer({ firstName: `Customer ${n}` })
  await deliverUntil("all arrive", async () => (await deliveries(id, "&status=succeeded")).length === count)
  return { ...arranged, id }
}

describe("GET /v1/destinations/:id/deliveries", () => {
  test("200 newest first, by page and by cursor alike, and by status", async () => {
    const { call, id, ok } = await withDeliveries(5)
    const path = `/v1/destinations/${id}/deliveries`
    const all = await ok("GET", path)
    expect(all).toMatchObject({ totalItems: 5, totalPages: 1, page: 1 })
    const ids = all.data.map((one: any) => one.id)
    expect(ids).toEqual(ids.toSorted().toReversed())
    const walked: Array<string> = []
    let cursor: string | null = null
    do {
      const reply = await call("GET", `${path}?perPage=2${cursor === null ? "" : `&cursor=${cursor}`}`)
      walked.push(...reply.body.data.map((one: any) => one.id))
      cursor = reply.headers.get("x-next-cursor")
    } while (cursor !== null)
    expect(walked).toEqual(ids)
    expect((await ok("GET", `${path}?status=failed`)).totalItems).toBe(0)
  })

  test("400 VALIDATION_ERROR page with cursor, a foreign cursor, and an unknown status", async () => {
    const { call, id } = await withDeliveries(1)
    const path = `/v1/destinations/${id}/deliveries`
    for (const query of ["page=1&cursor=x", "cursor=x", "status=lost"]) {
      expect((await call("GET", `${path}?${query}`)).body.code).toBe("VALIDATION_ERROR")
    }
  })
})

describe("GET /v1/destinations/:id/deliveries/:deliveryId", () => {
  test("200 returns the delivery with its attempts, as in the list", async () => {
    const { deliveries, id, ok } = await withDeliveries(1)
    const [delivery] = await deliveries(id)
    expect(await ok("GET", `/v1/destinations/${id}/deliveries/${delivery.id}`)).toEqual(delivery)
    expect(delivery.attempts).toMatchObject([{ statusCode: 204, error: null }])
  })

  test("404 NOT_FOUND a delivery of another destination or workspace, and an unknown one", async () => {
    const { call, deliveries, destination, id } = await withDeliveries(1)
    const [{ id: deliveryId }] = (await deliveries(id)) as [any]
    const other = await destination({ url: receiver.url })
    const foreign = await arrange()
    for (const reply of [
      await call("GET", `/v1/destinations/${other.id}/deliveries/${deliveryId}`),
      await foreign.call("GET", `/v1/destinations/${id}/deliveries/${deliveryId}`),
      await call("GET", `/v1/destinations/${id}/deliveries/${id}`),
      await call("GET", `/v1/destinations/${id}/deliveries/none`)
    ]) {
      expectError(reply, 404, "NOT_FOUND")
    }
  })
})

describe("POST /v1/destinations/:id/test", () => {
  test.each(eventTypes)("200 sends a sample of the given type: %s", async (type) => {
    const { destination, ok } = await arrange()
    const { id } = await destination({ url: receiver.url, eventTypes: ["CUSTOMER_CREATED"] })
    expect(await ok("POST", `/v1/destinations/${id}/test`, { type })).toMatchObject({
      succeeded: true,
      statusCode: 204
    })
    expect(receiver.received.map(({ event }) => event.type)).toEqual([type])
  })

  test("200 without a type, and without a body, sends the first type of the destination", async () => {
    const { destination, ok } = await arrange()
    const { id } = await destination({ url: receiver.url, eventTypes: ["SITE_UPDATED", "CUSTOMER_CREATED"] })
    for (const body of [undefined, {}]) await ok("POST", `/v1/destinations/${id}/test`, body)
    expect(receiver.received.map(({ event }) => event.type)).toEqual(["SITE_UPDATED", "SITE_UPDATED"])
  })

  test("400 VALIDATION_ERROR an unknown type", async () => {
    const { call, destination } = await arrange()
    const { id } = await destination({ url: receiver.url })
    expectError(await call("POST", `/v1/destinations/${id}/test`, { type: "SUNRISE" }), 400, "VALIDATION_ERROR", {
      type: expect.stringContaining("Must be one of")
    })
    expect(receiver.received).toEqual([])
  })
})

describe("redelivery and replay", () => {
  test("a redelivery has the same event id and stays one delivery", async () => {
    const { deliveries, deliverUntil, id, ok } = await withDeliveries(1)
    const [{ id: deliveryId, eventId }] = (await deliveries(id)) as [any]
    const again = await ok("POST", `/v1/destinations/${id}/deliveries/${deliveryId}/redeliver`)
    expect(again).toMatchObject({ id: deliveryId, eventId, status: "pending", completedAt: null })
    await deliverUntil("it arrives again", async () => (await deliveries(id))[0].attempts.length === 2)
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([eventId, eventId])
  })

  test("404 NOT_FOUND a delivery of another destination", async () => {
    const { call, deliveries, destination, id } = await withDeliveries(1)
    const other = await destination({ url: receiver.url })
    const [{ id: deliveryId }] = (await deliveries(id)) as [any]
    const reply = await call("POST", `/v1/destinations/${other.id}/deliveries/${deliveryId}/redeliver`)
    expectError(reply, 404, "NOT_FOUND")
  })

  test("a replay resends everything of the span in the order of each subject, and with failedOnly only the failed deliveries", async () => {
    const { customer, deliveries, deliverUntil, destination, ok } = await arrange()
    const { id } = await destination({ url: receiver.url, eventTypes: ["CUSTOMER_CREATED", "CUSTOMER_UPDATED"] })
    const made = await customer()
    for (const firstName of ["A", "B", "C"]) await ok("PATCH", `/v1/customers/${made.id}`, { firstName })
    await deliverUntil("all arrive", () => receiver.received.length === 4)
    await deliverUntil("all are recorded", async () => (await deliveries(id, "&status=succeeded")).length === 4)
    const sequences = receiver.received.map(({ event }) => event.sequence)
    expect(await ok("POST", `/v1/destinations/${id}/replay`, { from: minuteAgo(), failedOnly: true })).toEqual({
      deliveries: 0
    })
    expect(await ok("POST", `/v1/destinations/${id}/replay`, { from: minuteAgo() })).toEqual({ deliveries: 4 })
    await deliverUntil("all arrive again", () => receiver.received.length === 8)
    expect(receiver.received.slice(4).map(({ event }) => event.sequence)).toEqual(sequences)

    await deliverUntil("all are recorded", async () => (await deliveries(id, "&status=succeeded")).length === 4)
    await app.sql(
      (sql) => sql`UPDATE deliveries SET status = 'failed' WHERE destination_id = ${id} AND sequence > ${sequences[1]}`
    )
    expect(await ok("POST", `/v1/destinations/${id}/replay`, { from: minuteAgo(), failedOnly: true })).toEqual({
      deliveries: 2
    })
    await deliverUntil("both arrive", () => receiver.received.length === 10)
    expect(receiver.received.slice(8).map(({ event }) => event.sequence)).toEqual(sequences.slice(2))
  })

  test("400 VALIDATION_ERROR a span that began more than 30 days ago, or whose end is before its start", async () => {
    const { call, id } = await withDeliveries(1)
    const replay = (body: object) => call("POST", `/v1/destinations/${id}/replay`, body)
    const old = new Date(Date.now() - 31 * 86_400_000).toISOString()
    expectError(await replay({ from: old }), 400, "VALIDATION_ERROR", { from: expect.stringMatching(/30 days/) })
    const backwards = { from: minuteAgo(), to: old }
    expectError(await replay(backwards), 400, "VALIDATION_ERROR", { to: expect.any(String) })
  })

  test("400 INVALID_STATE while the destination is deactivated", async () => {
    const { call, deliveries, id } = await withDeliveries(1)
    const [{ id: deliveryId }] = (await deliveries(id)) as [any]
    await app.sql((sql) => sql`UPDATE destinations SET deactivated_at = now() WHERE id = ${id}`)
    const on = `/v1/destinations/${id}`
    expectError(await call("POST", `${on}/deliveries/${deliveryId}/redeliver`), 400, "INVALID_STATE")
    expectError(await call("POST", `${on}/replay`, { from: minuteAgo() }), 400, "INVALID_STATE")
  })
})

describe("a destination that fails", () => {
  test("for five days without a success is deactivated by the next failure, and keeps its waiting deliveries", async () => {
    const { attempted, customer, deliveries, deliverUntil, destination, ok, timePasses } = await arrange()
    const { id } = await destination({ url: receiver.url })
    await customer()
    fails()
    await deliverUntil("it has failed", () => attempted(id, 1))
    const failing = (age: string) =>
      app.sql((sql) => sql`UPDATE destinations SET failing_since = now() - ${age}::interval WHERE id = ${id}`)
    await failing("4 days 23 hours")
    await timePasses()
    await deliverUntil("it has failed again", () => attempted(id, 2))
    expect((await ok("GET", `/v1/destinations/${id}`)).deactivated).toBe(false)
    await failing("5 days")
    await timePasses()
    await deliverUntil("it has failed once more", () => attempted(id, 3))
    expect(await ok("GET", `/v1/destinations/${id}`)).toMatchObject({
      deactivated: true,
      deactivatedReason: "Every delivery has failed for 5 days"
    })
    await customer()
    works()
    const reopened = await ok("POST", `/v1/destinations/${id}/activate`)
    expect(reopened).toMatchObject({ deactivated: false, deactivatedAt: null, deactivatedReason: null })
    const later = await customer()
    await deliverUntil(
      "what waited and what comes later arrive",
      async () => (await deliveries(id, "&status=succeeded")).length === 2
    )
    // A replay brings the events of the time while it was deactivated.
    expect(receiver.received.at(-1)!.event.data.customer.id).toBe(later.id)
    expect(await deliveries(id)).toHaveLength(2)
  })

  test("and then succeeds is healthy again: its five days start anew", async () => {
    const { attempted, customer, deliveries, deliverUntil, destination, timePasses } = await arrange()
    const { id } = await destination({ url: receiver.url })
    await customer()
    fails()
    await deliverUntil("it has failed", () => attempted(id, 1))
    works()
    await timePasses()
    await deliverUntil("it arrives", async () => (await deliveries(id))[0].status === "succeeded")
    const [row] = await app.sql((sql) => sql`SELECT failing_since FROM destinations WHERE id = ${id}`)
    expect(row).toEqual({ failing_since: null })
  })

  test("is probed with one delivery while its backlog waits, and gets everything when it responds again", async () => {
    const { customer, deliveries, deliverUntil, destination, timePasses } = await arrange()
    const { id } = await destination({ url: receiver.url })
    for (let n = 0; n < 30; n++) await customer({ firstName: `${n}` })
    fails()
    await deliverUntil("some have failed", async () =>
      (await deliveries(id)).some(({ attempts }) => attempts.length > 0)
    )
    await deliverUntil("three times", async () => {
      const [queue] = await app.sql<{ failures: number }>(
        (sql) => sql`SELECT failures FROM delivery_queues WHERE destination_id = ${id}`
      )
      if (queue!.failures < 3) await timePasses()
      return queue!.failures >= 3
    })
    const before = receiver.received.length
    await timePasses()
    await deliverUntil("it is probed", () => receiver.received.length > before)
    expect(receiver.received.length).toBe(before + 1)
    works()
    await deliverUntil("everything arrives", async () => {
      await timePasses()
      return (await deliveries(id, "&status=succeeded")).length === 30
    })
  })

  test("is retried at once when its url changes", async () => {
    const { attempted, customer, deliveries, deliverUntil, destination, ok } = await arrange()
    const { id } = await destination({ url: `${receiver.url}/old` })
    await customer()
    fails()
    await deliverUntil("it has failed", () => attempted(id, 1))
    works()
    await ok("PATCH", `/v1/destinations/${id}`, { url: `${receiver.url}/new` })
    await deliverUntil("it arrives", async () => (await deliveries(id))[0].status === "succeeded")
    expect(receiver.received.map(({ path }) => path)).toEqual(["/old", "/new"])
  })
})

describe("concurrent destinations", () => {
  test("that hang delay no others, however many there are", async () => {
    const { customer, deliveries, deliverUntil, destination } = await arrange()
    const hanging: Array<() => void> = []
    receiver.respond((response, { path }) => {
      if (path === "/hang") hanging.push(() => response.writeHead(204).end())
      else response.writeHead(204).end()
    })
    for (let n = 0; n < 6; n++) await destination({ url: `${receiver.url}/hang` })
    const { id } = await destination({ url: `${receiver.url}/well` })
    for (let n = 0; n < 20; n++) await customer({ firstName: `${n}` })
    await deliverUntil(
      "the one that responds has everything",
      async () => (await deliveries(id, "&status=succeeded")).length === 20
    )
    expect(hanging.length).toBeGreaterThan(0)
    for (const respond of hanging) respond()
  })

  test("with undecryptable secrets wait, and the others continue", async () => {
    const { customer, deliveries, deliverUntil, destination } = await arrange()
    const broken = await destination({ url: receiver.url })
    const { id } = await destination({ url: receiver.url })
    await app.sql(
      (sql) => sql`UPDATE destinations SET sealed_secret = sealed_secret || '\\x00' WHERE id = ${broken.id}`
    )
    await customer()
    await deliverUntil("the other has it", async () => (await deliveries(id))[0]?.status === "succeeded")
    expect((await deliveries(broken.id))[0]).toMatchObject({ status: "pending", attempts: [] })
  })
})

test.each(["direct", "indirect"])(
  "a waiting delivery about a deleted device is still delivered: %s integration",
  async (kind) => {
    const { deliveries, deliverUntil, destination, keys, ok, timePasses } = await arrange()
    const eventTypes = ["DEVICE_UPDATED", "DEVICE_DISCONNECTED"]
    const { id } = await destination({ url: receiver.url, eventTypes, deviceType: "SOLAR_INVERTERS" })
    const others = await destination({ url: receiver.url, eventTypes, deviceType: "UNKNOWN" })
    const [model] = (await ok("GET", "/v1/device-models?manufacturer=generic&type=inverter")).data
    const address = { streetOne: "2 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    const site = await ok("POST", "/v1/sites", { address })
    const key = keys.MANUFACTURER
    const body = { manufacturerDeviceId: kind, deviceModelId: model.id, siteId: site.id }
    const device = (await app.call("POST", "/devices", { key, body })).body
    await app.call("POST", `/devices/${device.id}/telemetry`, { key, body: { state: { power: 21 } } })
    if (kind === "indirect") await app.sql((sql) => sql`UPDATE devices SET direct = false WHERE id = ${device.id}`)
    fails()
    await deliverUntil("the first has failed", async () => (await deliveries(id))[0]?.attempts.length === 1)
    expect((await app.call("DELETE", `/v1/devices/${device.id}`, { key: keys.SERVER })).status).toBe(204)
    works()
    await timePasses()
    await deliverUntil("both arrive", async () => (await deliveries(id, "&status=succeeded")).length === 2)
    // The receiver is shared: a retry of another test may arrive in between.
    const events = receiver.received.map(({ event }) => event).filter(({ data }) => data.device?.id === device.id)
    const [updated, disconnected] = events.slice(1)
    expect(updated).toMatchObject({
      type: "DEVICE_UPDATED",
      data: { device: { id: device.id, state: { power: 21 } }, site: { id: site.id }, changed: ["state"] }
    })
    expect(disconnected).toMatchObject({ type: "DEVICE_DISCONNECTED", data: { device: { id: device.id } } })
    expect(await deliveries(others.id)).toEqual([])
  }
)

describe("the fan-out", () => {
  test("sends events of devices to destinations of their group, and events without a device to all", async () => {
    const { customer, deliveries, fanOut, destination, keys, ok } = await arrange()
    const eventTypes = ["DEVICE_DISCOVERED", "CUSTOMER_CREATED"]
    const groups = ["ALL", "SOLAR_INVERTERS", "BATTERIES", "OTHER", null] as const
    const made = []
    for (const deviceType of groups) made.push(await destination({ url: receiver.url, eventTypes, deviceType }))
    const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    const site = await ok("POST", "/v1/sites", { address })
    for (const type of ["inverter", "meter"]) {
      const [model] = (await ok("GET", `/v1/device-models?manufacturer=generic&type=${type}`)).data
      const body = { manufacturerDeviceId: type, deviceModelId: model.id, siteId: site.id }
      expect((await app.call("POST", "/devices", { key: keys.MANUFACTURER, body })).status).toBe(201)
    }
    await customer()
    await fanOut()
    const counts = await Promise.all(
      made.map(
        async ({ id }) => (await deliveries(id)).filter(({ eventType }) => eventType === "DEVICE_DISCOVERED").length
      )
    )
    expect(counts).toEqual([2, 1, 0, 1, 2])
    for (const { id } of made) {
      expect((await deliveries(id)).filter(({ eventType }) => eventType === "CUSTOMER_CREATED")).toHaveLength(1)
    }
  })

  test("moves the cursor of an idle workspace without losing later events", async () => {
    const [idle, other] = [await arrange(), await arrange()]
    const { id } = await idle.destination({ url: receiver.url })
    await app.sql(
      (sql) => sql`UPDATE event_cursors SET since = now() - interval '20 days' WHERE workspace_id = ${idle.workspaceId}`
    )
    await other.destination({ url: receiver.url })
    await other.customer()
    const skip = () => app.run(Effect.flatMap(FanOut, ({ skipIdle }) => skipIdle) as Effect.Effect<void>)
    await skip()
    const cursors = await app.sql<{ readonly workspace_id: string }>(
      (sql) => sql`SELECT workspace_id FROM event_cursors WHERE since > now() - interval '1 minute'
        AND sequence = (SELECT max(sequence) FROM events) AND workspace_id IN (${idle.workspaceId}, ${other.workspaceId})`
    )
    // The other one's event is still to be given out.
    expect(cursors).toEqual([{ workspace_id: idle.workspaceId }])
    await idle.customer()
    await skip()
    await idle.fanOut()
    expect(await idle.deliveries(id)).toHaveLength(1)
  })

  test("sends no events of another workspace", async () => {
    const [one, other] = [await arrange(), await arrange()]
    const { id } = await one.destination({ url: receiver.url })
    await other.destination({ url: receiver.url })
    await other.customer()
    await one.fanOut()
    expect(await one.deliveries(id)).toEqual([])
  })
})

describe("the cleanup", () => {
  test("deletes deliveries older than the retention of events, with their attempts, and those of deleted destinations", async () => {
    const { call, customer, deliveries, deliverUntil, destination, id } = await withDeliveries(2)
    const old = await deliveries(id)
    await app.sql(
      (sql) => sql`WITH renamed AS (
          INSERT INTO deliveries SELECT ('c0' || substr(id, 3)) AS id, destination_id, subject, lane, sequence, 'x' || event_id, event_type,
            status, failures, next_attempt_at, created_at, completed_at FROM deliveries WHERE destination_id = ${id} RETURNING id)
        INSERT INTO delivery_attempts SELECT id, now(), 204, 1, NULL, NULL FROM renamed`
    )
    const gone = await destination({ url: receiver.url })
    await customer()
    await deliverUntil("it arrives", async () => (await deliveries(gone.id))[0]?.status === "succeeded")
    await call("DELETE", `/v1/destinations/${gone.id}`)
    await app.run(Effect.flatMap(Deliveries, ({ clear }) => clear) as Effect.Effect<void>)
    const left = await deliveries(id)
    expect(left.map((one) => one.id)).toEqual(expect.arrayContaining(old.map((one) => one.id)))
    expect(left.every((one) => !one.id.startsWith("c0"))).toBe(true)
    for (const table of ["deliveries", "delivery_queues", "delivery_lanes"]) {
      expect(await app.sql((sql) => sql`SELECT 1 FROM ${sql(table)} WHERE destination_id = ${gone.id}`)).toEqual([])
    }
    expect(
      await app.sql(
        (sql) => sql`SELECT 1 FROM delivery_attempts WHERE NOT EXISTS (SELECT FROM deliveries WHERE id = delivery_id)`
      )
    ).toEqual([])
  })
})

test("the work of a process that died is delivered when its lease ends", async () => {
  const { deliveries, deliverUntil, id } = await withDeliveries(1)
  await app.sql(
    (
      sql
    ) => sql`WITH lost AS (UPDATE deliveries SET status = 'pending', completed_at = NULL WHERE destination_id = ${id}
        RETURNING destination_id, lane, sequence)
      INSERT INTO delivery_lanes (destination_id, lane, due_at, claim, newest)
      SELECT destination_id, lane, now() + interval '1 second', gen_random_uuid(), sequence FROM lost`
  )
  await deliverUntil("it is delivered again", () => receiver.received.length === 2)
  await deliverUntil("it is recorded", async () => (await deliveries(id))[0].status === "succeeded")
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
})
