import type { Json } from "@edp/domain/openapi/document"

/** Text that is markup already; every other text is escaped when it is put into one. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

export type Part = Html | string | number | undefined | ReadonlyArray<Part>

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const escape = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character]!)

const markupOf = (part: Part): string => {
  if (part === undefined) return ""
  if (part instanceof Html) return part.markup
  if (typeof part === "string" || typeof part === "number") return escape(String(part))
  return part.map(markupOf).join("")
}

/** The indentation of the source is not sent along. */
const outdented = (text: string) => text.replace(/\n\s+/g, "\n")

export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(strings.map((text, index) => markupOf(parts[index - 1]) + outdented(text)).join(""))

/** Parts with a text between each two. */
export const joined = (parts: ReadonlyArray<Part>, between: Part): Part =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]))

/** A heading's address within the page. */
export const slugOf = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-")

const inline = (text: string): Part =>
  text.split(/(`[^`]+`)/).map((piece) => (piece.startsWith("`") ? html`<code>${piece.slice(1, -1)}</code>` : piece))

const block = (text: string): Html => {
  if (text.startsWith("## ")) {
    const title = text.slice(3)
    return html`<h2 id="${slugOf(title)}">${title}</h2>`
  }
  if (text.startsWith("- ")) {
    const items = text.split("\n").map((line) => html`<li>${inline(line.slice(2))}</li>`)
    return html`<ul>
      ${items}
    </ul>`
  }
  return html`<p>${inline(text)}</p>`
}

/** The little Markdown that the document's prose uses: paragraphs, second-level headings, lists and code. */
export const markdown = (text: string): Part => joined(text.split("\n\n").map(block), "\n")

/** The titles of its headings. */
export const headingsOf = (text: string): ReadonlyArray<string> =>
  text.split("\n\n").flatMap((part) => (part.startsWith("## ") ? [part.slice(3)] : []))

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
