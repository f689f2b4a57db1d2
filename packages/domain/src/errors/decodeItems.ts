import { Result, type Schema } from "effect"
import { type BulkFailure, bulkFailure } from "./BulkFailure.ts"
import { DETAILS_LIMIT, invalid } from "./invalid.ts"
import { validator } from "./validator.ts"

/** An item of a bulk request that is well-formed. */
export interface BulkItem<A> {
  readonly index: number
  readonly input: A
}

/** How many offending fields one answer names in all: beyond them an item names its first. */
const FIELDS_OF_ALL = 10 * DETAILS_LIMIT

/** Decodes each item of a bulk request by itself, as the body of a request of its own. */
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
