import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDestinations } from "./arrangeDestinations.ts"

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
      (sql) => sql`WITH queue AS (UPDATE delivery_queues SET hour = hour - interval '1 hour', not_before = '-infinity'
          WHERE destination_id = ${id})
        UPDATE delivery_lanes SET due_at = now() - interval '1 second' WHERE destination_id = ${id} AND claim IS NULL`
    )
  return { ...arranged, id, statuses, hourPasses }
}

describe("beyond the messages of an hour", () => {
  test("what is left waits for the next one, without a try", async () => {
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

  test("of a device's updates only the newest is still sent", async () => {
    const { deliverUntil, hourPasses, keys, ok, statuses } = await arrange("DEVICE_UPDATED")
    const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
    const site = await ok("POST", "/v1/sites", { address })
    const [model] = (await ok("GET", "/v1/device-models?manufacturer=generic&type=inverter")).data
    const post = async (path: string, body: object) => {
      const answer = await app.call("POST", path, { key: keys.MANUFACTURER, body })
      if (answer.status >= 300) throw new Error(answer.text)
      return answer.body
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
