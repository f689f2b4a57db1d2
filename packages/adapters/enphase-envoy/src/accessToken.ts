import { isObject, parseJson } from "@edp/adapter-kit/decoding/jsonPath"

/** The claims of an access token (JWT). It is verified by the gateway, not here. */
export interface TokenClaims {
  /** Milliseconds since 1970; null if it does not say. */
  readonly expiresAt: number | null
  /** Serial number of the gateway that it is for; null if it does not say. */
  readonly serial: string | null
}

const pattern = /^[\w-]+\.[\w-]+\.[\w-]*$/u
const LIMIT = 4096

/** The claims of a token; undefined for a text that is none. */
export const readClaims = (token: string): TokenClaims | undefined => {
  if (token.length > LIMIT || !pattern.test(token)) return undefined
  const claims = parseJson(Buffer.from(token.split(".")[1]!, "base64url").toString("utf8"))
  if (!isObject(claims)) return undefined
  const { aud, exp } = claims
  return {
    expiresAt: typeof exp === "number" && Number.isFinite(exp) && exp > 0 ? exp * 1000 : null,
    serial: typeof aud === "string" && /^\d{6,20}$/u.test(aud) ? aud : null
  }
}

/** The page where an owner gets a token. */
export const TOKEN_PAGE = "entrez.enphaseenergy.com"

const day = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Why a gateway refuses a token that a person pasted. */
export const refusedToken = (token: string, now: number): string => {
  const expiresAt = readClaims(token)?.expiresAt ?? null
  return expiresAt !== null && expiresAt <= now
    ? `The access token ended on ${day(expiresAt)}. Get a new one from ${TOKEN_PAGE} and connect the gateway again`
    : `The gateway refuses the access token. Get one from ${TOKEN_PAGE} for this gateway and connect it again`
}

/** A pasted token is announced to end so many milliseconds before. */
const ANNOUNCED = 30 * 86_400_000

/** The sentence about a pasted token that ends soon; undefined while it does not. */
export const endingToken = (token: string, now: number): string | undefined => {
  const expiresAt = readClaims(token)?.expiresAt ?? null
  return expiresAt !== null && expiresAt - now < ANNOUNCED
    ? `The access token of the Enphase gateway ends on ${day(expiresAt)}`
    : undefined
}
