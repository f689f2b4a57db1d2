import { type Json, operationsOf } from "@edp/domain/openapi/document"
import { jsonBlock } from "./code.ts"
import { fieldList, fieldsOf, schemaBody, schemaId } from "./describeSchema.ts"
import { html, type Html, type Part } from "./html.ts"
import { markdown } from "./markdown.ts"
import { resolved } from "./renderOperation.ts"

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
