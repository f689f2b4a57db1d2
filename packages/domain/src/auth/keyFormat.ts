import { type ApiKeyType, apiKeyTypes } from "./ApiKeyType.ts"

const prefixes = {
  API: "api_",
  CONNECT: "connect_",
  MANAGEMENT: "mgmt_",
  MANUFACTURER: "mfr_",
  SCOPED: "scoped_",
  SERVER: "server_"
} as const satisfies Record<ApiKeyType, string>

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
/** The largest multiple of 62 that a byte can stay below: bytes from here on would make some characters likelier. */
const UNBIASED_BELOW = 248

const shape = new RegExp(
  `^(?:${Object.values(prefixes).join("|")})[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`,
  "u"
)

const crc32 = (text: string) => {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}

const base62 = (value: number): string =>
  (value >= 62 ? base62(Math.floor(value / 62)) : "") + alphabet.charAt(value % 62)

const checksum = (text: string) => base62(crc32(text)).padStart(CHECKSUM_LENGTH, "0")

/**
 * A new key: the prefix of its type, 32 random base-62 characters, and a base-62 CRC-32 of what precedes, by which
 * secret scanners and the service tell a mistyped key without a look-up. `randomBytes` must be cryptographically secure.
 */
export const generateKey = (type: ApiKeyType, randomBytes: (length: number) => Uint8Array): string => {
  let body: string = prefixes[type]
  const length = body.length + RANDOM_LENGTH
  while (body.length < length) {
    for (const byte of randomBytes(length - body.length)) {
      if (byte < UNBIASED_BELOW) body += alphabet.charAt(byte % 62)
    }
  }
  return body + checksum(body)
}

/** Whether a text has the shape of a key and its checksum fits; whether such a key exists, only the service knows. */
export const isWellFormedKey = (text: string): boolean =>
  shape.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)

/** The type that a key's prefix names, or undefined where it names none. */
export const keyTypeOf = (text: string): ApiKeyType | undefined =>
  apiKeyTypes.find((type) => text.startsWith(prefixes[type]))

/** What may be shown of a key: `keyPrefix` of its record. */
const SHOWN_LENGTH = 12
const anyKey = new RegExp(`(?:${Object.values(prefixes).join("|")})[0-9A-Za-z]{20,}`, "gu")

/** A text without the secrets of the keys that somebody put into it, whole or cut off. */
export const maskKeys = (text: string): string =>
  text.includes("_") ? text.replace(anyKey, (key) => `${key.slice(0, SHOWN_LENGTH)}***`) : text
