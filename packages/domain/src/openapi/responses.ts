import { errorCodes } from "../errors/ErrorCode.ts"
import { IDEMPOTENCY_REPLAYED } from "../auth/middleware.ts"
import { CURSOR_MAX_LENGTH } from "../shared/Page.ts"
import { STORABLE_PATTERN } from "../shared/Text.ts"
import { type Json, listOperations, refName, listSchemas } from "./document.ts"
import { withIntegerBounds } from "./schemas.ts"

/** The CORS header that tells a browser which pages may read a response. */
const ALLOW_ORIGIN = "Access-Control-Allow-Origin"

const codes = new Map<string, { readonly status: number; readonly retryable: boolean }>(Object.entries(errorCodes))

/** The error codes that a response's body may carry, in the order of the endpoint. */
export const listCodes = (response: Json): ReadonlyArray<string> =>
  listSchemas(response)
    .flatMap((schema) => schema.anyOf ?? [schema])
    .map(refName)
    .filter((name): name is string => name !== undefined && codes.has(name))

const always = { required: true }
const integer = (description: string, example: number, minimum = 0, maximum = Number.MAX_SAFE_INTEGER) => ({
  description,
  schema: withIntegerBounds({ type: "integer", minimum, maximum }),
  example
})
const text = (description: string, example: string, schema: Json) => ({
  description,
  schema: { type: "string", ...schema },
  example
})

const shape = (pattern: string, maxLength: number): Json => ({ pattern, maxLength })

const limitHeaders: Json = {
  "X-RateLimit-Limit": integer(
    "Requests that the key may make per window of 60 seconds in the rate class of the call",
    300
  ),
  "X-RateLimit-Remaining": integer("Requests left in the current window", 299),
  "X-RateLimit-Reset": integer("Time when the window resets, in Unix seconds", 1772366460)
}

const requestId = "Identifier of the request in the service's log: the caller's value, or a generated one"
const entityTag = "Changes whenever the resource changes; send it back in `If-None-Match`"
const replayed = "`true` if this is the stored response of an earlier request with the same `Idempotency-Key`"
const nextCursor = "The `cursor` of the next page; absent on the last page"
const allowedOrigin =
  "In responses to cross-origin requests under `/v1`: the origin that may read the response, or `*`; absent if it may not"

/** The headers that responses share. */
export const headerComponents: Json = {
  "X-Request-Id": {
    ...always,
    ...text(requestId, "b1946ac9-2492-4d23-9f0c-7d1e3a5b6c8f", shape("^[\\w.:/+=-]{1,128}$", 128))
  },
  [ALLOW_ORIGIN]: text(allowedOrigin, "*", shape("^(\\*|https?://[^\\s]+)$", 2000)),
  ...Object.fromEntries(Object.entries(limitHeaders).map(([name, header]) => [name, { ...always, ...header }])),
  "Retry-After": { ...always, ...integer("Seconds after which to try again", 12, 1, 60) },
  "X-Next-Cursor": text(nextCursor, "eyJpZCI6ImNtbTdwNnlvMDVkOGgifQ", shape(STORABLE_PATTERN, CURSOR_MAX_LENGTH)),
  ETag: { ...always, ...text(entityTag, 'W/"Zm9vYmFyYmF6cXV4MTIzND"', shape('^W/"[\\w-]{22}"$', 26)) },
  [IDEMPOTENCY_REPLAYED]: text(replayed, "true", { enum: ["true"] })
}

const shared = (...names: ReadonlyArray<string>): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Responses that may be sent before the key is known, and then without the headers of its limit. */
const mayLackLimits = new Set(["429", "500", "502"])

const limitHeadersFor = (status: string): Json => {
  if (status === "401") return {}
  return mayLackLimits.has(status) ? limitHeaders : shared(...Object.keys(limitHeaders))
}

/** Headers of only some operations; `operations.ts` has marked their responses. */
const ownHeaders = ["ETag", IDEMPOTENCY_REPLAYED]

const makeHeaders = (status: string, response: Json): Json => ({
  ...shared("X-Request-Id", ALLOW_ORIGIN),
  ...limitHeadersFor(status),
  ...(status === "429" ? shared("Retry-After") : {}),
  ...(response.headers?.["x-next-cursor"] === undefined ? {} : shared("X-Next-Cursor")),
  ...shared(...ownHeaders.filter((name) => response.headers?.[name] !== undefined))
})

const successText = (spec: Json, status: string, response: Json): string => {
  if (status === "204") return "Done. The response has no body"
  if (status === "304") return "The resource has not changed. The response has no body"
  const [schema] = listSchemas(response)
  const name = refName(schema?.anyOf?.[0] ?? schema)
  const described = spec.components.schemas[name ?? ""]?.description ?? "Success"
  return status === "201" ? "Created" : described
}

const errorText = (spec: Json, names: ReadonlyArray<string>): string =>
  names.map((name) => `\`${name}\`: ${spec.components.schemas[name].description}`).join("\n\n")

/** Every response names its error codes and its headers. */
export const describeResponses = (spec: Json, operation: Json): void => {
  for (const [status, response] of Object.entries<Json>(operation.responses)) {
    const names = listCodes(response)
    response.description = names.length > 0 ? errorText(spec, names) : successText(spec, status, response)
    response.headers = makeHeaders(status, response)
  }
}

/** Adds the status and retryability of each error code to its schema. */
export const describeErrors = (spec: Json): void => {
  for (const [name, schema] of Object.entries<Json>(spec.components.schemas)) {
    const known = codes.get(name)
    if (known === undefined) continue
    schema["x-http-status"] = known.status
    schema["x-retryable"] = known.retryable
  }
}

/** Paths of operations that may need readings from the archive. */
const needsArchive = /\/history$|\/metrics\/|\/report$/u

const archiveText =
  "`SERVICE_UNAVAILABLE`: The request needs readings from the archive, which does not respond. The message says from when on readings are available"

/** Adds the response of operations that need archived readings while the archive is unreachable. Their other causes of SERVICE_UNAVAILABLE say no time. */
export const describeArchive = (spec: Json): void => {
  const { SERVICE_UNAVAILABLE: response } = spec.components.responses
  if (response === undefined) return
  spec.components.responses.ARCHIVE_UNAVAILABLE = {
    ...response,
    description: archiveText,
    headers: { ...response.headers, ...shared("Retry-After") }
  }
  for (const { path, operation } of listOperations(spec))
    if (needsArchive.test(path)) operation.responses["503"] = { $ref: "#/components/responses/ARCHIVE_UNAVAILABLE" }
}

/** Makes the response of each error code a shared component. */
export const shareErrors = (spec: Json): void => {
  spec.components.responses = {}
  for (const { operation } of listOperations(spec)) {
    for (const [status, response] of Object.entries<Json>(operation.responses)) {
      const [code, ...others] = listCodes(response)
      if (code === undefined || others.length > 0) continue
      spec.components.responses[code] = response
      operation.responses[status] = { $ref: `#/components/responses/${code}` }
    }
  }
}
