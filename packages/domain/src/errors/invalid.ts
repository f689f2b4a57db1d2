import { ValidationError } from "./ApiErrors.ts"

/** A VALIDATION_ERROR about the named fields, each with one sentence. */
export const invalid = (details: Record<string, string>) => new ValidationError({ details })
