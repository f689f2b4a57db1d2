import { Redacted } from "effect"

/** The server that mails are handed to. */
export interface SmtpRelay {
  /** A name or an address, IPv6 without brackets, in the one spelling that URLs have for it. */
  readonly host: string
  readonly port: number
  /** `always` from the first byte, `required` by STARTTLS, `offered` by STARTTLS where the relay has it. */
  readonly encryption: "always" | "required" | "offered"
  readonly login: { readonly user: string; readonly password: Redacted.Redacted } | undefined
}

export const SMTP_URL_TAKES =
  "an address such as smtps://user:password@host or smtp://host:587?starttls=optional, the latter without a login"

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** What URLs of http make of a host: every spelling of an address becomes the usual one. */
const usualHost = (host: string) => {
  const url = `http://${host}/`
  return host !== "" && URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/u, "$1") : undefined
}

const encryptionOf = ({ protocol, searchParams }: URL): SmtpRelay["encryption"] | undefined => {
  const parameters = [...searchParams.keys()]
  if (parameters.some((name) => name !== "starttls") || parameters.length > 1) return undefined
  const starttls = searchParams.get("starttls") ?? "required"
  if (protocol === "smtps:") return parameters.length === 0 ? "always" : undefined
  return starttls === "required" ? "required" : starttls === "optional" ? "offered" : undefined
}

const loginOf = (url: URL): SmtpRelay["login"] | "none" | undefined => {
  if (url.username === "" && url.password === "") return "none"
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (!user || !password) return undefined
  return { user, password: Redacted.make(password, { label: "SMTP password" }) }
}

/**
 * Reads the address of a relay: `smtps` is encrypted from the first byte, on port 465 unless told otherwise; `smtp` by STARTTLS, on
 * port 587. `?starttls=optional` goes on unencrypted where the relay offers none; a login is never sent that way. Undefined when it is
 * none of these.
 */
export const smtpRelay = (text: string): SmtpRelay | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "smtp:" && url.protocol !== "smtps:")) return undefined
  if ((url.pathname !== "" && url.pathname !== "/") || url.hash !== "") return undefined
  const [host, encryption, login] = [usualHost(url.hostname), encryptionOf(url), loginOf(url)]
  if (host === undefined || encryption === undefined || login === undefined) return undefined
  if (encryption === "offered" && login !== "none") return undefined
  const port = url.port === "" ? (encryption === "always" ? 465 : 587) : Number(url.port)
  return { host, port, encryption, login: login === "none" ? undefined : login }
}
