import { Context, Schema } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { AllowedKeyTypes } from "../auth/AllowedKeyTypes.ts"
import { NeedsBody } from "../auth/NeedsBody.ts"
import { RateClassOf } from "../auth/RateLimit.ts"
import type { Json } from "./document.ts"
import { attachExamples } from "./examples.ts"
import { callers, operationIdOf } from "./operationText.ts"
import { describeHeaders } from "./operationHeaders.ts"
import { describeParameters } from "./parameters.ts"
import { openRequests } from "./requests.ts"
import { describeErrors, describeResponses, headerComponents, shareErrors } from "./responses.ts"
import { namePages, simplify } from "./schemas.ts"
import { discriminate, listBulkItems, listReadings, listStates, readingNames } from "./variants.ts"
import { describeWebhooks } from "./webhooks.ts"

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
  operation.operationId = named._tag === "Some" ? named.value : operationIdOf(operation.summary)
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
  spec.info.contact = { name: "Whoever operates this platform" }
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
  listReadings(spec)
  listBulkItems(spec)
  listStates(spec)
  discriminate(spec, "Device")
  discriminate(spec, "Event")
  const polished = simplify(spec)
  namePages(polished)
  describeErrors(polished)
  for (const item of Object.values<Json>(polished.paths)) {
    for (const operation of Object.values<Json>(item)) describeResponses(polished, operation)
  }
  describeService(polished)
  attachExamples(polished)
  describeWebhooks(polished)
  openRequests(polished, readingNames)
  shareErrors(polished)
  for (const [part, entries] of Object.entries<Json>(polished.components)) polished.components[part] = sorted(entries)
  return polished
}
