import { type ApiKeyType, apiKeyTypes } from "./ApiKeyType.ts"

const prefixes = {
  API: "api_",
  CONNECT: "connect_",
  MANAGEMENT: "mgmt_",
  MANUFACTURER: "mfr_",
  OPENADR_BL: "oadrbl_",
  OPENADR_VEN: "oadrven_",
  SCOPED: "scoped_",
  SERVER: "server_"
} as const satisfies Record<ApiKeyType, string>

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
/** The largest multiple of 62 in a byte: using bytes from here on would make some characters more likely. */
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
 * A new key: the prefix of its type, 32 random base-62 characters, and a base-62 CRC-32 of both, so that secret scanners and
 * the service recognise a mistyped key without a look-up. `randomBytes` must be cryptographically secure.
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

/** Whether a text has the form of a key and a correct checksum. Only the service knows whether the key exists. */
export const isWellFormedKey = (text: string): boolean =>
  shape.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)

/** The key type of a key's prefix; undefined if the prefix is unknown. */
export const parseKeyType = (text: string): ApiKeyType | undefined =>
  apiKeyTypes.find((type) => text.startsWith(prefixes[type]))

/** Length of `keyPrefix`, the part of a key that may be shown. */
const SHOWN_LENGTH = 12
const anyKey = new RegExp(`(?:${Object.values(prefixes).join("|")})[0-9A-Za-z]{20,}`, "gu")

/** Masks the complete or truncated keys in a text. */
export const maskKeys = (text: string): string =>
  text.includes("_") ? text.replace(anyKey, (key) => `${key.slice(0, SHOWN_LENGTH)}***`) : text
