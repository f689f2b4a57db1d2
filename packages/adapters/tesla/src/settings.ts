import { createPublicKey } from "node:crypto"
import { Schema } from "effect"

export const regions = ["na", "eu", "cn"] as const
export type Region = (typeof regions)[number]

const isAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, password, protocol, username } = new URL(text)
  return ["http:", "https:"].includes(protocol) && username === "" && password === "" && hash === ""
}

const Address = Schema.String.check(Schema.makeFilter(isAddress, { message: "Must be an http or https address" }))

const isDomain = (text: string) => /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i.test(text)

/** PEM in one line, as environment files hold it, has `\n` for the ends of its lines. */
export const keyText = (text: string) => `${text.replaceAll("\\n", "\n").trim()}\n`

const isKey = (text: string): boolean => {
  if (!text.includes("BEGIN PUBLIC KEY")) return false
  try {
    return createPublicKey(keyText(text)).asymmetricKeyDetails?.namedCurve === "prime256v1"
  } catch {
    return false
  }
}

/** Read from EDP_TESLA_CLIENT_ID, EDP_TESLA_CLIENT_SECRET and so on. docs/manufacturers/tesla.md says where they come from. */
export const TeslaSettings = Schema.Struct({
  clientId: Schema.NonEmptyString,
  clientSecret: Schema.RedactedFromValue(Schema.NonEmptyString),
  /** The region of accounts whose sign-in does not tell it. */
  region: Schema.optionalKey(Schema.Literals(regions)),
  /** Replace the addresses of the region, for tests and proxies. */
  baseUrl: Schema.optionalKey(Address),
  authUrl: Schema.optionalKey(Address),
  tokenUrl: Schema.optionalKey(Address),
  /** The signing proxy. Without it, vehicles that take signed commands only have no commands. */
  commandBaseUrl: Schema.optionalKey(Address),
  /** The domain whose key vehicles are paired with; the platform's own unless set. */
  keyDomain: Schema.optionalKey(
    Schema.String.check(Schema.makeFilter(isDomain, { message: "Must be a domain, such as energy.example.com" }))
  ),
  /** The public key that the platform shows at the well-known path: EC, P-256, PEM. */
  publicKey: Schema.optionalKey(
    Schema.String.check(Schema.makeFilter(isKey, { message: "Must be a public EC key of the curve P-256 in PEM" }))
  )
})
export type TeslaSettings = typeof TeslaSettings.Type

const withoutSlash = (address: string) => address.replace(/\/+$/, "")

const bases: Readonly<Record<Region, string>> = {
  na: "https://fleet-api.prd.na.vn.cloud.tesla.com",
  eu: "https://fleet-api.prd.eu.vn.cloud.tesla.com",
  cn: "https://fleet-api.prd.cn.vn.cloud.tesla.cn"
}

/** The address of the Fleet API for accounts of a region: also the audience of their tokens. */
export const baseAddress = ({ baseUrl }: TeslaSettings, region: Region) => withoutSlash(baseUrl ?? bases[region])

/** The address for commands that have to be signed. */
export const commandAddress = (settings: TeslaSettings, region: Region) =>
  settings.commandBaseUrl === undefined ? baseAddress(settings, region) : withoutSlash(settings.commandBaseUrl)

/** Tesla has a sign-in for China and one for the rest of the world. */
export const signInAddresses = ({ authUrl, region, tokenUrl }: TeslaSettings) => {
  const host = region === "cn" ? "https://auth.tesla.cn" : "https://auth.tesla.com"
  const tokens = region === "cn" ? host : "https://fleet-auth.prd.vn.cloud.tesla.com"
  const authorize = authUrl ?? `${host}/oauth2/v3/authorize`
  return {
    issuer: `${host}/oauth2/v3`,
    authorize,
    token: tokenUrl ?? `${tokens}/oauth2/v3/token`,
    revoke: new URL("revoke", authorize).href
  }
}

/** The region in the prefix of an authorization code, such as EU_; the configured one if there is none. */
export const regionFromCode = (code: string | undefined, { region = "na" }: TeslaSettings): Region => {
  const prefix = /^(na|eu|cn)[_-]/i.exec(code ?? "")?.[1]?.toLowerCase()
  return regions.find((one) => one === prefix) ?? region
}
