import { Context, Schema } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { AllowedKeyTypes, NeedsBody } from "../auth/annotations.ts"
import { RateClassOf } from "../auth/middleware.ts"
import { eventComponent } from "../events/Event.ts"
import { eventTypes } from "../events/EventType.ts"
import { type Json, schemaRef } from "./document.ts"
import { attachExamples } from "./examples.ts"
import { callers, describeHeaders, describeParameters, operationIdFromSummary } from "./operations.ts"
import { openRequests, simplify } from "./schemas.ts"
import { describeArchive, describeErrors, describeResponses, headerComponents, shareErrors } from "./responses.ts"
import { discriminate, exclusive, closedNames } from "./variants.ts"

const prose = "Sent by POST to subscribed destinations. The same event may be sent more than once, with the same `id`."

/** Outgoing requests: one entry per event, with the components that describe its body. */
export const describeWebhooks = (spec: Json): void => {
  spec.webhooks = Object.fromEntries(
    eventTypes.map((type) => {
      const name = eventComponent(type)
      const post = {
        tags: ["Events"],
        summary: spec.components.schemas[name].description,
        description: prose,
        operationId: `on${name}`,
        security: [],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: schemaRef(name),
              examples: { [name]: { $ref: `#/components/examples/${name}` } }
            }
          }
        },
        responses: { "2XX": { description: "Accepted. The response body is ignored" } }
      }
      return [type, { post }]
    })
  )
}

const openApiPath = (path: string) => path.replace(/:(\w+)/g, "{$1}").replace(/(.)\/$/, "$1")

/** Whether `{}` is a right body, which an absent one counts as. */
const takesNothing = ({ payload }: any) =>
  Array.from(payload.values() as Iterable<any>).some(({ schemas }) => Schema.is(Schema.toEncoded(schemas[0]))({}))

/** Applies the contract's own annotations, which the generator does not know. */
const describeOperation = (spec: Json, { endpoint, mergedAnnotations }: any): void => {
  const path = openApiPath(endpoint.path)
  const operation = spec.paths[path]?.[endpoint.method.toLowerCase()]
  if (operation === undefined) throw new Error(`No operation for ${endpoint.method} ${endpoint.path}`)
  const keyTypes = Context.get(mergedAnnotations as Context.Context<never>, AllowedKeyTypes)
  const annotated = Context.get(mergedAnnotations as Context.Context<never>, RateClassOf)
  const rateClass = annotated === "method" ? (endpoint.method === "GET" ? "read" : "write") : annotated
  const named = Context.getOption(endpoint.annotations as Context.Context<never>, OpenApi.Identifier)
  operation.operationId = named._tag === "Some" ? named.value : operationIdFromSummary(operation.summary)
  operation.description = `${operation.description}\n\n${callers(keyTypes, rateClass)}`
  operation["x-allowed-key-types"] = keyTypes
  operation["x-rate-class"] = rateClass
  describeParameters(path, operation, endpoint.query)
  describeHeaders(operation, endpoint, mergedAnnotations)
  if (operation.requestBody) {
    operation.requestBody.required =
      Context.get(mergedAnnotations as Context.Context<never>, NeedsBody) || !takesNothing(endpoint)
  }
  spec.paths[path][endpoint.method.toLowerCase()] = inReadingOrder(operation)
}

const inReadingOrder = (operation: Json): Json => {
  const { tags, summary, description, operationId, parameters, requestBody, responses, security, ...extensions } =
    operation
  const body = requestBody === undefined ? {} : { requestBody }
  return { tags, summary, description, operationId, ...extensions, security, parameters, ...body, responses }
}

const describeService = (spec: Json): void => {
  spec.info.contact = { name: "The operator of this platform" }
  spec.security = [{ serviceApiKey: [] }]
  spec.components.securitySchemes.serviceApiKey.description =
    "A key of a type that the operation allows. A missing, unknown, expired or revoked key and a key of another type are all answered 401 UNAUTHENTICATED."
  spec.components.headers = headerComponents
}

const sorted = (record: Json): Json => Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

/**
 * Makes the generated document the reference that a reader and a generated client want: typed parameters, every error
 * code by name, headers, who may call, names for pages and variants, examples everywhere.
 */
export const polishOpenApi = (generated: Json, api: HttpApi.Top): Json => {
  const spec = generated
  HttpApi.reflect(api as never, {
    onGroup: () => {},
    onEndpoint: (endpoint: unknown) => describeOperation(spec, endpoint)
  })
  discriminate(spec, "Device")
  discriminate(spec, "Event")
  const polished = simplify(spec)
  exclusive(polished, "PushTelemetry")
  describeErrors(polished)
  for (const item of Object.values<Json>(polished.paths)) {
    for (const operation of Object.values<Json>(item)) describeResponses(polished, operation)
  }
  describeService(polished)
  attachExamples(polished)
  describeWebhooks(polished)
  openRequests(polished, closedNames)
  shareErrors(polished)
  describeArchive(polished)
  for (const [part, entries] of Object.entries<Json>(polished.components)) polished.components[part] = sorted(entries)
  return polished
}
