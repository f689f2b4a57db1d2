import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Deliveries } from "@edp/server/destinations/delivery/Deliveries"
import { recipientKey } from "@edp/server/destinations/delivery/HourlyCaps"
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDestinations } from "../arrangeDestinations.ts"

/** An SMS gateway that takes every message. */
const messages: Array<string> = []
const gateway = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    messages.push(new URLSearchParams(Buffer.concat(chunks).toString("utf8")).get("Body")!)
    response
      .writeHead(201, { "content-type": "application/json" })
      .end(JSON.stringify({ sid: "SM1", status: "queued" }))
  })
})
beforeAll(() => new Promise<void>((listening) => gateway.listen(0, "127.0.0.1", listening)))
afterAll(() => new Promise<unknown>((closed) => gateway.close(closed)))
beforeEach(() => {
  messages.length = 0
})

const app = useTestApp({
  env: {
    EDP_SMS_HOURLY: "2",
    SMS_ACCOUNT: "AC00000000000000000000000000000000",
    SMS_TOKEN: "for-tests-only",
    SMS_FROM: "+19165550100",
    get SMS_API_URL() {
      return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
    }
  }
})

const arrange = async (eventType: string) => {
  const arranged = await arrangeDestinations(app)
  const fields = { destinationType: "SMS", phoneNumber: "+19165550142", eventTypes: [eventType] }
  const { id } = await arranged.destination(fields)
  const statuses = async () => (await arranged.deliveries(id)).map(({ status }) => status).toSorted()
  /** The next hour begins. */
  const hourPasses = () =>
    app.sql(
      (sql) => sql`WITH queue AS (UPDATE delivery_queues SET not_before = '-infinity' WHERE destination_id = ${id}),
        hours AS (UPDATE recipient_hours SET hour = hour - interval '1 hour' WHERE workspace_id = ${arranged.workspaceId})
        UPDATE delivery_lanes SET due_at = now() - interval '1 second' WHERE destination_id = ${id} AND claim IS NULL`
    )
  return { ...arranged, id, statuses, hourPasses }
}

const sms = (fields: object = {}) => ({ destinationType: "SMS", phoneNumber: "+19165550142", ...fields })
const tested = async ({ ok }: Awaited<ReturnType<typeof arrangeDestinations>>, id: string) =>
  ok("POST", `/v1/destinations/${id}/test`)

describe("the hourly cap of a recipient", () => {
  test("counts all destinations of a workspace with that recipient, including tests", async () => {
    const arranged = await arrangeDestinations(app)
    const one = await arranged.destination(sms())
    const other = await arranged.destination(sms({ eventTypes: ["SITE_CREATED"] }))
    expect(await tested(arranged, one.id)).toMatchObject({ succeeded: true, statusCode: 201 })
    expect(await tested(arranged, other.id)).toMatchObject({ succeeded: true })
    for (const { id } of [one, other]) {
      expect(await tested(arranged, id)).toEqual({
        succeeded: false,
        statusCode: null,
        durationMs: 0,
        error: expect.stringMatching(
          /^Not sent: the recipient has got the 2 messages of this hour; the next can be sent at \d{4}-.*:00:00\.000Z$/
        ),
        responseBody: null
      })
    }
    expect(messages).toHaveLength(2)
    await arranged.customer()
    await arranged.deliverUntil("the event waits for the next hour", async () => {
      const [queue] = await app.sql(
        (sql) => sql`SELECT 1 FROM delivery_queues WHERE destination_id = ${one.id} AND used_up AND not_before > now()`
      )
      return queue !== undefined
    })
    expect(await arranged.deliveries(one.id)).toMatchObject([{ status: "pending", attempts: [] }])
    expect(messages).toHaveLength(2)
  })

  test("is separate for each number and each workspace", async () => {
    const [mine, others] = [await arrangeDestinations(app), await arrangeDestinations(app)]
    const { id } = await mine.destination(sms())
    for (const succeeded of [true, true, false]) expect(await tested(mine, id)).toMatchObject({ succeeded })
    const theirs = await others.destination(sms())
    expect(await tested(others, theirs.id)).toMatchObject({ succeeded: true })
    await mine.ok("PATCH", `/v1/destinations/${id}`, { phoneNumber: "+19165550143" })
    expect(await tested(mine, id)).toMatchObject({ succeeded: true })
    await mine.ok("PATCH", `/v1/destinations/${id}`, { phoneNumber: "+19165550142" })
    expect(await tested(mine, id)).toMatchObject({ succeeded: false })
  })

  test("continues when a destination is deleted and created again", async () => {
    const arranged = await arrangeDestinations(app)
    const once = async () => {
      const { id } = await arranged.destination(sms())
      const { succeeded } = await tested(arranged, id)
      await arranged.ok("DELETE", `/v1/destinations/${id}`)
      return succeeded
    }
    expect([await once(), await once(), await once()]).toEqual([true, true, false])
  })

  test("is reset at the end of the hour", async () => {
    const arranged = await arrangeDestinations(app)
    const { id } = await arranged.destination(sms())
    await tested(arranged, id)
    const known = () =>
      app.sql((sql) => sql`SELECT sent FROM recipient_hours WHERE workspace_id = ${arranged.workspaceId}`)
    const clear = () => app.run(Effect.flatMap(Deliveries, (service) => service.clear) as Effect.Effect<void>)
    await clear()
    expect(await known()).toEqual([{ sent: 1 }])
    await app.sql((sql) => sql`UPDATE recipient_hours SET hour = hour - interval '2 hours'`)
    await clear()
    expect(await known()).toEqual([])
  })
})

test.each([
  ["ada@example.com", "Ada@EXAMPLE.com"],
  ["ada@bücher.example", "ADA@xn--bcher-kva.example"],
  ["ada@BÜCHER.example", "ada@bücher.example"]
])("%s and %s are the same mailbox", (one, other) => {
  const named = (email: string) => recipientKey({ destinationType: "EMAIL", email, phoneNumber: null })
  expect(named(one)).toBe(named(other))
  expect(named(one)).not.toBe(named(`x${one}`))
})

describe("over the hourly cap", () => {
  test("the remaining events wait for the next hour, without an attempt", async () => {
    const { customer, deliveries, deliverUntil, hourPasses, id, statuses } = await arrange("CUSTOMER_CREATED")
    for (const firstName of ["A", "B", "C"]) await customer({ firstName })
    const left = async () => (await statuses()).join() === "pending,succeeded,succeeded"
    await deliverUntil("two are through", left)
    const [queue] = await app.sql(
      (sql) => sql`SELECT used_up FROM delivery_queues WHERE destination_id = ${id} AND not_before > now()`
    )
    expect(queue).toEqual({ used_up: true })
    expect((await deliveries(id)).find(({ status }) => status === "pending")!.attempts).toEqual([])
    await hourPasses()
    await deliverUntil("the last one is through", async () => !(await statuses()).includes("pending"))
    expect(messages).toHaveLength(3)
  })

  test("only the newest update of a device is sent", async () => {
    const { deliverUntil, hourPasses, keys, ok, statuses } = await arrange("DEVICE_UPDATED")
    const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    const site = await ok("POST", "/v1/sites", { address })
    const [model] = (await ok("GET", "/v1/device-models?manufacturer=generic&type=inverter")).data
    const post = async (path: string, body: object) => {
      const reply = await app.call("POST", path, { key: keys.MANUFACTURER, body })
      if (reply.status >= 300) throw new Error(reply.text)
      return reply.body
    }
    const device = await post("/devices", { manufacturerDeviceId: "1", deviceModelId: model.id, siteId: site.id })
    for (const power of [1, 2, 3, 4, 5]) await post(`/devices/${device.id}/telemetry`, { state: { power } })
    await deliverUntil(
      "two are through",
      async () => (await statuses()).filter((one) => one === "succeeded").length === 2
    )
    await hourPasses()
    await deliverUntil("nothing waits", async () => !(await statuses()).includes("pending"))
    expect(await statuses()).toEqual(["succeeded", "succeeded", "succeeded", "superseded", "superseded"])
    expect(messages).toHaveLength(3)
  })
})
