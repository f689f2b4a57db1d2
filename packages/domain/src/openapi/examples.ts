import { alertExample } from "../alerts/Alert.ts"
import { EVENT_VERSION, eventComponent } from "../events/Event.ts"
import { type EventType, eventTypes } from "../events/EventType.ts"
import { exampleIds } from "../shared/Cuid.ts"
import { deviceExamples } from "./deviceExamples.ts"
import { type Json, listOperations, refName } from "./document.ts"
import { listCodes } from "./responses.ts"

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

/** A new device has no readings; a disconnected one has the time of its disconnection. */
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

/** The records in an event's example: the same as everywhere in the reference, in their state after the event. */
const makeEventData = (type: EventType, record: (name: string) => Json): Json => {
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
  data: makeEventData(type, record)
})

/** Gives each event its example. */
export const exemplifyEvents = (schemas: Json): void => {
  for (const type of eventTypes) {
    schemas[eventComponent(type)].examples = [exampleEvent(type, (name) => schemas[name].examples[0])]
  }
}

/** Responses that differ from the record's usual example, by operation. */
const ownResponses: Record<string, Json> = {
  acknowledgeAlert: {
    ...alertExample,
    status: "ACKNOWLEDGED",
    acknowledgedAt: moment,
    acknowledgedBy: "operator-7",
    snoozedUntil: "2030-01-01T08:00:00.000Z",
    updatedAt: moment
  },
  ignoreAlert: { ...alertExample, status: "IGNORED", ignoredAt: moment, ignoredBy: "operator-7", updatedAt: moment },
  provisionDevice: {
    ...deviceExamples.InverterDevice,
    referenceId: exampleIds.device,
    tags: [],
    state: {},
    onlineStatus: "unknown",
    lastOnlineAt: null
  },
  resolveAlert: { ...alertExample, status: "RESOLVED", resolvedAt: moment, resolvedBy: "operator-7", updatedAt: moment }
}

/** Gives each device, its state and what is sent of it their example. */
const exemplifyDevices = (schemas: Json): void => {
  for (const [name, example] of Object.entries(deviceExamples)) {
    const stem = name.slice(0, -"Device".length)
    schemas[name].examples = [example]
    if (!("createdAt" in example.state)) continue
    const { id: _, createdAt: __, ...reading } = example.state
    schemas[`${stem}State`].examples = [example.state]
    schemas[`${stem}Reading`].examples = [reading]
    if ("staticState" in example && `${stem}Static` in schemas)
      schemas[`${stem}Static`].examples = [example.staticState]
  }
  schemas.RecordedState.examples = [deviceExamples.InverterDevice.state]
}

/** An error's example holds its own message, and of further fields the example that each has. */
const exemplifyErrors = (schemas: Json): void => {
  for (const schema of Object.values<Json>(schemas)) {
    if (schema["x-http-status"] === undefined) continue
    const { code, message: _, ...others } = schema.properties
    const further = Object.entries<Json>(others).map(([name, { examples }]) => [name, examples[0]])
    schema.examples = [{ code: code.enum[0], message: schema.description, ...Object.fromEntries(further) }]
  }
}

/** The components that stand for a schema in examples: itself, or each variant of a union, and theirs. */
const exemplified = (schemas: Json, name: string): ReadonlyArray<string> => {
  const { anyOf, examples, oneOf } = schemas[name]
  const variants: ReadonlyArray<Json> = examples === undefined ? (oneOf ?? anyOf ?? []) : []
  return variants.length === 0 ? [name] : variants.flatMap((variant) => exemplified(schemas, refName(variant)!))
}

/** Commands have no details in lists of devices. */
const listedExample = (record: Json): Json =>
  record.availableCommands === undefined
    ? record
    : {
        ...record,
        availableCommands: record.availableCommands.map(({ slug, description }: Json) => ({ slug, description }))
      }

const pageExamples = (schemas: Json, { properties, required }: Json): ReadonlyArray<Json> => {
  const items = exemplified(schemas, refName(properties.data.items)!).slice(0, 2)
  const data = items.map((name) => listedExample(schemas[name].examples[0]))
  const numbered = { data, page: 1, perPage: 10, totalItems: data.length, totalPages: 1 }
  return required.includes("totalItems") ? [numbered] : [numbered, { data, perPage: 10 }]
}

const exemplifyPages = (schemas: Json): void => {
  for (const [name, schema] of Object.entries<Json>(schemas)) {
    if (name.endsWith("Page")) schema.examples = pageExamples(schemas, schema)
  }
}

/** The examples of a body: references to the shared ones of its component, or of each component that it may be. */
const mediaExamples = (spec: Json, schema: Json): Json => {
  const parts: ReadonlyArray<Json> = schema.anyOf ?? [schema]
  const names = parts.flatMap((part) => exemplified(spec.components.schemas, refName(part)!))
  const entries = names.flatMap((name) =>
    (spec.components.schemas[name].examples ?? []).map((value: unknown, index: number) => {
      const key = index === 0 ? name : `${name}${index + 1}`
      spec.components.examples[key] ??= { value }
      return [key, { $ref: `#/components/examples/${key}` }]
    })
  )
  return Object.fromEntries(entries)
}

const exemplifyOperation = (spec: Json, operation: Json): void => {
  const own = ownResponses[operation.operationId]
  for (const response of Object.values<Json>(operation.responses)) {
    const isOwn = own !== undefined && listCodes(response).length === 0
    for (const media of Object.values<Json>(response.content ?? {})) {
      media.examples = isOwn ? { [operation.operationId]: { value: own } } : mediaExamples(spec, media.schema)
    }
  }
  for (const media of Object.values<Json>(operation.requestBody?.content ?? {})) {
    media.examples = mediaExamples(spec, media.schema)
  }
}

/** Every body gets examples beside its schema, where readers and mock servers look for them. */
export const attachExamples = (spec: Json): void => {
  const schemas: Json = spec.components.schemas
  spec.components.examples = {}
  exemplifyDevices(schemas)
  exemplifyEvents(schemas)
  exemplifyErrors(schemas)
  exemplifyPages(schemas)
  for (const { operation } of listOperations(spec)) exemplifyOperation(spec, operation)
  for (const name of Object.keys(spec.components.examples)) delete schemas[name]?.examples
}
