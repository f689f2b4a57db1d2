import type { Json } from "@edp/domain/openapi/document"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"

/** A part of the document, with a reference resolved. */
export const partAt = (spec: Json, part: Json): Json =>
  part.$ref === undefined
    ? part
    : part.$ref
        .slice("#/".length)
        .split("/")
        .reduce((node: Json | undefined, key: string) => node?.[key], spec)

export interface Example {
  /** Its place, as a JSON pointer. */
  readonly place: string
  readonly schema: Json
  readonly value: unknown
}

/** Every example and default of the document with its schema: of bodies, parameters, headers and schemas. */
export const examplesIn = (spec: Json): ReadonlyArray<Example> => {
  const found: Array<Example> = []
  const visit = (place: string, node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    for (const example of Array.isArray(node) ? [] : listExamples(spec, node)) found.push({ place, ...example })
    for (const [key, value] of Object.entries(node)) {
      if (key !== "example" && key !== "examples" && key !== "default") visit(`${place}/${key}`, value)
    }
  }
  visit("", spec.paths)
  visit("/webhooks", spec.webhooks)
  visit("", { ...spec.components, examples: undefined })
  return found
}

const listExamples = (spec: Json, node: Json): ReadonlyArray<Omit<Example, "place">> => {
  const isSchema = node.schema === undefined
  const schema = isSchema ? node : node.schema
  const named = Object.values<Json>(isSchema ? {} : (node.examples ?? {})).map((one) => partAt(spec, one).value)
  const listed = Array.isArray(node.examples) ? node.examples : []
  const isValue = (value: unknown) => value !== undefined && (!isSchema || typeof value !== "object")
  const single = [node.example, node.default].filter(isValue)
  return [...named, ...listed, ...single].map((value) => ({ schema, value }))
}

/** Returns the violations of a schema that may refer to the document's components. */
export const schemaCheck = (spec: Json) => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: "spec", components: spec.components })
  return (place: string, schema: Json, value: unknown): ReadonlyArray<string> => {
    const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"spec#/components/'))
    return ajv.validate(local, value) ? [] : [`${place}: ${ajv.errorsText()}`]
  }
}
