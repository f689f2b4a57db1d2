import { Cause, Exit, Schema } from "effect"
import { type BulkFailure, bulkFailure } from "./BulkFailure.ts"
import { invalid } from "./invalid.ts"
import { schemaDetails } from "./schemaDetails.ts"

/** An item of a bulk request that is well-formed. */
export interface BulkItem<A> {
  readonly index: number
  readonly input: A
}

/** Decodes each item of a bulk request by itself, as the body of a request of its own. */
export const decodeItems = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownExit(schema, { errors: "all" })
  return (items: ReadonlyArray<unknown>) => {
    const decoded: Array<BulkItem<A>> = []
    const failures: Array<BulkFailure> = []
    for (const [index, item] of items.entries()) {
      const exit = decode(item)
      if (Exit.isSuccess(exit)) decoded.push({ index, input: exit.value })
      else
        failures.push(
          bulkFailure(index, invalid(schemaDetails(Cause.squash(exit.cause) as Schema.SchemaError, "body")))
        )
    }
    return { decoded, failures }
  }
}
