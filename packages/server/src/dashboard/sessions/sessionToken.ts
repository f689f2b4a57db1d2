import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"

/** The value of a cookie or a link: 256 random bits. */
export const newToken = () => randomBytes(32).toString("base64url")

const form = /^[\w-]{43}$/

export const isToken = (text: string) => form.test(text)

/** The stored form of a token, of which one round of SHA-256 is enough. */
export const tokenHash = (token: string): Uint8Array => createHash("sha256").update(token).digest()

/** The CSRF token follows from the cookie, which pages can't read. */
export const csrfToken = (token: string) => createHmac("sha256", token).update("csrf").digest("base64url")

/** Compares in constant time. */
export const isSameText = (one: string, other: string) => timingSafeEqual(tokenHash(one), tokenHash(other))
