import { Context, Schema } from "effect"
import {
  ReturnsSecret,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  IDEMPOTENCY_REPLAYED,
  readsOne
} from "../auth/middleware.ts"
import { exampleIds } from "../shared/Cuid.ts"
import { STORABLE_PATTERN } from "../shared/Text.ts"
import type { Json } from "./document.ts"

const articles = new Set(["a", "an", "the"])

const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1).toLowerCase()

/**
 * The name of an operation in generated clients, from its summary: "Read a device's history" is readDeviceHistory.
 * To change a summary without changing the name, set the endpoint's identifier annotation.
 */
export const operationIdFromSummary = (summary: string): string =>
  summary
    .replace(/'s?\b/g, "")
    .split(" ")
    .filter((word) => !articles.has(word.toLowerCase()))
    .map((word, index) => (index === 0 ? word.toLowerCase() : capital(word)))
    .join("")

const list = (words: ReadonlyArray<string>) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

const article = (word: string | undefined) => (word?.startsWith("A") ? "an" : "a")

const counted = {
  read: "counts in the read class",
  write: "counts in the write class",
  bulk: "counts in the bulk class",
  readings: "counts in the bulk class with `readings`, else in the write class"
} as const

export type RateClass = keyof typeof counted

/** The allowed key types and the rate class, which are the last paragraph of every description. */
export const callers = (keyTypes: ReadonlyArray<string>, rateClass: RateClass): string =>
  `Needs ${article(keyTypes[0])} ${list(keyTypes)} key; ${counted[rateClass]}.`

const plain = new Set(["integer", "number", "boolean", "array"])

const several = "Accepts several values, as a repeated parameter or a comma-separated list"
const filter = `${several}; records that match any of them are listed. Write a comma within a value as \`\\,\`.`

/** Query parameters travel as text, but are documented by their type. */
const propertySchemas = (schema: Schema.Top | undefined): Json =>
  schema === undefined
    ? {}
    : ((Schema.toJsonSchemaDocument(Schema.toType(schema), { referencePolicy: () => undefined }) as Json).schema
        .properties ?? {})

const isYesNo = (schema: Json) => schema.type === "string" && String(schema.enum) === "true,false"

const described = (parameter: Json, typed: Json | undefined): Json => {
  const { description, examples, ...schema } = plain.has(typed?.type) ? typed! : parameter.schema
  const isArray = schema.type === "array"
  const howMany = parameter.name === "include" ? `${several}.` : filter
  const prose = [description, isArray ? howMany : undefined].filter((text) => text !== undefined).join(". ")
  return {
    name: parameter.name,
    in: parameter.in,
    description: prose,
    required: parameter.required,
    ...(isArray ? { style: "form", explode: true } : {}),
    schema: isYesNo(schema) ? { type: "boolean" } : schema,
    ...(examples === undefined ? {} : { example: examples[0] })
  }
}

const camel = (segment: string) => segment.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The example of a path parameter: the id of the resource whose collection stands before it. */
const pathExample = (path: string, name: string): string => {
  if (name === "tag") return "pilot"
  if (name === "slug") return "acme"
  const collection = name === "id" ? (path.split("/{id}")[0]!.split("/").at(-1) ?? "") : `${name.slice(0, -2)}s`
  const noun = camel(collection).replace(/s$/, "")
  return new Map<string, string>(Object.entries(exampleIds)).get(noun) ?? exampleIds.device
}

/** Parameters by their type, with their prose beside the schema and an example for each of the path. */
export const describeParameters = (path: string, operation: Json, query: Schema.Top | undefined): void => {
  const types = propertySchemas(query)
  // The media types of the responses document the accepted types.
  const parameters = operation.parameters.filter(({ name }: Json) => name !== "accept")
  operation.parameters = parameters.map((parameter: Json) =>
    parameter.in === "path"
      ? { ...described(parameter, undefined), example: pathExample(path, parameter.name) }
      : described(parameter, types[parameter.name])
  )
}

/** The maximum total size of a request's headers, in bytes. */
const HEADERS_LIMIT = 16_384

const idempotencyKey: Json = {
  name: IDEMPOTENCY_KEY,
  in: "header",
  description:
    "Identifies the request, so that repeating it has no second effect: the same API key, path and body within 24 hours get the stored first response. The same value with another body is `VALIDATION_ERROR`",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX_LENGTH, pattern: STORABLE_PATTERN },
  example: "order-4711-site"
}

const ifNoneMatch: Json = {
  name: "If-None-Match",
  in: "header",
  description:
    "One or more `ETag` values of earlier responses, or `*`. The response is 304 if one of them still matches",
  required: false,
  schema: { type: "string", maxLength: HEADERS_LIMIT, pattern: STORABLE_PATTERN },
  example: 'W/"Zm9vYmFyYmF6cXV4MTIzND"'
}

const respondsWith = (response: Json, header: string): void => {
  response.headers = { ...response.headers, [header]: {} }
}

/** The headers that the contract's middleware reads and writes, by operation. */
export const describeHeaders = (
  operation: Json,
  endpoint: { readonly method: string; readonly path: string },
  annotations: Context.Context<never>
): void => {
  if (readsOne(endpoint)) {
    operation.parameters.push(ifNoneMatch)
    respondsWith(operation.responses["200"], "ETag")
    operation.responses = { "200": operation.responses["200"], "304": {}, ...operation.responses }
    respondsWith(operation.responses["304"], "ETag")
  }
  if (endpoint.method === "POST" && !Context.get(annotations, ReturnsSecret)) {
    operation.parameters.push(idempotencyKey)
    for (const [status, response] of Object.entries<Json>(operation.responses)) {
      if (status.startsWith("2")) respondsWith(response, IDEMPOTENCY_REPLAYED)
    }
  }
}
