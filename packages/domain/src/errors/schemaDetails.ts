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

/** What the schema library says of its own accord, said to somebody who knows neither it nor the names of our types. */
const sentence = (message: string) => {
  if (!message.startsWith("Expected ")) return message
  if (message.startsWith("Expected a string representing")) return "Must be a number"
  return kinds[message.replace(/, got .*$/s, "")] ?? "Must be a value that is documented for it"
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leaf })

/** Each offending field of a failed decoding, as a dotted path under `prefix`, with one sentence; `whole` names the value itself. */
export const schemaDetails = (
  error: Schema.SchemaError,
  whole: string,
  prefix: ReadonlyArray<string | number> = []
): Record<string, string> => {
  // The names come from the caller, so the record has no prototype for one of them to reach.
  const details: Record<string, string> = Object.create(null)
  for (const issue of format(error.issue).issues) {
    const path = (issue.path ?? []).map((segment) => String(typeof segment === "object" ? segment.key : segment))
    const name = [...prefix, ...path].join(".") || whole
    details[name] ??= sentence(issue.message)
  }
  return details
}
