import { html, type Html, joined, type Part } from "./html.ts"

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
