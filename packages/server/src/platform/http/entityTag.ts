import { hash } from "node:crypto"

/** A weak tag, because the content may be sent in several encodings. */
export const weakTag = (content: Uint8Array | string) => `W/"${hash("sha256", content, "base64url").slice(0, 22)}"`

const opaque = (tag: string) => tag.trim().replace(/^W\//, "")

/** Whether the caller has this version: `If-None-Match` is a list of tags, compared weakly, or `*`. */
export const isKnown = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((one) => opaque(one) === opaque(tag)))
