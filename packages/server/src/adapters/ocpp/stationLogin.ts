import { createHash, timingSafeEqual } from "node:crypto"

/** The password of a station as it is stored: salt and SHA-256, both hexadecimal. */
export interface StoredPassword {
  readonly salt: string
  readonly hash: string
}

/** Letters that an identifier of a station may have (identifierString of 2.0.1, at most 48 characters). */
const STATION_ID = /^[\w*=:+|@.-]{1,48}$/

/** Passwords of both versions have 16 to 40 characters; ours are random, so a fast hash with a salt keeps them. */
const MAX_PASSWORD = 40

/** The station's id: the last step of the path that it dials. Null if it has none that is valid. */
export const stationIdFromPath = (path: string): string | null => {
  const last = path.split("?")[0]!.split("/").at(-1)!
  try {
    const id = decodeURIComponent(last)
    return STATION_ID.test(id) ? id : null
  } catch {
    return null
  }
}

/** User and password of a Basic Authorization header (RFC 7617); null if the header is none. The first colon separates them. */
export const basicLogin = (header: string | undefined): { readonly user: string; readonly password: string } | null => {
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? "")?.[1]
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, "base64").toString("utf8")
  const colon = text.indexOf(":")
  return colon < 0 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

const digest = (salt: string, password: string) =>
  createHash("sha256").update(Buffer.from(salt, "hex")).update(password, "utf8").digest()

export const hashedPassword = (salt: string, password: string): StoredPassword => ({
  salt,
  hash: digest(salt, password).toString("hex")
})

/** A stored password that no password matches, so that an unknown station costs the same time as a wrong password. */
const nobody: StoredPassword = { salt: "00".repeat(16), hash: "00".repeat(32) }

/**
 * Whether a station may connect: the header's user is the station's id and the password is its own. The comparison takes
 * the same time whatever differs, and for a station that is not known (`stored` null).
 */
export const mayConnect = (stationId: string, header: string | undefined, stored: StoredPassword | null): boolean => {
  const login = basicLogin(header)
  const password = login?.password ?? ""
  const { hash, salt } = stored ?? nobody
  const expected = Buffer.from(hash, "hex")
  const actual = digest(salt, password.slice(0, MAX_PASSWORD + 1))
  const same = expected.length === actual.length && timingSafeEqual(expected, actual)
  return same && stored !== null && login?.user === stationId && password.length <= MAX_PASSWORD
}
