import { Result, Schema } from "effect"
import { documents, typedAs } from "../shared/documents.ts"
import { Sentence } from "./ApiError.ts"
import { DETAILS_LIMIT, invalid } from "./ApiErrors.ts"
import { ErrorCode } from "./ErrorCode.ts"
import { validator } from "./validator.ts"

/** Maximum number of items in one bulk request. */
export const BULK_LIMIT = 500

/** Items of a bulk request. They are validated one by one, so that an invalid item does not affect the others. */
export const bulkItems = <S extends Schema.Top>(item: S, records: string) => {
  const many = { message: `Must be an array of 1 to ${BULK_LIMIT} ${records}` }
  return Schema.Array(typedAs(item, Schema.Any))
    .annotate(many)
    .check(Schema.isBetweenLength(1, BULK_LIMIT, many))
    .annotate({ description: `Up to ${BULK_LIMIT} ${records}, each created or rejected independently` })
}

const count = (description: string) =>
  Schema.Int.check(documents({ minimum: 0, maximum: BULK_LIMIT })).annotate({ description })

/** Outcome of each item, in the order of the request. */
export const bulkResults = <S extends Schema.Top>(result: S) =>
  Schema.Array(result)
    .check(documents({ maxItems: BULK_LIMIT }))
    .annotate({ description: "Outcome of each item, in the order of the request" })

/** Numbers of created and rejected items. */
export const bulkCounts = {
  created: count("Number of items that were created"),
  failed: count("Number of items that were rejected; the others are created")
}

/** The first field of every item's result. */
export const bulkIndex = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 499 })).annotate({
  description: "Position in the request, starting at 0"
})

/** Why an item of a bulk request was rejected: the error that a single request would have returned. */
export const BulkFailure = Schema.Struct({
  index: bulkIndex,
  status: Schema.Literal("error").annotate({ description: "The item was rejected" }),
  code: ErrorCode,
  message: Sentence.annotate({ description: "Shown to users; the wording may change" }),
  details: Schema.optionalKey(Schema.Record(Schema.String, Sentence)).annotateKey({
    description: "With VALIDATION_ERROR: a message for each invalid field of the item, by its dotted path"
  })
}).annotate({
  identifier: "BulkFailure",
  description: "Why an item was rejected: the error that a single request would have returned"
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

/** A valid item of a bulk request. */
export interface BulkItem<A> {
  readonly index: number
  readonly input: A
}

/** Maximum number of invalid fields that one response names in all; items beyond it name their first. */
const FIELDS_OF_ALL = 10 * DETAILS_LIMIT

/** Decodes each item of a bulk request as the body of a single request. */
export const decodeItems = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = validator(schema, "body")
  return (items: ReadonlyArray<unknown>) => {
    const decoded: Array<BulkItem<A>> = []
    const failures: Array<BulkFailure> = []
    let left = FIELDS_OF_ALL
    for (const [index, item] of items.entries()) {
      const most = Math.max(1, Math.min(left, DETAILS_LIMIT))
      const result = decode(item, [], most + 1)
      if (Result.isSuccess(result)) decoded.push({ index, input: result.success })
      else {
        const refusal = invalid(result.failure, most)
        left -= Object.keys(refusal.details).length
        failures.push(bulkFailure(index, refusal))
      }
    }
    return { decoded, failures }
  }
}
