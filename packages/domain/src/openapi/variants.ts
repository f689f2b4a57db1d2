import { Schema } from "effect"
import { readingOf } from "../devices/DeviceState.ts"
import { BulkReading } from "../direct-integration/DirectIntegration.ts"
import { type Json, refName, rewrite, schemaRef } from "./document.ts"

const camel = (word: string) => word.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

const known = Object.keys(readingOf).filter((type) => type !== "unknown") as ReadonlyArray<keyof typeof readingOf>

const anyVariant = (suffix: string) => known.map((type) => schemaRef(`${camel(type)}${suffix}`))

/** What devices of each type report: the components in which an unknown field is an error in requests too. */
export const readingNames: ReadonlySet<string> = new Set(known.map((type) => `${camel(type)}Reading`))

const compiled = (schema: Schema.Top): Json => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" }) as Json
  const root = document.schema.$ref === undefined ? document.schema : Object.values<Json>(document.definitions).at(-1)!
  return rewrite(root, (node) =>
    typeof node.$ref === "string" ? { ...node, ...schemaRef(node.$ref.split("/").at(-1)!) } : node
  )
}

/** A push names no type, so its `state` is any variant: without this it would be documented as an object of anything. */
export const listReadings = (spec: Json): void => {
  const schemas: Json = spec.components.schemas
  for (const type of known) {
    const description = `State that a device of type \`${type}\` reports`
    schemas[`${camel(type)}Reading`] = { ...compiled(readingOf[type]), description }
  }
  schemas.BulkReading = compiled(BulkReading)
  schemas.ReadingState = { description: schemas.Reading.properties.state.description, anyOf: anyVariant("Reading") }
  for (const name of ["Reading", "BulkReading"]) schemas[name].properties.state = schemaRef("ReadingState")
  const { readings } = schemas.PushTelemetry.properties
  schemas.ReadingBatch = {
    type: "object",
    description: readings.description,
    properties: { readings },
    required: ["readings"]
  }
  schemas.PushTelemetry = {
    description: "One reading, or `readings`: exactly one of `state` and `readings` must be there",
    oneOf: [schemaRef("Reading"), schemaRef("ReadingBatch")],
    examples: schemas.PushTelemetry.examples
  }
  schemas.PushBulkTelemetry.properties.readings.items = schemaRef("BulkReading")
}

/** Items of bulk requests are decoded one by one; each is documented as what a request of its own would carry. */
export const listBulkItems = (spec: Json): void => {
  const schemas: Json = spec.components.schemas
  schemas.CreateCustomers.properties.customers.items = schemaRef("CreateCustomer")
  schemas.CreateSites.properties.sites.items = schemaRef("CreateSite")
}

/** Where an answer does not name the device's type, any variant may stand. */
export const listStates = (spec: Json): void => {
  const schemas: Json = spec.components.schemas
  schemas.RecordedState = { description: schemas.RecordedState.description, anyOf: anyVariant("State") }
}

/** The `type` of a device, and of an event, tells its variant. */
export const discriminate = (spec: Json, name: string): void => {
  const schemas: Json = spec.components.schemas
  const { anyOf, ...rest } = schemas[name]
  const mapping = Object.fromEntries(
    anyOf.map((variant: Json) => [schemas[refName(variant)!].properties.type.enum[0], variant.$ref])
  )
  schemas[name] = { ...rest, oneOf: anyOf, discriminator: { propertyName: "type", mapping } }
}
