/** The origins whose pages may call the API: all, or these. */
export type Origins = "*" | ReadonlySet<string>

const isOrigin = (text: string) => URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text

/** `*`, or a comma list of origins as browsers send them; undefined for anything else. */
export const parseOrigins = (text: string): Origins | undefined => {
  if (text === "*") return "*"
  const origins = text.split(",").map((origin) => origin.trim())
  return origins.every(isOrigin) ? new Set(origins) : undefined
}
