/** Markup that is safe to send. Only `html` makes it. */
export class Html {
  private readonly markup: string
  private constructor(markup: string) {
    this.markup = markup
  }
  static readonly unescaped = (markup: string) => new Html(markup)
  toString() {
    return this.markup
  }
}

/** Values of a template; `false` and `null` leave nothing, so that `condition && html` works. */
export type HtmlValue = Html | string | number | false | null | ReadonlyArray<HtmlValue>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const write = (value: HtmlValue): string => {
  if (value instanceof Html) return value.toString()
  if (typeof value === "object" && value !== null) return value.map(write).join("")
  return value === false || value === null ? "" : String(value).replaceAll(/[&<>"']/g, (found) => entities[found]!)
}

/** The fixed parts of each template, without their indentation. */
const compacted = new WeakMap<TemplateStringsArray, ReadonlyArray<string>>()

const compact = (parts: TemplateStringsArray): ReadonlyArray<string> => {
  const known = compacted.get(parts)
  if (known !== undefined) return known
  const short = parts.map((part) => part.replaceAll(/\s*\n\s*/g, " "))
  compacted.set(parts, short)
  return short
}

/**
 * A template that escapes every value that is not markup itself, for text and for attributes in double quotes. Packages for this
 * return plain strings, so that their users have to remember which of them are escaped.
 */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<HtmlValue>): Html =>
  Html.unescaped(
    compact(parts)
      .map((part, index) => (index === 0 ? part : write(values[index - 1]!) + part))
      .join("")
  )

/** Attributes of an element; `true` sets one without a value, `false` and `undefined` leave it out. */
export const attributes = (record: Readonly<Record<string, string | boolean | undefined>>): Html =>
  Html.unescaped(
    Object.entries(record)
      .map(([name, value]) => {
        if (value === undefined || value === false) return ""
        return value === true ? ` ${name}` : ` ${name}="${write(value)}"`
      })
      .join("")
  )
