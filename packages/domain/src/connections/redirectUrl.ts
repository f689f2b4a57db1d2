/** Names that the flow adds to the query of a redirectUrl. */
export const redirectParameters = ["service_scoped_token", "connect_session_id", "error"] as const

/** Schemes that run code, read local data or leave the browser for something other than an app that a caller wrote. */
const refusedSchemes = new Set(
  (
    "about blob chrome chrome-extension content data file filesystem ftp intent jar javascript mailto res resource sms tel " +
    "vbscript view-source ws wss"
  ).split(" ")
)

const localHosts = ["localhost", "127.0.0.1", "[::1]"]

/** Browsers drop control characters, read a backslash as a slash, and ignore spaces around a URL. */
const unsafeCharacters = /[\p{C}\s\\]/u

const form = "Must be https, http on localhost, or the custom scheme of an app, such as myapp://connected"

const hostProblem = (text: string, url: URL) => {
  // Browsers read `https:host` and `https:///host` as `https://host`; other readers do not.
  if (!/^https?:\/\/[^/?#]/i.test(text)) return form
  return url.protocol === "https:" || localHosts.includes(url.hostname) ? undefined : form
}

/** Why a URL must not be the target of a redirect; undefined for a valid one. */
export const redirectUrlProblem = (text: string): string | undefined => {
  if (unsafeCharacters.test(text)) return "Must not contain spaces, backslashes or control characters"
  if (!URL.canParse(text)) return form
  const url = new URL(text)
  if (url.username !== "" || url.password !== "" || /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(text)) {
    return "Must not contain a user name or password"
  }
  const taken = redirectParameters.filter((name) => url.searchParams.has(name))
  if (taken.length > 0) return `Must not have ${taken.join(", ")} in its query`
  const scheme = url.protocol.slice(0, -1)
  if (scheme === "http" || scheme === "https") return hostProblem(text, url)
  if (refusedSchemes.has(scheme)) return form
  // An authority or an absolute path, or an opaque path such as `myapp:connected`.
  return /^[a-z][a-z0-9+.-]*:(\/\/[^/]|\/[^/]|[^/])/i.test(text) ? undefined : form
}

/** Adds parameters to the query of a URL. Everything else stays as it was written. */
export const withParameters = (url: string, parameters: Readonly<Record<string, string>>): string => {
  const [, before, query, fragment] = /^([^?#]*)(\?[^#]*)?(#.*)?$/su.exec(url)!
  const added = new URLSearchParams(parameters).toString()
  const joined = query === undefined || query === "?" ? `?${added}` : `${query}&${added}`
  return `${before}${joined}${fragment ?? ""}`
}
