/** Names that belong to the connection, to the message itself or to its signature. */
const forbidden = new Set([
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent"
])

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/u
/** Visible characters and single spaces inside: neither a line break nor anything else that could end the header. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,1998}[\x21-\x7e])?$/u

/** Which of a caller's headers a delivery cannot carry, each with one sentence. */
export const refusedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const names = Object.keys(headers)
  const seen = new Set<string>()
  const refused = names.flatMap((name): ReadonlyArray<readonly [string, string]> => {
    const lower = name.toLowerCase()
    const twice = seen.has(lower)
    seen.add(lower)
    if (!NAME.test(name)) return [[name, "Must be named by letters, digits and hyphens"]]
    if (forbidden.has(lower) || lower.startsWith("webhook-")) return [[name, "Must not be set: the platform sets it"]]
    if (twice) return [[name, "Must be given once, whatever its case"]]
    return VALUE.test(headers[name]!) ? [] : [[name, "Must be 1 to 2000 visible ASCII characters"]]
  })
  return Object.fromEntries(refused.map(([name, sentence]) => [`headers.${name}`, sentence]))
}
