import { Schema } from "effect"

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Tokens go nowhere without TLS, but to a server on the same machine. */
const isAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, hostname, password, protocol, search, username } = new URL(text)
  const isSecure = protocol === "https:" || (protocol === "http:" && loopback.test(hostname))
  return isSecure && username === "" && password === "" && hash === "" && search === ""
}

const Address = Schema.String.check(
  Schema.makeFilter(isAddress, {
    message: "Must be an https address without a query, such as https://utility.example.com/oauth/token"
  })
)

const days = (maximum: number) =>
  Schema.optionalKey(Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum })))

/** Printable characters of a scope (RFC 6749, 3.3): ESPI has several parts with semicolons in one. */
const scope = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** Read from EDP_GREEN_BUTTON_CLIENT_ID and so on. docs/manufacturers/green-button.md says where they come from. */
export const GreenButtonSettings = Schema.Struct({
  clientId: Schema.NonEmptyString,
  clientSecret: Schema.RedactedFromValue(Schema.NonEmptyString),
  authorizationUrl: Address,
  tokenUrl: Address,
  /** RFC 7009. Without it, a person ends the permission at the utility. */
  revocationUrl: Schema.optionalKey(Address),
  /** The address of the utility's resources, which ends with `/espi/1_1/resource` at most utilities. */
  resourceUrl: Address,
  scope: Schema.String.check(
    Schema.isPattern(scope, { message: "Must be a scope of ESPI, such as FB=1_3_4_5_13_14_39;IntervalDuration=3600" })
  ),
  /** Names the accounts. */
  utility: Schema.optionalKey(Schema.String.check(Schema.isPattern(/\S/), Schema.isMaxLength(100))),
  clientAuthentication: Schema.optionalKey(Schema.Literals(["basic", "body"])),
  /** A call reads the whole subscription, or one usage point. */
  batch: Schema.optionalKey(Schema.Literals(["subscription", "usage-point"])),
  historyDays: days(3660),
  windowDays: days(92)
})
export type GreenButtonSettings = typeof GreenButtonSettings.Type

export const resourceBase = ({ resourceUrl }: GreenButtonSettings) => resourceUrl.replace(/\/+$/, "")

export const utilityName = ({ resourceUrl, utility }: GreenButtonSettings) =>
  utility?.trim() ?? new URL(resourceUrl).hostname

/** Thirteen months, which utilities show by default. */
const HISTORY_DAYS = 396
/** A month of quarters of an hour in both directions has some 2 MB. */
const WINDOW_DAYS = 31

export const readingLimits = ({ historyDays = HISTORY_DAYS, windowDays = WINDOW_DAYS }: GreenButtonSettings) => ({
  historyDays,
  windowDays
})
