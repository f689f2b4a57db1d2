import { Result, Schema, SchemaIssue } from "effect"
import type { CallErrorKind, Payload } from "./frames.ts"

/** A text of a station as it is kept: without NUL and halves of surrogate pairs, which the database does not store. */
export const keptText = (text: string, length = text.length): string =>
  text.slice(0, length).replaceAll("\0", "").toWellFormed()

/** Removes properties that are null: stations send them for fields that they leave out. */
const cleaned = (value: unknown): unknown => {
  if (typeof value === "string") return keptText(value)
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(cleaned)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, cleaned(item)])
  )
}

/** A payload that its schema refuses, as the kind of error that the standard has for it. */
export interface PayloadProblem {
  readonly kind: CallErrorKind
  readonly message: string
}

/** The first leaf of an issue decides the kind: a missing field, a wrong type, or a value that is not allowed. */
const kindFromIssue = (issue: SchemaIssue.Issue): CallErrorKind => {
  switch (issue._tag) {
    case "MissingKey":
      return "occurrence"
    case "InvalidType":
      return "type"
    case "Pointer":
    case "Filter":
    case "Encoding":
      return issue._tag === "Filter" ? "property" : kindFromIssue(issue.issue)
    case "Composite":
      return kindFromIssue(issue.issues[0])
    default:
      return "property"
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const messageFromIssue = (issue: SchemaIssue.Issue): string => {
  const [first] = format(issue).issues
  const path = (first?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".")
  return `${path === "" ? "The payload" : path}: ${first?.message ?? "is not valid"}`
}

/** A reader of payloads of one message. Unknown fields are left out, as both versions ask. */
export const payloadReader = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (payload: Payload): Result.Result<S["Type"], PayloadProblem> =>
    Result.mapError(decode(cleaned(payload)), ({ issue }) => ({
      kind: kindFromIssue(issue),
      message: messageFromIssue(issue)
    }))
}
