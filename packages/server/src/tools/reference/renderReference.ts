import { readFileSync } from "node:fs"
import { type Json, operationsOf } from "@edp/domain/openapi/document"
import { Html, type Part, headingsOf, html, markdown, slugOf } from "./html.ts"
import { errorsOf, recordsOf, renderError, renderSchema, schemaId } from "./renderComponents.ts"
import { methodBadge, renderOperation } from "./renderOperation.ts"

const asset = (name: string) => new Html(readFileSync(new URL(name, import.meta.url), "utf8").trim())

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M9 0 3 9h4l-1 7 7-10H8z' fill='%230a7d6c'/%3E%3C/svg%3E"

const operationsOfTag = (spec: Json, tag: string) =>
  operationsOf(spec).filter(({ operation }) => operation.tags.includes(tag))

const entry = (href: string, text: Part) => html`<li><a href="#${href}">${text}</a></li> `

const group = (title: string, entries: ReadonlyArray<Part>) =>
  html`<details>
    <summary>${title}</summary>
    <ul>
      ${entries}
    </ul>
  </details> `

const operationEntry = ({ method, operation }: { readonly method: string; readonly operation: Json }) =>
  entry(operation.operationId, [methodBadge(method), " ", operation.summary])

const contents = (spec: Json): Html =>
  html`<nav id="contents" aria-label="Contents">
    ${group(
      "Introduction",
      headingsOf(spec.info.description).map((title) => entry(slugOf(title), title))
    )}
    ${spec.tags.map(({ name }: Json) => group(name, operationsOfTag(spec, name).map(operationEntry)))}
    ${group(
      "Error codes",
      errorsOf(spec).map(([code]) => entry(`error-${code}`, code))
    )}
    ${group(
      "Schemas",
      recordsOf(spec).map(([name]) => entry(schemaId(name), name))
    )}
  </nav>`

const tagSection = (spec: Json, { name, description }: Json): Html =>
  html`<section aria-labelledby="tag-${slugOf(name)}">
    <h2 id="tag-${slugOf(name)}">${name}</h2>
    ${markdown(description)} ${operationsOfTag(spec, name).map((operation) => renderOperation(spec, operation))}
  </section> `

const main = (spec: Json): Html =>
  html`<main id="main">
    <section class="overview" aria-label="Introduction">${markdown(spec.info.description)}</section>
    ${spec.tags.map((tag: Json) => tagSection(spec, tag))}
    <section aria-labelledby="error-codes">
      <h2 id="error-codes">Error codes</h2>
      <p>Every code that an operation can answer, by status.</p>
      ${errorsOf(spec).map(([code, schema]) => renderError(spec, code, schema))}
    </section>
    <section aria-labelledby="schemas">
      <h2 id="schemas">Schemas</h2>
      <p>
        What bodies hold. A name that ends in <code>Input</code> is what a request sends where an answer has more to
        say.
      </p>
      ${recordsOf(spec).map(([name, schema]) => renderSchema(spec, name, schema))}
    </section>
  </main>`

/** The readable reference: one page that needs nothing but itself. */
export const renderReference = (spec: Json): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="Reference of the ${spec.info.title} REST interface" />
        <title>${spec.info.title} · API reference</title>
        <link rel="icon" href="${icon}" />
        <style>
          ${asset("reference.css")}
        </style>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <h1>${spec.info.title}</h1>
          <p>
            API reference, version ${spec.info.version} ·
            <a href="/v1/docs/swagger.json">OpenAPI ${spec.openapi} document</a>
          </p>
        </header>
        <div class="page">${contents(spec)} ${main(spec)}</div>
        <script>
          ${asset("reference.js")}
        </script>
      </body>
    </html> `.markup
