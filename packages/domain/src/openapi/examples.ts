import { alertExample } from "../alerts/alertExample.ts"
import { exampleIds } from "../shared/exampleIds.ts"
import { deviceExamples } from "./deviceExamples.ts"
import { exemplifyEvents } from "./eventExamples.ts"
import { type Json, operationsOf, refName } from "./document.ts"
import { codesOf } from "./responses.ts"

const moment = "2026-03-01T12:30:00.000Z"

/** Answers that differ from the record's usual example, by operation. */
const ownAnswers: Record<string, Json> = {
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

const pageExample = (schemas: Json, { properties }: Json): Json => {
  const items = exemplified(schemas, refName(properties.data.items)!).slice(0, 2)
  const data = items.map((name) => schemas[name].examples[0])
  return "totalItems" in properties
    ? { data, page: 1, perPage: 10, totalItems: data.length, totalPages: 1 }
    : { data, perPage: 10 }
}

const exemplifyPages = (schemas: Json): void => {
  for (const [name, schema] of Object.entries<Json>(schemas)) {
    if (name.endsWith("Page")) schema.examples = [pageExample(schemas, schema)]
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
  const own = ownAnswers[operation.operationId]
  for (const response of Object.values<Json>(operation.responses)) {
    const isOwn = own !== undefined && codesOf(response).length === 0
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
  for (const { operation } of operationsOf(spec)) exemplifyOperation(spec, operation)
  for (const name of Object.keys(spec.components.examples)) delete schemas[name]?.examples
}
