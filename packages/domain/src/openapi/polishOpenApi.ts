import { Context, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { AllowedKeyTypes } from "../auth/AllowedKeyTypes.ts"
import { OptionalBody } from "../auth/OptionalBody.ts"

type Json = Record<string, any>

const plain = new Set(["integer", "number", "boolean", "array"])

/** Query parameters travel as text, but are documented by their type. */
const typedParameters = (operation: Json, schema: Schema.Top | undefined, place: string) => {
  if (schema === undefined) return
  const typed = (Schema.toJsonSchemaDocument(Schema.toType(schema)) as Json).schema.properties ?? {}
  for (const parameter of operation.parameters ?? []) {
    const found = typed[parameter.name]
    if (parameter.in === place && plain.has(found?.type)) {
      const { description: _, ...rest } = found
      parameter.schema = rest
    }
  }
}

const rateLimitHeaders = (): Json =>
  Object.fromEntries(
    [
      ["X-RateLimit-Limit", "Requests a window"],
      ["X-RateLimit-Remaining", "Requests left in the window"],
      ["X-RateLimit-Reset", "When the window resets, Unix seconds"]
    ].map(([name, description]) => [name, { description, schema: { type: "integer" } }])
  )

const documentHeaders = (operation: Json) => {
  for (const [status, response] of Object.entries<Json>(operation.responses)) {
    response.headers = {
      ...response.headers,
      "X-Request-Id": { description: "The request's identifier", schema: { type: "string" } },
      ...(status === "401" ? {} : rateLimitHeaders()),
      ...(status === "429" ? { "Retry-After": { description: "Seconds", schema: { type: "integer" } } } : {})
    }
  }
}

/** Safe integers are what JSON integers mean here: their bounds say nothing to a reader. */
const dropSafeBounds = (node: unknown): void => {
  if (Array.isArray(node)) return node.forEach(dropSafeBounds)
  if (typeof node !== "object" || node === null) return
  const record = node as Json
  if (record.minimum === Number.MIN_SAFE_INTEGER) delete record.minimum
  if (record.maximum === Number.MAX_SAFE_INTEGER) delete record.maximum
  Object.values(record).forEach(dropSafeBounds)
}

const variants = ["Battery", "Vehicle", "Thermostat", "WaterHeater", "Inverter", "Meter", "Charger", "Other"]

/** Where an answer does not name the device's type, any variant may stand. */
const listVariants = (spec: Json) => {
  const recorded = spec.components?.schemas?.RecordedState
  if (recorded === undefined) return
  spec.components.schemas.RecordedState = {
    description: recorded.description,
    anyOf: variants.map((name) => ({ $ref: `#/components/schemas/${name}State` }))
  }
}

/** What the generator can't know: typed parameters, headers of every answer, who may call, which bodies are optional. */
export const polishOpenApi = (spec: Json, api: HttpApi.Top): Json => {
  HttpApi.reflect(api as never, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }: any) => {
      const path = endpoint.path.replace(/:(\w+)/g, "{$1}").replace(/(.)\/$/, "$1")
      const operation = spec.paths[path]?.[endpoint.method.toLowerCase()]
      if (operation === undefined) throw new Error(`No operation for ${endpoint.method} ${endpoint.path}`)
      typedParameters(operation, endpoint.query, "query")
      documentHeaders(operation)
      operation["x-allowed-key-types"] = Context.get(mergedAnnotations, AllowedKeyTypes)
      if (Context.get(mergedAnnotations, OptionalBody) && operation.requestBody) operation.requestBody.required = false
    }
  })
  listVariants(spec)
  dropSafeBounds(spec)
  return spec
}
