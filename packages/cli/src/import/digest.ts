import { hash } from "node:crypto"

export const digestOf = (text: string): Buffer => hash("sha256", text, "buffer")

/** What a row is known again by, should the file be edited between two runs. */
export const rowDigest = (input: unknown): string => digestOf(JSON.stringify(input)).toString("base64url").slice(0, 22)
