import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
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

describe("a webhook", () => {
  test("receives events, signed so that a third-party verifier accepts them", async () => {
    const { customer, deliveries, deliverUntil, destination } = await arrange()
    const { id, secret } = await destination({ url: `${receiver.url}/in`, headers: { "X-Team": "operations" } })
    const made = await customer({ firstName: "Ada" })
    await deliverUntil("it arrives", () => receiver.received.length === 1)
    const [{ event, headers, path, text }] = receiver.received as [Receiver["received"][number]]
    expect([path, headers["x-team"], headers["webhook-id"]]).toEqual(["/in", "operations", event.id])
    expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toEqual(event)
    expect([event.type, event.data.customer.id]).toEqual(["CUSTOMER_CREATED", made.id])
    await deliverUntil("it is recorded", async () => (await deliveries(id))[0].status === "succeeded")
    const [delivery] = await deliveries(id)
    expect(delivery).toMatchObject({ eventId: event.id, eventType: "CUSTOMER_CREATED", nextAttemptAt: null })
    expect(delivery.attempts).toMatchObject([{ statusCode: 204, error: null, responseBody: null }])
  })

  test("receives no events from before its creation, nor types without a subscription", async () => {
    const { customer, deliverUntil, destination, ok } = await arrange()
    await customer()
    await destination({ url: receiver.url })
    const made = await customer()
    await ok("PATCH", `/v1/customers/${made.id}`, { firstName: "Bo" })
    const last = await customer()
    await deliverUntil("the last one arrives", () => receiver.received.length >= 2)
    expect(receiver.received.map(({ event }) => event.data.customer.id).toSorted()).toEqual(
      [made.id, last.id].toSorted()
    )
  })

  test("receives the events of one subject in order: a later one waits for a failing one", async () => {
    const { attempted, customer, deliveries, deliverUntil, destination, ok, timePasses } = await arrange()
    const { id } = await destination({ url: receiver.url, eventTypes: ["CUSTOMER_CREATED", "CUSTOMER_UPDATED"] })
    const made = await customer()
    await ok("PATCH", `/v1/customers/${made.id}`, { firstName: "Bo" })
    receiver.respond((response) => response.writeHead(500).end("not now"))
    await deliverUntil("the first has failed", () => attempted(id, 1, 1))
    expect(receiver.received).toHaveLength(1)
    expect((await deliveries(id))[1].attempts[0]).toMatchObject({ statusCode: 500, responseBody: "not now" })
    receiver.respond((response) => response.writeHead(200).end())
    await timePasses()
    await deliverUntil("both arrive", () => receiver.received.length === 3)
    const types = receiver.received.map(({ event }) => event.type)
    expect(types).toEqual(["CUSTOMER_CREATED", "CUSTOMER_CREATED", "CUSTOMER_UPDATED"])
    expect(new Set(receiver.received.slice(0, 2).map(({ headers }) => headers["webhook-id"])).size).toBe(1)
  })

  test("is overtaken by later events after three retries, and keeps its id and remaining retries", async () => {
    const { attempted, customer, deliveries, deliverUntil, destination, ok, timePasses } = await arrange()
    const { id } = await destination({ url: receiver.url, eventTypes: ["CUSTOMER_CREATED", "CUSTOMER_UPDATED"] })
    const made = await customer()
    await ok("PATCH", `/v1/customers/${made.id}`, { firstName: "Bo" })
    receiver.respond((response, { event }) => response.writeHead(event.type === "CUSTOMER_CREATED" ? 503 : 200).end())
    for (const failures of [1, 2, 3, 4]) {
      await deliverUntil(`${failures} failed`, () => attempted(id, failures, 1))
      if (failures < 4) {
        expect(receiver.received).toHaveLength(failures)
        await timePasses()
      }
    }
    await deliverUntil("the later one has passed", async () => (await deliveries(id))[0].status === "succeeded")
    expect((await deliveries(id))[1].status).toBe("pending")
    const [late, passing] = receiver.received.slice(-2).map(({ event }) => event)
    expect([late.type, passing.type]).toEqual(["CUSTOMER_CREATED", "CUSTOMER_UPDATED"])
    for (const failures of [5, 6, 7, 8, 9]) {
      await timePasses()
      await deliverUntil(`${failures} failed`, () => attempted(id, failures, 1))
    }
    expect((await deliveries(id))[1]).toMatchObject({ status: "failed", nextAttemptAt: null })
    // Every repeat that comes after the newer event says by its sequence that it is older.
    const repeats = receiver.received.slice(5).map(({ event }) => event)
    expect(repeats).toEqual(Array(5).fill(late))
    expect(late.sequence).toBeLessThan(passing.sequence)
  })

  test("is deactivated at once by 410, and continues after activation", async () => {
    const { call, customer, deliveries, deliverUntil, destination, ok } = await arrange()
    const { id } = await destination({ url: receiver.url })
    await customer()
    receiver.respond((response) => response.writeHead(410).end())
    await deliverUntil("it is deactivated", async () => (await ok("GET", `/v1/destinations/${id}`)).deactivated)
    expect((await ok("GET", `/v1/destinations/${id}`)).deactivatedReason).toBe("The receiver answered 410 Gone")
    receiver.respond((response) => response.writeHead(204).end())
    const [{ id: deliveryId }] = (await deliveries(id)) as [{ id: string }]
    expect((await call("POST", `/v1/destinations/${id}/deliveries/${deliveryId}/redeliver`)).body.code).toBe(
      "INVALID_STATE"
    )
    expect((await ok("POST", `/v1/destinations/${id}/activate`)).deactivated).toBe(false)
    await ok("POST", `/v1/destinations/${id}/deliveries/${deliveryId}/redeliver`)
    await deliverUntil("it arrives", async () => (await deliveries(id))[0].status === "succeeded")
  })

  test("is signed with the old and the new secret after a rotation", async () => {
    const { customer, deliverUntil, destination, ok } = await arrange()
    const { id, secret } = await destination({ url: receiver.url })
    const rotated = await ok("POST", `/v1/destinations/${id}/rotate-secret`)
    expect(rotated.secret).not.toBe(secret)
    await customer()
    await deliverUntil("it arrives", () => receiver.received.length === 1)
    const [{ headers, text }] = receiver.received as [Receiver["received"][number]]
    for (const each of [secret, rotated.secret]) new Webhook(each).verify(text, headers as Record<string, string>)
  })

  test("receives a sample from a test at once, which returns the response", async () => {
    const { deliveries, destination, ok } = await arrange()
    const { id, secret } = await destination({ url: receiver.url })
    receiver.respond((response) => response.writeHead(202).end("thanks"))
    const result = await ok("POST", `/v1/destinations/${id}/test`)
    expect(result).toMatchObject({ succeeded: true, statusCode: 202, error: null, responseBody: "thanks" })
    const [{ headers, text }] = receiver.received as [Receiver["received"][number]]
    new Webhook(secret).verify(text, headers as Record<string, string>)
    expect(await deliveries(id)).toEqual([])
  })

  test("receives earlier events once by a replay", async () => {
    const { customer, deliverUntil, destination, ok } = await arrange()
    const from = new Date(Date.now() - 60_000).toISOString()
    await customer()
    await customer()
    const { id } = await destination({ url: receiver.url })
    expect(await ok("POST", `/v1/destinations/${id}/replay`, { from })).toEqual({ deliveries: 2 })
    expect(await ok("POST", `/v1/destinations/${id}/replay`, { from })).toEqual({ deliveries: 0 })
    await deliverUntil("both arrive", () => receiver.received.length === 2)
  })
})
