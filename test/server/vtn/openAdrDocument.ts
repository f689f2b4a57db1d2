import { readFileSync } from "node:fs"
import { parse } from "@stoplight/yaml"
import { Ajv, type ValidateFunction } from "ajv"
import addFormats from "ajv-formats"

type Json = any

const document: Json = parse(readFileSync(new URL("./fixtures/openadr3-3.1.0.yaml", import.meta.url), "utf8"))

/**
 * The document builds a VEN and a resource from the metadata and from the request of business logic, so that `objectType` would have to be
 * VEN and BL_VEN_REQUEST at once. Its text says VEN and RESOURCE: the discriminator of the requests is taken out for responses.
 */
for (const name of ["BlVenRequest", "BlResourceRequest"]) {
  const schema = document.components.schemas[name]
  delete schema.properties.objectType
  schema.required = schema.required.filter((field: string) => field !== "objectType")
}

/** The document, with its fault mended. */
export const officialDocument: object = structuredClone(document)

/** OpenAPI 3.0 marks a limit as exclusive; JSON Schema has it as a limit of its own. */
const toJsonSchema = (node: Json): void => {
  if (typeof node !== "object" || node === null) return
  if (node.exclusiveMaximum === true) {
    node.exclusiveMaximum = node.maximum
    delete node.maximum
  }
  Object.values(node).forEach(toJsonSchema)
}
toJsonSchema(document)

const ajv = new Ajv({ strict: false, allErrors: true, discriminator: false })
addFormats.default(ajv)
// Reading the date-time of "now" strictly would refuse what the document's own text permits.
ajv.addFormat("date-time", (text: string) => !Number.isNaN(Date.parse(text)))
ajv.addSchema(document, "openadr")

const validators = new Map<string, ValidateFunction>()
const validatorAt = (pointer: string) => {
  const known = validators.get(pointer)
  if (known !== undefined) return known
  const made = ajv.compile({ $ref: `openadr#${pointer}` })
  validators.set(pointer, made)
  return made
}

const escape = (text: string) => encodeURIComponent(text.replaceAll("~", "~0").replaceAll("/", "~1"))

const explain = (validate: ValidateFunction, body: unknown) =>
  `${ajv.errorsText(validate.errors)}\n${JSON.stringify(body).slice(0, 2000)}`

const templates = Object.keys(document.paths).map((template) => ({
  template,
  form: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`)
}))

/** Errors that the document does not list for an operation have its problem all the same. */
const problem = "/components/schemas/problem"

/** Throws unless the official document allows the response. */
export const checkResponse = (method: string, path: string, status: number, body: unknown): void => {
  const bare = path.split("?")[0]!
  const found = templates.find(({ form }) => form.test(bare))
  const response = found && document.paths[found.template][method.toLowerCase()]?.responses[String(status)]
  if (response === undefined && status < 400) throw new Error(`${method} ${path}: ${status} is not documented`)
  const pointer =
    response === undefined
      ? problem
      : response.$ref === undefined
        ? `/paths/${escape(found!.template)}/${method.toLowerCase()}/responses/${status}/content/application~1json/schema`
        : `${response.$ref.slice(1)}/content/application~1json/schema`
  const validate = validatorAt(pointer)
  if (!validate(body)) throw new Error(`${method} ${path} ${status}: ${explain(validate, body)}`)
}

/** Throws unless the official document allows the notification. */
export const checkNotification = (body: unknown): void => {
  const validate = validatorAt("/components/schemas/notification")
  if (!validate(body)) throw new Error(explain(validate, body))
}
