import { Schema } from "effect"

const message = "Must be an e-mail address of at most 254 characters"

/** Whoever sends to it finds out whether it exists; here it must only look like one. */
const pattern = /^[^\s\p{Cc}@<>()[\],;:\\"]+@[^\s\p{Cc}@<>()[\],;:\\"]+\.[^\s\p{Cc}@<>()[\],;:\\".]+$/u

/** An e-mail address as a caller sends it. */
export const Email = Schema.String.annotate({ message }).check(
  Schema.isMaxCodePoints(254, { message }),
  Schema.makeFilter((text: string) => text.isWellFormed() && pattern.test(text), {
    message,
    toJsonSchema: () => ({ format: "email" })
  })
)
