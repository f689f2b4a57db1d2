import { Effect } from "effect"
import { Argument } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { idByReference } from "../../idByReference.ts"

export const customerArgument = Argument.String("customer").pipe(
  Argument.withDescription("Id of the customer, or their referenceId")
)

export const customerId = Effect.fn("customers.find")(function* (name: string) {
  const list = yield* (yield* Connection).endpoint("customers", "list")
  return yield* idByReference("customer", name, (referenceId) =>
    list({ query: { referenceId: [referenceId], perPage: 5 } })
  )
})
