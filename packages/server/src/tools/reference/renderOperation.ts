import { type Json, type Operation } from "@edp/domain/openapi/document"
import { type Html, type Part, curlOf, exampleValues, html, joined, jsonBlock, markdown } from "./html.ts"
import { type Field, fieldList, fieldsOf, typeOf } from "./renderComponents.ts"

const perMinute: Record<string, string> = {
  read: "read: 300 a minute unless set otherwise",
  write: "write: 60 a minute unless set otherwise",
  bulk: "bulk: 100 a minute unless set otherwise",
  readings: "bulk: 100 a minute when the body has readings, else write: 60 a minute"
}

/** A response or a header, itself or where it stands in the components. */
export const resolved = (spec: Json, part: Json): Json =>
  part.$ref === undefined
    ? part
    : part.$ref
        .slice(2)
        .split("/")
        .reduce((node: Json, key: string) => node[key], spec)

export const methodBadge = (method: string) => html`<span class="method ${method}">${method.toUpperCase()}</span>`

const parameterField = (parameter: Json): Field => ({
  name: parameter.name,
  schema: parameter.schema,
  place: parameter.in,
  isRequired: parameter.required,
  description: parameter.description
})

const parameters = (spec: Json, operation: Json): Part =>
  operation.parameters.length === 0
    ? undefined
    : html`<h4>Parameters</h4>
        ${fieldList(spec, operation.parameters.map(parameterField))} `

const bodyFields = (spec: Json, schema: Json): Part => {
  const component = resolved(spec, schema)
  const variants: ReadonlyArray<Json> = component.oneOf ?? []
  return variants.length === 0
    ? fieldList(spec, fieldsOf(component))
    : variants.map((variant, index) => [
        html`<p>${index === 0 ? "Either" : "Or"} ${typeOf(variant)}:</p>`,
        bodyFields(spec, variant)
      ])
}

const requestBody = (spec: Json, operation: Json): Part => {
  const media: Json | undefined = operation.requestBody?.content["application/json"]
  return media === undefined
    ? undefined
    : html`<h4>Request body</h4>
        <p>
          ${typeOf(media.schema)}, ${operation.requestBody.required ? "required" : "may be left out"}. Unknown fields
          are ignored.
        </p>
        ${bodyFields(spec, media.schema)} `
}

const codesIn = (description: string): Part =>
  description.split("\n\n").map((line) => {
    const [, code, meaning] = /^`(\w+)`: (.*)$/.exec(line) ?? []
    return code === undefined
      ? markdown(line)
      : html`<p>
          <a href="#error-${code}"><code>${code}</code></a> ${meaning}
        </p>`
  })

const headerNames = (response: Json): Part =>
  joined(
    Object.keys(response.headers ?? {}).map((name) => html`<code>${name}</code>`),
    ", "
  )

const response = (spec: Json, operationId: string, status: string, listed: Json): Html => {
  const answer = resolved(spec, listed)
  const media: Json | undefined = answer.content?.["application/json"]
  const isSuccess = status.startsWith("2")
  const [example] = isSuccess ? exampleValues(spec, media) : []
  return html`<li>
    <p class="field">
      <code class="name status s${status[0]}">${status}</code>
      ${isSuccess && media !== undefined ? html`<span class="type">${typeOf(media.schema)}</span>` : undefined}
    </p>
    ${codesIn(answer.description)} ${isSuccess ? html`<p class="rules">Headers ${headerNames(answer)}</p>` : undefined}
    ${
      example === undefined
        ? undefined
        : html`<details>
            <summary>Example answer<span class="hidden"> ${status} of ${operationId}</span></summary>
            ${jsonBlock(example)}
          </details>`
    }
  </li> `
}

/** The callers' sentence closes every description; here the facts below say it. */
const withoutCallers = (description: string) => description.split("\n\n").slice(0, -1).join("\n\n")

/** One operation: who may call it, what it takes, a call to paste, what it answers. */
export const renderOperation = (spec: Json, { path, method, operation }: Operation): Html => {
  const { operationId, summary } = operation
  const keys: ReadonlyArray<string> = operation["x-allowed-key-types"]
  return html`<section class="operation" id="${operationId}">
    <h3>${summary} <a class="anchor" href="#${operationId}" aria-label="Link to: ${summary}">#</a></h3>
    <p class="call">${methodBadge(method)} <code>${path}</code></p>
    ${markdown(withoutCallers(operation.description))}
    <dl class="facts">
      <div>
        <dt>Keys</dt>
        <dd>
          ${joined(
            keys.map((key) => html`<code>${key}</code>`),
            " "
          )}
        </dd>
      </div>
      <div>
        <dt>Rate class</dt>
        <dd>${perMinute[operation["x-rate-class"]]}</dd>
      </div>
    </dl>
    ${parameters(spec, operation)}${requestBody(spec, operation)}
    <h4>Example request</h4>
    <pre class="shell"><code>${curlOf(spec, path, method, operation)}</code></pre>
    <h4>Responses</h4>
    <ul class="fields">
      ${Object.entries<Json>(operation.responses).map(([status, listed]) => response(spec, operationId, status, listed))}
    </ul>
  </section> `
}
