import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto"
import { Schema } from "effect"

/**
 * The path to which devices connect, followed by an id and a secret. A Shelly sends no authorization, so its address is its password:
 * the log and the traces of the platform leave out what follows `/inbound/<name>/`.
 */
export const DEVICE_PATH = "/inbound/shelly/"

/** A secret as it is stored: hashed with a salt of its own. */
export interface StoredSecret {
  readonly salt: string
  readonly hash: string
}

/** An account: the hashed secret of its address, and the switches that supply a charging cable. */
export const ShellyCredentials = Schema.Struct({
  salt: Schema.String,
  hash: Schema.String,
  chargers: Schema.Array(Schema.Int)
})
export type ShellyCredentials = typeof ShellyCredentials.Type

/** Leaves out letters and digits that look alike, because a person may copy the id. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
const ID_LENGTH = 10
const SECRET_BYTES = 16
const SALT_BYTES = 16

const PATH = new RegExp(`^${DEVICE_PATH}([${alphabet}]{${ID_LENGTH}})-([0-9a-f]{${2 * SECRET_BYTES}})/?$`)

/** The id and the secret in a path; null if it has none. */
export const parsePath = (path: string): { readonly id: string; readonly secret: string } | null => {
  const found = PATH.exec(path.split("?", 1)[0] ?? "")
  return found === null ? null : { id: found[1]!, secret: found[2]! }
}

const digest = (salt: string, secret: string) =>
  createHash("sha256").update(Buffer.from(salt, "hex")).update(secret).digest()

/** A new address, of which only the hash of the secret is kept. */
export const newAddress = (publicUrl: string) => {
  const id = Array.from({ length: ID_LENGTH }, () => alphabet[randomInt(alphabet.length)]).join("")
  const secret = randomBytes(SECRET_BYTES).toString("hex")
  const salt = randomBytes(SALT_BYTES).toString("hex")
  return {
    id,
    url: `${publicUrl.replace(/^http/, "ws")}${DEVICE_PATH}${id}-${secret}`,
    stored: { salt, hash: digest(salt, secret).toString("hex") }
  }
}

/** The credentials of an account; null if they are not those of a Shelly. */
export const readCredentials = (credentials: unknown): ShellyCredentials | null =>
  Schema.is(ShellyCredentials)(credentials) ? credentials : null

/** A stored secret that no secret matches, so that an unknown id costs the same time as a wrong secret. */
const nobody: StoredSecret = { salt: "00".repeat(SALT_BYTES), hash: "00".repeat(32) }

/** Whether a secret is the stored one. The comparison takes the same time whatever differs. */
export const isSecret = (secret: string, stored: StoredSecret | null): boolean => {
  const { hash, salt } = stored ?? nobody
  const [actual, expected] = [digest(salt, secret), Buffer.from(hash, "hex")]
  return expected.length === actual.length && timingSafeEqual(expected, actual) && stored !== null
}
