import { Schema } from "effect"
import { documents, notExpressible } from "./documents.ts"

/** Neither NUL nor half a surrogate pair can be stored by PostgreSQL, so no string that enters may hold one. */
export const isStorableText = (value: string) => value.isWellFormed() && !value.includes("\0")

/** As much of it as a JSON Schema can say: there are no characters for half a pair. */
export const STORABLE_PATTERN = "^[^\\x00]*$"

const storable = Schema.makeFilter<string>(isStorableText, {
  message: "Must not contain NUL or unpaired surrogates",
  toJsonSchema: () => [{ pattern: STORABLE_PATTERN }, true]
})

const limits = (minimum: number, maximum: number) => `Must be a string of ${minimum} to ${maximum} characters`

/** A string that a caller sends: storable, and bounded in length. */
export const Text = (minimum: number, maximum: number) =>
  Schema.String.annotate({ message: limits(minimum, maximum) }).check(
    Schema.isBetweenCodePoints(minimum, maximum, {
      message: limits(minimum, maximum),
      toJsonSchema: () => [{ minLength: minimum, maxLength: maximum }, true]
    }),
    storable
  )

/**
 * A string in an answer: what `Text` let in. It is not measured again on its way out; the document tells its bound, so
 * that callers know what to make room for.
 */
export const StoredText = (maximum: number) =>
  Schema.String.check(documents({ maxLength: maximum, pattern: STORABLE_PATTERN }))

// Control characters are spelt out: not every reader of the OpenAPI document knows classes such as \p{Cc}.
const besidesTags = ",\\x00-\\x1f\\x7f-\\x9f"
const [any, noDot] = [`[^${besidesTags}]`, `[^.${besidesTags}]`]
// Spelt out for the same reason: not every reader knows how to look ahead.
const tagPattern = `^(${noDot}${any}{0,99}|\\.${noDot}${any}{0,98}|\\.\\.${any}{1,98})$`
const tagMessage = "Must be a tag: 1 to 100 characters without commas, neither . nor .."

/**
 * A short label by which devices and sites are grouped. Commas separate tags in filters, so a tag has none; and no path
 * can end in `.` or `..`, which clients resolve by themselves, so no tag is called that.
 */
export const Tag = Schema.String.annotate({ message: tagMessage }).check(
  Schema.isPattern(new RegExp(tagPattern, "u"), { message: tagMessage }),
  Schema.makeFilter<string>(isStorableText, {
    message: "Must not contain NUL or unpaired surrogates",
    toJsonSchema: () => [{ maxLength: 100 }, true]
  })
)

/** The greatest number of tags of one thing. */
export const TAGS_LIMIT = 100

export const Tags = Schema.Array(Tag)
  .check(Schema.isMaxLength(100, { message: "Must be at most 100 tags" }))
  .annotate({ description: "Labels, at most 100, each of 1 to 100 characters without commas, neither `.` nor `..`" })

const MAX_DEPTH = 16

const isStorableJson = (value: unknown, depth = 0): boolean => {
  if (depth > MAX_DEPTH) return false
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\0")
  if (typeof value === "number") return Number.isFinite(value)
  if (Array.isArray(value)) return value.every((item) => isStorableJson(item, depth + 1))
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).every(([key, item]) => isStorableJson(key) && isStorableJson(item, depth + 1))
  }
  return true
}

/** The greatest number of fields of a free-form object itself. */
const MAX_FIELDS = 1000

/** A free-form object: any JSON, at most 16 levels deep. */
export const FreeForm = Schema.Record(Schema.String, Schema.Unknown)
  .annotate({ message: "Must be a JSON object" })
  .check(
    Schema.isMaxProperties(MAX_FIELDS, { message: `Must have at most ${MAX_FIELDS} fields` }),
    Schema.makeFilter((value) => isStorableJson(value), {
      message: "Must be a JSON object, at most 16 levels deep, without NUL or unpaired surrogates",
      toJsonSchema: notExpressible
    })
  )
  .annotate({ description: "Free-form object" })

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
