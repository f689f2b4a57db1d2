import { Schema } from "effect"
import { exampleIds } from "../shared/exampleIds.ts"
import type { Json } from "./document.ts"

const plain = new Set(["integer", "number", "boolean", "array"])

const several =
  "Several values: the parameter repeated, or a comma list; any of them matches. In free texts a comma that belongs to a value is written `\\,`."

/** Query parameters travel as text, but are documented by their type. */
const typesOf = (schema: Schema.Top | undefined): Json =>
  schema === undefined
    ? {}
    : ((Schema.toJsonSchemaDocument(Schema.toType(schema), { referencePolicy: () => undefined }) as Json).schema
        .properties ?? {})

const isYesNo = (schema: Json) => schema.type === "string" && String(schema.enum) === "true,false"

const described = (parameter: Json, typed: Json | undefined): Json => {
  const { description, examples, ...schema } = plain.has(typed?.type) ? typed! : parameter.schema
  const isArray = schema.type === "array"
  const prose = [description, isArray ? several : undefined].filter((text) => text !== undefined).join(". ")
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
  const types = typesOf(query)
  // What is accepted is told by the media types of the answers.
  const parameters = operation.parameters.filter(({ name }: Json) => name !== "accept")
  operation.parameters = parameters.map((parameter: Json) =>
    parameter.in === "path"
      ? { ...described(parameter, undefined), example: pathExample(path, parameter.name) }
      : described(parameter, types[parameter.name])
  )
}
