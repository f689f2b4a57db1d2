import { Schema } from "effect"
import { documents, notExpressible } from "./documents.ts"

/** PostgreSQL can store neither NUL nor unpaired surrogates, so no input string may contain them. */
export const isStorableText = (value: string) => value.isWellFormed() && !value.includes("\0")

/** The part of the rule that JSON Schema can express: a pattern can't match unpaired surrogates. */
export const STORABLE_PATTERN = "^[^\\x00]*$"

const storable = Schema.makeFilter<string>(isStorableText, {
  message: "Must not contain NUL or unpaired surrogates",
  toJsonSchema: () => [{ pattern: STORABLE_PATTERN }, true]
})

const limits = (minimum: number, maximum: number) => `Must be a string of ${minimum} to ${maximum} characters`

/** An input string: storable, and bounded in length. */
export const Text = (minimum: number, maximum: number) =>
  Schema.String.annotate({ message: limits(minimum, maximum) }).check(
    Schema.isBetweenCodePoints(minimum, maximum, {
      message: limits(minimum, maximum),
      toJsonSchema: () => [{ minLength: minimum, maxLength: maximum }, true]
    }),
    storable
  )

/**
 * A string in a response. It was checked by `Text` when it was received and is not measured again; the document states its
 * maximum length for clients.
 */
export const StoredText = (maximum: number) =>
  Schema.String.check(documents({ maxLength: maximum, pattern: STORABLE_PATTERN }))

// Control characters are listed: not every reader of the OpenAPI document supports classes such as \p{Cc}.
const besidesTags = ",\\x00-\\x1f\\x7f-\\x9f"
const [any, noDot] = [`[^${besidesTags}]`, `[^.${besidesTags}]`]
// Written without look-ahead for the same reason.
const tagPattern = `^(${noDot}${any}{0,99}|\\.${noDot}${any}{0,98}|\\.\\.${any}{1,98})$`
const tagMessage = "Must be a tag: 1 to 100 characters without commas, neither . nor .."

/**
 * A short label for grouping devices and sites. Commas separate tags in filters, so a tag contains none. Clients resolve
 * `.` and `..` in paths, so a tag is neither.
 */
export const Tag = Schema.String.annotate({ message: tagMessage }).check(
  Schema.isPattern(new RegExp(tagPattern, "u"), { message: tagMessage }),
  Schema.makeFilter<string>(isStorableText, {
    message: "Must not contain NUL or unpaired surrogates",
    toJsonSchema: () => [{ maxLength: 100 }, true]
  })
)

/** The maximum number of tags of one device or site. */
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

/** The maximum number of top-level fields of a free-form object. */
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

const MAX_JSON = 10_000
const jsonMessage = `Must be JSON of at most ${MAX_JSON} characters and 16 levels, without NUL or unpaired surrogates`

/** Any JSON value of bounded size. */
export const JsonValue = Schema.Unknown.check(
  Schema.makeFilter((value) => isStorableJson(value) && JSON.stringify(value).length <= MAX_JSON, {
    message: jsonMessage,
    toJsonSchema: notExpressible
  })
)

const message = "Must be an e-mail address of at most 254 characters"

const LOCAL = String.raw`[^\s\p{C}@<>()[\],;:\\".]+`
const INNER = String.raw`[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}]`
const LABEL = String.raw`[\p{L}\p{N}](?:${INNER})?`
/** The last label contains a letter: otherwise it would be an IPv4 address. */
const pattern = new RegExp(String.raw`^(?=.{1,64}@)${LOCAL}(?:\.${LOCAL})*@(?:${LABEL}\.)+(?=.*\p{L})${LABEL}$`, "u")

/** The form of an e-mail address. Whether it exists is not checked. */
export const Email = Schema.String.annotate({ message }).check(
  Schema.isMaxLength(254, { message }),
  Schema.makeFilter((text: string) => pattern.test(text), {
    message,
    toJsonSchema: () => ({ format: "email" })
  })
)

/** An address that begins with https. */
export const HttpsUrl = Text(1, 2000).check(
  Schema.isPattern(/^https:\/\/[^\s]+$/u, { message: "Must be an https address" })
)

const colorMessage = "Must be a colour such as #1a5fb4"

/** A colour in sRGB, as `#` and six hexadecimal digits. */
export const HexColor = Schema.String.annotate({ message: colorMessage }).check(
  Schema.isPattern(/^#[0-9A-Fa-f]{6}$/u, {
    message: colorMessage,
    toJsonSchema: () => [{ pattern: "^#[0-9A-Fa-f]{6}$", maxLength: 7 }, true]
  })
)
