import { Schema } from "effect"
import { documents } from "./documents.ts"

/** The greatest number of items in one bulk request. */
export const BULK_LIMIT = 500

/** Items of a bulk request. They are checked one by one, so that a bad one does not sink the others. */
export const bulkItems = (records: string) => {
  const many = { message: `Must be an array of 1 to ${BULK_LIMIT} ${records}` }
  return Schema.Array(Schema.Unknown)
    .annotate(many)
    .check(Schema.isBetweenLength(1, BULK_LIMIT, many))
    .annotate({ description: `Up to ${BULK_LIMIT} ${records}, each created or refused by itself` })
}

const count = (description: string) =>
  Schema.Int.check(documents({ minimum: 0, maximum: BULK_LIMIT })).annotate({ description })

/** What became of each item, in the order of the request. */
export const bulkResults = <S extends Schema.Top>(result: S) =>
  Schema.Array(result)
    .check(documents({ maxItems: BULK_LIMIT }))
    .annotate({ description: "What became of each item, in the order of the request" })

/** How many of the items went which way. */
export const bulkCounts = {
  created: count("Items that were created"),
  failed: count("Items that were refused; the others are created")
}
