import { Schema } from "effect"

const message = "Must be an e-mail address of at most 254 characters"

const LOCAL = String.raw`[^\s\p{C}@<>()[\],;:\\".]+`
const INNER = String.raw`[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]`
const LABEL = String.raw`[\p{L}\p{N}](?:${INNER})?`
/** The last label holds a letter: without one it would be an address of IPv4. */
const pattern = new RegExp(String.raw`^(?=.{1,64}@)${LOCAL}(?:\.${LOCAL})*@(?:${LABEL}\.)+(?=.*\p{L})${LABEL}$`, "u")

/** An e-mail address as a caller sends it. Whoever sends to it finds out whether it exists. */
export const Email = Schema.String.annotate({ message }).check(
  Schema.isMaxLength(254, { message }),
  Schema.makeFilter((text: string) => pattern.test(text), {
    message,
    toJsonSchema: () => ({ format: "email" })
  })
)
