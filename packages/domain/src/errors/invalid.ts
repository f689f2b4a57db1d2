import { ValidationError } from "./ApiErrors.ts"

/** The greatest number of offending fields that one answer names. */
export const DETAILS_LIMIT = 100

const more = (most: number) => {
  const named = most === 1 ? "the first" : `the first ${most}`
  return `The request is not valid; more fields are wrong than are named: details has ${named}`
}

/** A VALIDATION_ERROR about the named fields, each with one sentence. It names the first 100, and its message says whether there are more. */
export const invalid = (details: Record<string, string>, most = DETAILS_LIMIT) => {
  const names = Object.keys(details)
  if (names.length <= most) return new ValidationError({ details })
  const first: Record<string, string> = Object.create(null)
  for (const name of names.slice(0, most)) first[name] = details[name]!
  return new ValidationError({ details: first, message: more(most) })
}
