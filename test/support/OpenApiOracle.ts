import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"

interface MediaType {
  readonly schema?: unknown
}

interface Header {
  readonly required?: boolean
}

/** A reference to another part of the document. */
interface Reference {
  readonly $ref: string
}

interface ResponseObject {
  readonly content?: Readonly<Record<string, MediaType>>
  readonly headers?: Readonly<Record<string, Header | Reference>>
}

interface Operation {
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
}

/** The parts of an OpenAPI 3.1 document that responses are checked against. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, unknown>>
}

export type ResponseHeaders = Headers | Readonly<Record<string, string | undefined>>

export interface OpenApiOracle {
  /** The documented path for a method and a path with or without a query, undefined when there is none. */
  readonly findOperation: (method: string, path: string) => string | undefined
  /** Throws unless the document has the operation, gives it this status, and allows this body and these headers. */
  readonly check: (method: string, path: string, status: number, headers: ResponseHeaders, bodyText: string) => void
  /** Throws unless the document has a webhook of the body's type, and allows this body. */
  readonly checkWebhook: (bodyText: string) => void
}

/** An oracle that knows only the service's document. */
export const openApiOracle = (document: OpenApiDocument): OpenApiOracle => {
  const validatorAt = validators(document)
  const templates = Object.keys(document.paths).map((template) => ({
    template,
    expression: templateExpression(template)
  }))

  const findTemplates = (path: string) => {
    const bare = path.split("?")[0]!
    const matching = templates.filter(({ expression }) => expression.test(bare)).map(({ template }) => template)
    // A literal segment takes precedence over a parameter, segment by segment: `{` sorts after every letter.
    return matching.sort((left, right) => (left < right ? -1 : 1))
  }
  const findOperation = (method: string, path: string) =>
    findTemplates(path).find((template) => document.paths[template]![verb(method)] !== undefined)

  const check: OpenApiOracle["check"] = (method, path, status, headers, bodyText) => {
    const wrong = (why: string): never => {
      throw new Error(`${method} ${path} answered ${status}: ${why}\n${bodyText.slice(0, 2000)}`)
    }
    const template = findOperation(method, path) ?? wrong("the operation is not documented")
    const listed = partAt<ResponseObject>(document, ["paths", template, verb(method), "responses", `${status}`])
    const response = listed.part ?? wrong("the status is not documented")
    for (const name of Object.keys(response.headers ?? {})) {
      const { part: header } = partAt<Header>(document, [...listed.place, "headers", name])
      if (header?.required === true && findHeader(headers, name) === undefined) wrong(`the header ${name} is missing`)
    }
    if (method.toUpperCase() === "HEAD" || response.content === undefined) {
      if (bodyText !== "") wrong("a body is not documented")
      return
    }
    const type = readMediaType(headers)
    const media = response.content[type] ?? wrong(`the content type ${type || "(none)"} is not documented`)
    if (!isJson(type) || media.schema === undefined) return
    const validate = validatorAt([...listed.place, "content", type, "schema"])
    const body = parse(bodyText) ?? wrong("the body is not JSON")
    if (!validate(body.value)) wrong(explain(validate))
  }

  const checkWebhook: OpenApiOracle["checkWebhook"] = (bodyText) => {
    const wrong = (why: string): never => {
      throw new Error(`A webhook is not as documented: ${why}\n${bodyText.slice(0, 2000)}`)
    }
    const body = parse(bodyText) ?? wrong("the body is not JSON")
    const type = String((body.value as { readonly type?: unknown } | null)?.type)
    if (!Object.hasOwn(document.webhooks ?? {}, type)) wrong(`${type} is not documented`)
    const validate = validatorAt(["webhooks", type, "post", "requestBody", "content", "application/json", "schema"])
    if (!validate(body.value)) wrong(explain(validate))
  }
  return { findOperation, check, checkWebhook }
}

/** The document does not list HEAD: it is GET without the body. */
const verb = (method: string) => (method.toUpperCase() === "HEAD" ? "get" : method.toLowerCase())

/** The part at a place of the document, with a reference resolved. */
const partAt = <A>(document: unknown, place: ReadonlyArray<string>): Located<A> => {
  const part = place.reduce<any>((node, key) => node?.[key], document)
  if (typeof part?.$ref !== "string") return { part, place }
  const named: ReadonlyArray<string> = part.$ref.slice("#/".length).split("/")
  return partAt(
    document,
    named.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
  )
}

interface Located<A> {
  readonly part: A | undefined
  readonly place: ReadonlyArray<string>
}

const templateExpression = (template: string) =>
  new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+")}$`)

const findHeader = (headers: ResponseHeaders, name: string) => {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}

const readMediaType = (headers: ResponseHeaders) =>
  (findHeader(headers, "content-type") ?? "").split(";")[0]!.trim().toLowerCase()

const isJson = (type: string) => type === "application/json" || type.endsWith("+json")

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const validators = (document: OpenApiDocument) => {
  // The document contains schemas but is none, so most of its keywords are unknown.
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, "openapi.json")
  const compiled = new Map<string, ValidateFunction>()
  return (location: ReadonlyArray<string>) => {
    const pointer = location
      .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/")
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi.json#/${pointer}` })
    compiled.set(pointer, validate)
    return validate
  }
}

const explain = (validate: ValidateFunction) =>
  (validate.errors ?? [])
    // Each alternative of a schema reports everything that it lacks.
    .slice(0, 10)
    .map(({ instancePath, message }) => `${instancePath || "the body"} ${message}`)
    .join("; ")
