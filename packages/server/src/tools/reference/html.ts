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
