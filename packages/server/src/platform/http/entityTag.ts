import { hash } from "node:crypto"

/** A weak tag: what it stands for may travel in several codings. */
export const weakTag = (content: Uint8Array | string) => `W/"${hash("sha256", content, "base64url").slice(0, 22)}"`

const opaque = (tag: string) => tag.trim().replace(/^W\//, "")

/** Whether the caller has it already: `If-None-Match` is a list of tags, compared weakly, or `*`. */
export const isKnown = (ifNoneMatch: string | undefined, tag: string): boolean =>
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((one) => opaque(one) === opaque(tag)))
