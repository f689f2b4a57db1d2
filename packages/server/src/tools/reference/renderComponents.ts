import { type Json, operationsOf, refName } from "@edp/domain/openapi/document"
import { STORABLE_PATTERN } from "@edp/domain/shared/Text"
import { type Html, type Part, html, joined, jsonBlock, markdown } from "./html.ts"
import { resolved } from "./renderOperation.ts"

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
const schemaBody = (spec: Json, schema: Json): Part => {
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

const isError = (schema: Json) => schema["x-http-status"] !== undefined

/** Error codes in the order of their statuses. */
export const errorsOf = (spec: Json): ReadonlyArray<readonly [string, Json]> =>
  Object.entries<Json>(spec.components.schemas)
    .filter(([, schema]) => isError(schema))
    .sort(([, a], [, b]) => a["x-http-status"] - b["x-http-status"])

export const recordsOf = (spec: Json): ReadonlyArray<readonly [string, Json]> =>
  Object.entries<Json>(spec.components.schemas).filter(([, schema]) => !isError(schema))

const answeredBy = (spec: Json, code: string): ReadonlyArray<Json> =>
  operationsOf(spec)
    .map(({ operation }) => operation)
    .filter(({ responses }) =>
      Object.values<Json>(responses).some((listed) => resolved(spec, listed).description.includes(`\`${code}\``))
    )

/** An operation's every error is listed there, so codes that most operations share are not traced back to them all. */
const whereFrom = (spec: Json, code: string): Part => {
  const operations = answeredBy(spec, code)
  if (operations.length > 12) return html`<p class="rules">Answered by ${operations.length} operations</p>`
  const links = operations.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`)
  return html`<p class="rules">Answered by</p>
    <ul class="variants">
      ${links}
    </ul>`
}

export const renderError = (spec: Json, code: string, schema: Json): Html => {
  const further = fieldsOf(schema).filter(({ name }) => name !== "code" && name !== "message")
  return html`<section class="component" id="error-${code}">
    <h3><code>${code}</code> <a class="anchor" href="#error-${code}" aria-label="Link to ${code}">#</a></h3>
    <p class="field">
      <code class="status s${String(schema["x-http-status"])[0]}">${schema["x-http-status"]}</code>
      <span class="note">${schema["x-retryable"] ? "may be retried" : "not to be retried as it is"}</span>
    </p>
    ${markdown(schema.description)} ${further.length === 0 ? undefined : fieldList(spec, further)}
    ${jsonBlock(spec.components.examples[code].value)} ${whereFrom(spec, code)}
  </section> `
}

const exampleOf = (spec: Json, name: string, schema: Json): unknown =>
  schema.examples?.[0] ?? spec.components.examples[name]?.value

export const renderSchema = (spec: Json, name: string, schema: Json): Html => {
  const id = schemaId(name)
  const example = exampleOf(spec, name, schema)
  return html`<section class="component" id="${id}">
    <h3>${name} <a class="anchor" href="#${id}" aria-label="Link to ${name}">#</a></h3>
    ${schema.description === undefined ? undefined : markdown(schema.description)} ${schemaBody(spec, schema)}
    ${
      example === undefined
        ? undefined
        : html`<details>
            <summary>Example<span class="hidden"> of ${name}</span></summary>
            ${jsonBlock(example)}
          </details>`
    }
  </section> `
}
