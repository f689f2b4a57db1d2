import { Schema } from "effect"
import { type ErrorCode as Code, errorCodes } from "./ErrorCode.ts"

/** Any code of the table, where an answer names one per item. */
export const ErrorCode = Schema.Literals(Object.keys(errorCodes) as ReadonlyArray<Code>).annotate({
  identifier: "ErrorCode",
  description: "Machine readable and stable"
})
