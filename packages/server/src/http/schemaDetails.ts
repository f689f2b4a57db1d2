import { Schema, SchemaIssue } from "effect"

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "Is required"
    if (issue._tag === "UnexpectedKey") return "Is not known here"
    return SchemaIssue.defaultLeafHook(issue)
  }
})

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
    details[name] ??= issue.message
  }
  return details
}
