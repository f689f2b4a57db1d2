/** Names that the flow adds to the query of a redirectUrl. */
export const redirectParameters = ["service_scoped_token", "connect_session_id", "error"] as const

/** Schemes that run code, read local data, open a program of the system or connect to a service. No workspace can allow them. */
const dangerousSchemes = new Set(
  (
    "about afp android-app app applescript blob callto cid content data dav dict facetime facetime-audio feed file filesystem " +
    "finger ftp ftps git gopher hcp help imap imaps intent irc ircs itms itms-apps itms-services jar javascript jdbc jnlp jnlps " +
    "ldap ldaps livescript local mailto market mhtml microsoft-edge mid mk mms mocha news nfs nntp onenote opaquelocktoken " +
    "pop rdp res resource rlogin rsync rtsp search service sftp shell sip sips skype sms smsto smb snmp ssh steam svn tel " +
    "telnet tftp urn vbscript view-source vnc vscode wais webcal ws wss wyciwyg xmpp"
  ).split(" ")
)

/** Families of such schemes: of Windows (`ms-msdt:`, `search-ms:`), of browsers, and of the settings of devices. */
const dangerousFamily =
  /^(?:ms-|x-apple|chrome|moz-|edge|opera|brave|vivaldi|safari|android|prefs|app-prefs|microsoft\.)|-ms$/

/** Whether a scheme, in lower case and without its colon, leads to something other than an app that the caller wrote. */
const isDangerous = (scheme: string) => dangerousSchemes.has(scheme) || dangerousFamily.test(scheme)

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
  if (isDangerous(scheme)) return form
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

/** How many targets a workspace can allow. */
export const CONNECT_REDIRECTS_LIMIT = 50

const targetForm =
  "Must be an origin without a path, such as https://app.example.com or http://localhost:5173, or the scheme of an app, such as myapp:"

/** Why a workspace can't allow an origin or scheme as the target of redirects; undefined for a valid one. */
export const connectRedirectProblem = (text: string): string | undefined => {
  const scheme = /^([a-z][a-z0-9+.-]*):$/.exec(text)?.[1]
  if (scheme !== undefined) {
    if (scheme === "https" || scheme === "http") return targetForm
    return isDangerous(scheme) ? `Must not be ${text}, which leads to something other than an app` : undefined
  }
  if (!/^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/.test(text) || !URL.canParse(text)) return targetForm
  const url = new URL(text)
  if (url.origin !== text) return targetForm
  return hostProblem(text, url) === undefined ? undefined : "Must be https, or http on localhost"
}

/** Whether one of the allowed origins and schemes is that of a valid redirectUrl. */
export const isAllowedRedirect = (allowed: ReadonlyArray<string>, redirectUrl: string): boolean => {
  const { origin, protocol } = new URL(redirectUrl)
  return allowed.includes(/^https?:$/.test(protocol) ? origin : protocol)
}

/** Says how a caller allows a target. */
export const connectRedirectHint =
  "must be one of the workspace's connectRedirects, such as https://app.example.com or myapp:, which PATCH /v1/workspaces/:id sets"
