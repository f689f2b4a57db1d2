import type { Json } from "@edp/domain/openapi/document"
import { html, type Html, type Part } from "./html.ts"

const token = /("(?:[^"\\]|\\.)*")(\s*:)?/g

/** JSON with its keys marked, so that they stand out from the values. */
const marked = (text: string): Part => {
  const parts: Array<Part> = []
  let last = 0
  for (const match of text.matchAll(token)) {
    if (match[2] === undefined) continue
    parts.push(text.slice(last, match.index), html`<b>${match[1]}</b>`, match[2])
    last = match.index + match[0].length
  }
  return [...parts, text.slice(last)]
}

export const jsonBlock = (value: unknown): Html =>
  html`<pre><code>${marked(JSON.stringify(value, null, 2))}</code></pre>`

/** The value of an example, which may stand in the components. */
export const exampleValues = (spec: Json, media: Json | undefined): ReadonlyArray<unknown> =>
  Object.values<Json>(media?.examples ?? {}).map((example) =>
    example.$ref === undefined ? example.value : spec.components.examples[example.$ref.split("/").at(-1)].value
  )

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Where a platform listens that was started with the defaults. `reference.js` puts the page's own address in its place. */
const EXAMPLE_ADDRESS = "http://127.0.0.1:3000"

/** A call that works when it is pasted into a shell with a key in EDP_KEY. */
export const curlOf = (spec: Json, path: string, method: string, operation: Json): string => {
  const filled = operation.parameters
    .filter((parameter: Json) => parameter.in === "path")
    .reduce((url: string, { name, example }: Json) => url.replace(`{${name}}`, encodeURIComponent(example)), path)
  const [body] = exampleValues(spec, operation.requestBody?.content["application/json"])
  return [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}${EXAMPLE_ADDRESS}${filled}`,
    `-H "Service-Api-Key: $EDP_KEY"`,
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d ${quoted(JSON.stringify(body, null, 2))}`])
  ].join(" \\\n  ")
}
