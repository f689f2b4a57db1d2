import { Schema } from "effect"
import { ErrorCode } from "./ErrorCodeSchema.ts"
import { Sentence } from "./Sentence.ts"

/** What every item's result begins with. */
export const bulkIndex = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 499 })).annotate({
  description: "Position in the request, from 0"
})

/** Why one item of a bulk request was refused: what a request of its own would have been answered. */
export const BulkFailure = Schema.Struct({
  index: bulkIndex,
  status: Schema.Literal("error").annotate({ description: "The item was refused" }),
  code: ErrorCode,
  message: Sentence.annotate({ description: "For people; the wording may change" }),
  details: Schema.optionalKey(Schema.Record(Schema.String, Sentence)).annotateKey({
    description: "With VALIDATION_ERROR: each offending field of the item, as a dotted path, and what is wrong with it"
  })
}).annotate({
  identifier: "BulkFailure",
  description: "Why one item was refused: what a request of its own would have been answered"
})
export type BulkFailure = typeof BulkFailure.Type

interface Refusal {
  readonly code: BulkFailure["code"]
  readonly message: string
  readonly details?: Readonly<Record<string, string>>
}

export const bulkFailure = (index: number, { code, message, details }: Refusal): BulkFailure => ({
  index,
  status: "error",
  code,
  message,
  ...(details === undefined ? {} : { details })
})
