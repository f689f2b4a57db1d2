import { createCipheriv, createDecipheriv, createHash } from "node:crypto"

export const NONCE_BYTES = 12

const VERSION = 1
const FINGERPRINT_BYTES = 8
const TAG_BYTES = 16
const HEAD_BYTES = 1 + FINGERPRINT_BYTES + NONCE_BYTES

/** Identifies a key without revealing it. */
export const keyFingerprint = (key: Uint8Array): Uint8Array =>
  createHash("sha256").update("edp encryption key\0").update(key).digest().subarray(0, FINGERPRINT_BYTES)

/**
 * Encrypts with AES-256-GCM: a version, the key's fingerprint, the nonce, the ciphertext and its tag.
 *
 * @param purpose What the secret is for, such as its row. It opens only for the same purpose.
 * @param nonce 12 random bytes, never used with this key before.
 */
export const seal = (key: Uint8Array, nonce: Uint8Array, purpose: string, secret: string): Uint8Array => {
  const head = Buffer.concat([Uint8Array.of(VERSION), keyFingerprint(key), nonce])
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.concat([head, Buffer.from(purpose)]))
  return Buffer.concat([head, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()])
}

/** The fingerprint of the key of a sealed secret. */
export const sealedWith = (sealed: Uint8Array): Uint8Array => sealed.subarray(1, 1 + FINGERPRINT_BYTES)

/**
 * Decrypts a sealed secret.
 *
 * @throws if it was changed, or sealed with another key or for another purpose.
 */
export const open = (key: Uint8Array, purpose: string, sealed: Uint8Array): string => {
  if (sealed[0] !== VERSION || sealed.length < HEAD_BYTES + TAG_BYTES)
    throw new Error("The value is not a sealed secret")
  const head = sealed.subarray(0, HEAD_BYTES)
  const decipher = createDecipheriv("aes-256-gcm", key, head.subarray(HEAD_BYTES - NONCE_BYTES), {
    authTagLength: TAG_BYTES
  })
  decipher.setAAD(Buffer.concat([head, Buffer.from(purpose)])).setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8")
}
