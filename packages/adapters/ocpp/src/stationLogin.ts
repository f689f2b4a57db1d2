import { createHash, timingSafeEqual } from "node:crypto"

/** The password of a station as it is stored: salt and SHA-256, both hexadecimal. */
export interface StoredPassword {
  readonly salt: string
  readonly hash: string
}

/** A stored password among an account's credentials; null if they hold none. */
export const storedPassword = (credentials: unknown): StoredPassword | null => {
  const { hash, salt } = (credentials ?? {}) as Partial<StoredPassword>
  return typeof hash === "string" && typeof salt === "string" ? { hash, salt } : null
}

export const isSamePassword = (one: StoredPassword, other: StoredPassword): boolean =>
  one.salt === other.salt && one.hash === other.hash

/** Letters that an identifier of a station may have (identifierString of 2.0.1, at most 48 characters). */
const STATION_ID = /^[\w*=:+|@.-]{1,48}$/

export const isStationId = (text: string): boolean => STATION_ID.test(text)

/** Passwords of both versions have 16 to 40 characters; ours are random, so a fast hash with a salt keeps them. */
const MAX_PASSWORD = 40

/** The id in the path that a station dials: `prefix` and the id. Null if it has none that is valid. */
export const stationIdFromPath = (prefix: string, path: string): string | null => {
  const [address = ""] = path.split("?")
  if (!address.startsWith(prefix)) return null
  try {
    const id = decodeURIComponent(address.slice(prefix.length))
    return isStationId(id) ? id : null
  } catch {
    return null
  }
}

/**
 * The password of a Basic Authorization header (RFC 7617) for a user; null if the header is none, or names another user. The id
 * of a station may have a colon, so the user is not what comes before the first one.
 */
export const basicPassword = (header: string | undefined, user: string): Buffer | null => {
  const encoded = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? "")?.[1]
  if (encoded === undefined) return null
  const bytes = Buffer.from(encoded, "base64")
  const begin = Buffer.from(`${user}:`)
  return bytes.subarray(0, begin.length).equals(begin) ? bytes.subarray(begin.length) : null
}

const digest = (salt: string, password: string | Buffer) =>
  createHash("sha256").update(Buffer.from(salt, "hex")).update(password).digest()

export const hashedPassword = (salt: string, password: string): StoredPassword => ({
  salt,
  hash: digest(salt, password).toString("hex")
})

/** A stored password that no password matches, so that an unknown station costs the same time as a wrong password. */
const nobody: StoredPassword = { salt: "00".repeat(16), hash: "00".repeat(32) }

const isSame = (actual: Buffer, expected: Buffer) =>
  expected.length === actual.length && timingSafeEqual(expected, actual)

/**
 * Whether a station may connect: the header's user is the station's id and the password is its own. The comparison takes
 * the same time whatever differs, and for a station that is not known (`stored` null).
 *
 * Stations that take their AuthorizationKey for hexadecimal, as 1.6 has it, send the bytes that it stands for.
 */
export const mayConnect = (stationId: string, header: string | undefined, stored: StoredPassword | null): boolean => {
  const given = basicPassword(header, stationId)
  const password = (given ?? Buffer.alloc(0)).subarray(0, MAX_PASSWORD + 1)
  const { hash, salt } = stored ?? nobody
  const expected = Buffer.from(hash, "hex")
  const verbatim = isSame(digest(salt, password), expected)
  const decoded = isSame(digest(salt, password.toString("hex")), expected)
  return (verbatim || decoded) && stored !== null && given !== null && password.length <= MAX_PASSWORD
}
