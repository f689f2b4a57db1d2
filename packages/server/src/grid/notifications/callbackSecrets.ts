import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"

/** The path below which VTNs notify. */
export const CALLBACK_PATH = "/grid-notifications"

/** The secrets that a VTN is given to notify with. Hashes of them are all that is stored. */
export interface CallbackSecrets {
  readonly pathToken: Redacted.Redacted
  readonly bearerToken: Redacted.Redacted
}

export const newSecrets = (): CallbackSecrets => ({
  pathToken: Redacted.make(randomBytes(32).toString("base64url")),
  bearerToken: Redacted.make(randomBytes(32).toString("base64url"))
})

/** Tokens are random, so that a plain hash can't be reversed. */
export const secretHash = (secret: string): Uint8Array => createHash("sha256").update(secret).digest()

/** Whether a token has the hash, in a time that says nothing about either. */
export const isSecret = (given: string, hash: Uint8Array): boolean => timingSafeEqual(secretHash(given), hash)

/** The address at which a VTN notifies; undefined for a service without a public https address. */
export const callbackUrl = (publicUrl: string, token: string): string | undefined =>
  URL.canParse(publicUrl) && new URL(publicUrl).protocol === "https:"
    ? `${publicUrl.replace(/\/+$/u, "")}${CALLBACK_PATH}/${token}`
    : undefined

/** A mark of the settings that notifications were set up for. */
export const settingsMark = (settings: ReadonlyArray<unknown>): string =>
  createHash("sha256").update(JSON.stringify(settings)).digest("base64url")
