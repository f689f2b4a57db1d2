import { Schema } from "effect"
import { templateSchemas } from "./readTemplate.ts"

/**
 * A JSON Schema of templates, by which editors complete and check them. It holds the form of each field; what depends on several fields, such as
 * names of requests, `readTemplate` alone checks.
 */
export const templateJsonSchema = () => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Template of a local device",
  type: "object",
  required: ["protocol"],
  properties: { protocol: { enum: Object.keys(templateSchemas) } },
  allOf: Object.entries(templateSchemas).map(([protocol, schema]) => ({
    if: { properties: { protocol: { const: protocol } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: Schema.toJsonSchemaDocument(schema as Schema.Top, { onExcessProperty: "error" }).schema
  }))
})
