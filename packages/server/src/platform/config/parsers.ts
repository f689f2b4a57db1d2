import { Redacted } from "effect"
import { isPlainEmailAddress } from "../network/publicAddress.ts"

/** AES-256. */
export const KEY_BYTES = 32

/** 32 bytes in base64; undefined when it is anything else. */
export const parseEncryptionKey = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text, "base64")
  return bytes.length === KEY_BYTES && bytes.toString("base64") === text ? bytes : undefined
}

/** The sender of mails. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

const NAMED = /^([^<>"\p{Cc}]{1,100}?)\s*<([^<>]{3,254})>$/u

/** Reads `alerts@example.com` or `Energy Platform <alerts@example.com>`; undefined when it is neither. */
export const mailbox = (text: string): Mailbox | undefined => {
  const named = NAMED.exec(text)
  const [name, address] = named === null ? ["", text] : [named[1]!, named[2]!]
  return isPlainEmailAddress(address) ? { name, address } : undefined
}

/** The sender of text messages. */
export type SmsSender =
  | { readonly kind: "From"; readonly value: string }
  | { readonly kind: "MessagingServiceSid"; readonly value: string }

const SERVICE = /^MG[0-9a-fA-F]{32}$/u
const NUMBER = /^\+[1-9]\d{6,14}$/u
const SHORT_CODE = /^\d{3,8}$/u
/** A name has at least one letter, which distinguishes it from a number. */
const NAME = /^(?=.*[A-Za-z])[A-Za-z0-9 &+_-]{1,11}$/u

/** Reads a number in E.164, a short code, a sender's name of up to 11 characters or a messaging service's id. */
export const smsSender = (text: string): SmsSender | undefined => {
  if (SERVICE.test(text)) return { kind: "MessagingServiceSid", value: text }
  return [NUMBER, SHORT_CODE, NAME].some((form) => form.test(text)) ? { kind: "From", value: text } : undefined
}

/** The operator's mail relay. */
export interface SmtpRelay {
  /** A name or an address in its canonical form, IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** `always`: TLS from the first byte; `required`: STARTTLS; `offered`: STARTTLS if the relay offers it. */
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

/** The canonical form of a host, as URLs of http normalize it. */
const usualHost = (host: string) => {
  const url = `http://${host}/`
  return host !== "" && URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/u, "$1") : undefined
}

const parseEncryption = ({ protocol, searchParams }: URL): SmtpRelay["encryption"] | undefined => {
  const parameters = [...searchParams.keys()]
  if (parameters.some((name) => name !== "starttls") || parameters.length > 1) return undefined
  const starttls = searchParams.get("starttls") ?? "required"
  if (protocol === "smtps:") return parameters.length === 0 ? "always" : undefined
  return starttls === "required" ? "required" : starttls === "optional" ? "offered" : undefined
}

const parseLogin = (url: URL): SmtpRelay["login"] | "none" | undefined => {
  if (url.username === "" && url.password === "") return "none"
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (!user || !password) return undefined
  return { user, password: Redacted.make(password, { label: "password" }) }
}

/**
 * Parses the address of a relay: `smtps` uses TLS from the first byte, on port 465 by default; `smtp` uses STARTTLS, on port 587.
 * `?starttls=optional` continues unencrypted where the relay offers no STARTTLS, and must not have a login. Undefined for anything
 * else.
 */
export const smtpRelay = (text: string): SmtpRelay | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "smtp:" && url.protocol !== "smtps:")) return undefined
  if ((url.pathname !== "" && url.pathname !== "/") || url.hash !== "") return undefined
  const [host, encryption, login] = [usualHost(url.hostname), parseEncryption(url), parseLogin(url)]
  if (host === undefined || encryption === undefined || login === undefined) return undefined
  if (encryption === "offered" && login !== "none") return undefined
  const port = url.port === "" ? (encryption === "always" ? 465 : 587) : Number(url.port)
  return { host, port, encryption, login: login === "none" ? undefined : login }
}

/** The operator's MQTT broker, and the login of the platform to it. */
export interface MqttBroker {
  /** A name or an address in its canonical form, IPv6 without brackets. */
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly login: { readonly user: string; readonly password: Redacted.Redacted } | undefined
  /** The address without the login. */
  readonly url: string
}

export const MQTT_URL_TAKES = "an address such as mqtts://user:password@broker.example.com:8883"

/** Parses the address of a broker: `mqtts` uses TLS, on port 8883 by default; `mqtt` none, on port 1883. */
export const mqttBroker = (text: string): MqttBroker | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "mqtt:" && url.protocol !== "mqtts:")) return undefined
  if ((url.pathname !== "" && url.pathname !== "/") || url.search !== "" || url.hash !== "") return undefined
  const [host, login] = [usualHost(url.hostname), parseLogin(url)]
  if (host === undefined || login === undefined || url.port === "0") return undefined
  const tls = url.protocol === "mqtts:"
  const port = url.port === "" ? (tls ? 8883 : 1883) : Number(url.port)
  const shown = `${url.protocol}//${host.includes(":") ? `[${host}]` : host}:${port}`
  return { host, port, tls, login: login === "none" ? undefined : login, url: shown }
}
