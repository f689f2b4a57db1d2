import { type Json, refName } from "@edp/domain/openapi/document"
import { STORABLE_PATTERN } from "@edp/domain/shared/Text"
import { html, type Html, joined, type Part } from "./html.ts"
import { markdown } from "./markdown.ts"

export const schemaId = (name: string) => `schema-${name}`

const link = (name: string) => html`<a href="#${schemaId(name)}">${name}</a>`

/** A schema in a few words: a link to the component, or its kind. */
export const typeOf = (schema: Json): Part => {
  const name = refName(schema)
  if (name !== undefined) return link(name)
  const parts: ReadonlyArray<Json> | undefined = schema.anyOf ?? schema.oneOf
  if (parts !== undefined) return joined(parts.map(typeOf), " or ")
  const types: ReadonlyArray<string> = [schema.type ?? "any JSON"].flat()
  return joined(
    types.map((type) => kindOf(type, schema)),
    " or "
  )
}

const kindOf = (type: string, schema: Json): Part => {
  if (type === "array") return schema.items === undefined ? "array" : ["array of ", typeOf(schema.items)]
  return type === "string" && schema.format !== undefined ? schema.format : type
}

/** What every integer and every text obeys says nothing of this one. */
const tellingBound = (bound: number | undefined) =>
  bound === undefined || Number.isSafeInteger(bound + Math.sign(bound)) ? bound : undefined

const range = (minimum: number | undefined, maximum: number | undefined, noun: string): Part => {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}${noun}`
  if (minimum !== undefined) return `at least ${minimum}${noun}`
  return maximum === undefined ? undefined : `at most ${maximum}${noun}`
}

const code = (text: string) => html`<code>${text}</code>`

/** What a value must obey, each rule in a few words. */
export const rulesOf = (schema: Json): ReadonlyArray<Part> => {
  const values: ReadonlyArray<string> | undefined = schema.enum ?? schema.items?.enum
  return [
    range(tellingBound(schema.minimum), tellingBound(schema.maximum), ""),
    schema.exclusiveMinimum === undefined ? undefined : `above ${schema.exclusiveMinimum}`,
    range(schema.minLength || undefined, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " items"),
    range(schema.minProperties, schema.maxProperties, " fields"),
    schema.pattern === undefined || schema.pattern === STORABLE_PATTERN
      ? undefined
      : ["matches ", code(schema.pattern)],
    values === undefined ? undefined : ["one of ", joined(values.map(code), ", ")],
    schema.default === undefined ? undefined : ["default ", code(JSON.stringify(schema.default))]
  ].filter((rule) => rule !== undefined)
}

export interface Field {
  readonly name: string
  readonly schema: Json
  readonly isRequired: boolean
  /** Where a parameter stands. */
  readonly place?: string
  readonly description?: string | undefined
}

/** The component that a field refers to, alone or or-null. */
const componentOf = (spec: Json, schema: Json): Json =>
  spec.components.schemas[refName(schema.anyOf?.[0] ?? schema) ?? ""] ?? {}

const nestedOf = (spec: Json, schema: Json): Part => {
  const inner: Json = schema.type === "array" ? schema.items : schema
  return inner?.properties === undefined ? undefined : fieldList(spec, fieldsOf(inner))
}

const noteOf = ({ place, isRequired }: Field) => [
  place === undefined ? "" : `${place}, `,
  isRequired ? html`<strong>required</strong>` : "optional"
]

const fieldItem = (spec: Json, field: Field) => {
  const { name, schema } = field
  const component = componentOf(spec, schema)
  const description = field.description ?? schema.description ?? component.description
  const rules = [...rulesOf(schema), ...rulesOf({ enum: component.enum })]
  return html`<li>
    <p class="field">
      <code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>
      <span class="note">${noteOf(field)}</span>
    </p>
    ${description === undefined ? undefined : markdown(description)}
    ${rules.length === 0 ? undefined : html`<p class="rules">${joined(rules, " · ")}</p>`}${nestedOf(spec, schema)}
  </li> `
}

export const fieldList = (spec: Json, fields: ReadonlyArray<Field>): Html =>
  html`<ul class="fields">
    ${fields.map((field) => fieldItem(spec, field))}
  </ul>`

/** An object's fields, each with whether it must be there. */
export const fieldsOf = (schema: Json): ReadonlyArray<Field> => {
  const required = new Set<string>(schema.required ?? [])
  return Object.entries<Json>(schema.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.has(name)
  }))
}

const otherFields = (schema: Json): Part =>
  typeof schema.additionalProperties === "object"
    ? html`<p class="rules">Further fields of any name: ${typeOf(schema.additionalProperties)}</p>`
    : undefined

/** A component's content: the fields of an object, the variants of a union, the words of an enumeration. */
export const schemaBody = (spec: Json, schema: Json): Part => {
  const variants: ReadonlyArray<Json> | undefined = schema.anyOf ?? schema.oneOf
  if (variants !== undefined) {
    return html`<p>One of:</p>
      <ul class="variants">
        ${variants.map((variant) => html`<li>${typeOf(variant)}</li>`)}
      </ul>`
  }
  if (schema.properties !== undefined) return [fieldList(spec, fieldsOf(schema)), otherFields(schema)]
  const rules = rulesOf(schema)
  const shape =
    schema.type === "object" && schema.additionalProperties === false ? "object without fields" : typeOf(schema)
  return [html`<p class="rules">${joined([shape, ...rules], " · ")}</p>`, otherFields(schema)]
}
