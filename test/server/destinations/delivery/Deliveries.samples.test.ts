import { type EventType, eventTypes } from "@edp/domain/events/EventType"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDestinations } from "../arrangeDestinations.ts"
import { type Receiver, startReceiver } from "../../../support/peers/webhookReceiver.ts"

const app = useTestApp({ own: true })
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
// It fails where a sample is not what the OpenAPI document says.
afterAll(() => receiver.stop())
beforeEach(() => {
  receiver.received.length = 0
})

const sendSample = async (fields: object) => {
  const { destination, ok, workspaceId } = await arrangeDestinations(app)
  const { id } = await destination({ url: receiver.url, ...fields })
  expect(await ok("POST", `/v1/destinations/${id}/test`)).toMatchObject({ succeeded: true, statusCode: 204 })
  return { event: receiver.received[0]!.event, workspaceId }
}

const moment = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/)
const unheard = { state: {}, onlineStatus: "unknown", lastOnlineAt: null }

/** The change in the data of a type's sample. */
const sampleData: Readonly<Record<EventType, object>> = {
  COMMAND_FAILED: { command: { status: "failed", reason: "timeout", executedAt: moment } },
  COMMAND_SCHEDULED: { command: { status: "scheduled", scheduledFor: moment } },
  COMMAND_SUCCEEDED: { command: { status: "completed", executedAt: moment } },
  COMMAND_OVERRIDDEN: { command: { status: "failed", reason: "overridden", executedAt: moment } },
  CONNECTION_FAILED: { session: { status: "ERROR" }, account: null, error: { code: "access_denied" } },
  CUSTOMER_CREATED: { customer: {} },
  CUSTOMER_DELETED: { customer: {} },
  CUSTOMER_UPDATED: { customer: { updatedAt: moment } },
  DEVICE_CONNECTED: { device: { connectedAt: moment, disconnectedAt: null, ...unheard } },
  DEVICE_DISCONNECTED: { device: { connectedAt: moment, disconnectedAt: moment } },
  DEVICE_DISCOVERED: { device: { disconnectedAt: null, ...unheard } },
  DEVICE_UPDATED: { device: { state: { id: expect.any(String) } }, changed: ["name", "tags"] },
  ENROLLMENT_APPROVED: { enrollment: { status: "approved", approvedAt: moment, rejectedAt: null } },
  ENROLLMENT_REJECTED: { enrollment: { status: "rejected", approvedAt: null, rejectedAt: moment } },
  ENROLLMENT_SUBMITTED: { enrollment: { status: "submitted", submittedAt: moment, approvedAt: null } },
  SITE_CREATED: { site: {} },
  SITE_DELETED: { site: {} },
  SITE_UPDATED: { site: { updatedAt: moment } },
  ALERT_CREATED: { alert: { status: "OPEN", acknowledgedAt: null } },
  ALERT_UPDATED: { alert: { status: "ACKNOWLEDGED", acknowledgedAt: moment, acknowledgedBy: expect.any(String) } }
}

test.each(eventTypes)("a sample of %s has its type and the caller's workspace", async (type) => {
  const { event, workspaceId } = await sendSample({ eventTypes: [type] })
  expect(event).toMatchObject({ type, sequence: 1, workspaceId, data: sampleData[type] })
  expect(event.data).not.toHaveProperty("weather")
  if (type === "COMMAND_SCHEDULED") expect(event.data.command).not.toHaveProperty("executedAt")
  for (const record of Object.values<any>(event.data)) {
    if (record?.workspaceId !== undefined) expect(record.workspaceId).toBe(workspaceId)
  }
})

test.each(eventTypes)("a sample of %s has weather if the destination wants it", async (type) => {
  const { event } = await sendSample({ eventTypes: [type], includeWeather: true })
  expect(event.data).toMatchObject({ ...sampleData[type], weather: null })
})

test("a sample for a manufacturer is a command as documented", async () => {
  const { event } = await sendSample({
    destinationType: "MANUFACTURER_COMMAND",
    manufacturer: "generic",
    eventTypes: undefined
  })
  expect(event).toMatchObject({ type: "COMMAND_SCHEDULED", data: { command: { status: "scheduled" } } })
})
