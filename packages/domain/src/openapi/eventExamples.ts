import { alertExample } from "../alerts/alertExample.ts"
import { componentOf, EVENT_VERSION } from "../events/Event.ts"
import { type EventType, eventTypes } from "../events/EventType.ts"
import { exampleIds } from "../shared/exampleIds.ts"
import { deviceExamples } from "./deviceExamples.ts"
import type { Json } from "./document.ts"

const moment = "2026-03-01T12:30:00.000Z"

/** A command of the example battery, as it is once the event has happened. */
const commandChanges: Partial<Record<EventType, Json>> = {
  COMMAND_SCHEDULED: { status: "scheduled", executedAt: undefined, scheduledFor: "2026-03-01T18:00:00.000Z" },
  COMMAND_FAILED: { status: "failed", reason: "timeout" },
  COMMAND_OVERRIDDEN: { status: "failed", reason: "overridden" }
}

const enrollmentChanges: Partial<Record<EventType, Json>> = {
  ENROLLMENT_APPROVED: { status: "approved", approvedAt: moment, updatedAt: moment },
  ENROLLMENT_REJECTED: {
    status: "rejected",
    statusReason: "The site is outside the service area",
    rejectedAt: moment,
    updatedAt: moment
  }
}

/** A new device has told nothing yet; one that is disconnected says since when. */
const deviceChanges: Partial<Record<EventType, Json>> = {
  DEVICE_CONNECTED: { connectedAt: moment, updatedAt: moment, state: {}, onlineStatus: "unknown", lastOnlineAt: null },
  DEVICE_DISCONNECTED: { disconnectedAt: moment },
  DEVICE_DISCOVERED: {
    createdAt: moment,
    connectedAt: moment,
    updatedAt: moment,
    state: {},
    onlineStatus: "unknown",
    lastOnlineAt: null
  },
  DEVICE_UPDATED: { updatedAt: moment }
}

const alertChanges: Partial<Record<EventType, Json>> = {
  ALERT_UPDATED: { status: "ACKNOWLEDGED", acknowledgedAt: moment, acknowledgedBy: "operator-7", updatedAt: moment }
}

/** What an event's example speaks of: the same records as everywhere in the reference, as the event has left them. */
const dataOf = (type: EventType, record: (name: string) => Json): Json => {
  const [subject, change] = type.split("_")
  const updated = change === "UPDATED" ? { updatedAt: moment } : {}
  switch (subject) {
    case "COMMAND":
      return { command: { ...record("Command"), ...commandChanges[type] }, deviceId: exampleIds.device }
    case "CONNECTION":
      return {
        session: record("ConnectSession"),
        account: null,
        error: { code: "access_denied", message: "The manufacturer refused the authorization" }
      }
    case "DEVICE": {
      const device = { ...deviceExamples.InverterDevice, ...deviceChanges[type] }
      const place = { device, customer: record("Customer"), site: record("Site") }
      return type === "DEVICE_UPDATED" ? { ...place, changed: ["name", "tags"] } : place
    }
    case "ENROLLMENT":
      return { enrollment: { ...record("Enrollment"), ...enrollmentChanges[type] }, customer: record("Customer") }
    case "ALERT":
      return { alert: { ...alertExample, ...alertChanges[type] } }
    case "SITE":
      return { site: { ...record("Site"), ...updated } }
    default:
      return { customer: { ...record("Customer"), ...updated } }
  }
}

/** An event of a type, with the example of each component that it speaks of. */
export const exampleEvent = (type: EventType, record: (name: string) => Json): Json => ({
  id: exampleIds.event,
  sequence: 48_211,
  type,
  version: EVENT_VERSION,
  timestamp: moment,
  workspaceId: exampleIds.workspace,
  data: dataOf(type, record)
})

/** Gives each event its example. */
export const exemplifyEvents = (schemas: Json): void => {
  for (const type of eventTypes) {
    schemas[componentOf(type)].examples = [exampleEvent(type, (name) => schemas[name].examples[0])]
  }
}
