import { type Schema, SchemaIssue } from "effect"

const leaf = (issue: SchemaIssue.Leaf) => {
  if (issue._tag === "MissingKey") return "Is required"
  if (issue._tag === "UnexpectedKey") return "Is not known here"
  return SchemaIssue.defaultLeafHook(issue)
}

const kinds: Readonly<Record<string, string>> = {
  "Expected string": "Must be a string",
  "Expected number": "Must be a number",
  "Expected a finite number": "Must be a number",
  "Expected boolean": "Must be true or false",
  "Expected array": "Must be an array",
  "Expected object": "Must be an object"
}

/** Rewrites the default messages of the schema library for callers of the API. */
const sentence = (message: string) => {
  if (!message.startsWith("Expected ")) return message
  if (message.startsWith("Expected a string representing")) return "Must be a number"
  return kinds[message.replace(/, got .*$/s, "")] ?? "Must be a value that is documented for it"
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leaf })

/** A message for each invalid field of a failed decoding, by its dotted path under `prefix`; `whole` is the name of the value itself. */
export const schemaDetails = (
  error: Schema.SchemaError,
  whole: string,
  prefix: ReadonlyArray<string | number> = []
): Record<string, string> => {
  // The names come from the caller, so the record has no prototype.
  const details: Record<string, string> = Object.create(null)
  for (const issue of format(error.issue).issues) {
    const path = (issue.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
    const name = [...prefix, ...path].join(".") || whole
    details[name] ??= sentence(issue.message)
  }
  return details
}
