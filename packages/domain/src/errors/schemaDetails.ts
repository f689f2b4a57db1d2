import { type Schema, SchemaIssue } from "effect"

const leaf = (issue: SchemaIssue.Leaf) => {
  if (issue._tag === "MissingKey") return "Is required"
  if (issue._tag === "UnexpectedKey") return "Is not known here"
  return SchemaIssue.defaultLeafHook(issue)
}

/** What the schema library says of its own accord, said to somebody who does not know it. */
const sentence = (message: string, name: string) => {
  if (name === "body" && !message.includes("JSON")) return "Must be a JSON object"
  if (message.startsWith("Expected a string representing")) return "Must be a number"
  return message.replace(/^Expected /, "Must be ")
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
    details[name] ??= sentence(issue.message, name)
  }
  return details
}
