import type { PageRequest } from "@edp/hosted-pages/scene/scene"

/** Facts about a request for a page below an address. */
export const requestTo = (base: string, refreshes: boolean): PageRequest => ({
  base,
  assets: { styles: "/s.css", script: "/s.js", icon: "/i.svg", accent: (hex) => `/accent-${hex.slice(1)}.css` },
  logoPath: (url) => `/logo/${encodeURIComponent(url)}`,
  refreshes
})

/** The value of an attribute in a tag. */
export const attribute = (tag: string, name: string) => new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]

/** Everything in the markup that matches. */
export const all = (markup: string, pattern: RegExp) => [...markup.matchAll(pattern)].map(([found]) => found)

/** The markup without its tags, as a person reads it. */
export const strip = (markup: string) => markup.replaceAll(/<[^>]*>/g, "").replaceAll("&#x27;", "'")

/** A text that would do harm wherever it were put as it is. */
export const hostile = `"><script>alert(1)</script><img src=x onerror='x'>&amp;`

/** The value with a hostile text for every text, except in fields that hold the platform's own words. */
export const poison = <Value>(value: Value, own: ReadonlyArray<string>): Value => {
  if (typeof value === "string") return hostile as Value
  if (Array.isArray(value)) return value.map((each) => poison(each, own)) as Value
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, own.includes(name) ? inner : poison(inner, own)])
  ) as Value
}

/** The values of messages whose form depends on a number. */
const numbers = new Set<string | symbol>(["count", "days"])
const anyValues = new Proxy({}, { has: () => true, get: (_, name) => (numbers.has(name) ? 2 : "Acme") })

/** Every text of a table, with the path to it. */
export const flatten = (value: unknown, path = ""): ReadonlyArray<readonly [string, string]> => {
  if (typeof value === "string") return [[path, value]]
  if (typeof value === "function") return flatten(value(anyValues), path)
  return Object.entries(value as object).flatMap(([name, inner]) => flatten(inner, `${path}.${name}`))
}
