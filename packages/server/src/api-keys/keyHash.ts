import { hash } from "node:crypto"

/** What is stored of a key. Keys have 190 random bits, so one SHA-256 is enough: there is nothing to guess. */
export const keyHash = (key: string): Uint8Array => hash("sha256", key, "buffer")

export const keyPrefix = (key: string) => key.slice(0, 12)
