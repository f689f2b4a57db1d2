import { alertExample } from "../alerts/alertExample.ts"
import { componentOf, EVENT_VERSION } from "../events/Event.ts"
import { type EventType, eventTypes } from "../events/EventType.ts"
import { exampleIds } from "../shared/exampleIds.ts"
import { deviceExamples } from "./deviceExamples.ts"
import type { Json } from "./document.ts"

const moment = "2026-03-01T12:30:00.000Z"

/** What an event's example speaks of: the same records as everywhere in the reference. */
const dataOf = (type: EventType, record: (name: string) => Json): Json => {
  const [subject] = type.split("_")
  switch (subject) {
    case "COMMAND":
      return { command: record("Command"), deviceId: exampleIds.device }
    case "CONNECTION":
      return {
        session: record("ConnectSession"),
        account: null,
        error: { code: "access_denied", message: "The manufacturer refused the authorization" }
      }
    case "DEVICE": {
      const place = { device: deviceExamples.InverterDevice, customer: record("Customer"), site: record("Site") }
      return type === "DEVICE_UPDATED" ? { ...place, changed: ["name", "tags"] } : place
    }
    case "ENROLLMENT":
      return { enrollment: record("Enrollment"), customer: record("Customer") }
    case "ALERT":
      return { alert: alertExample }
    default:
      return subject === "SITE" ? { site: record("Site") } : { customer: record("Customer") }
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
