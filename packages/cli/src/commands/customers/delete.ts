import { Effect } from "effect"
import { Command } from "effect/cli"
import { confirm } from "../../ask.ts"
import { Connection } from "../../Connection.ts"
import { yes } from "../../flags.ts"
import { Output } from "../../Output.ts"
import { customerArgument, customerId } from "./find.ts"
import { nameOf } from "./record.ts"

export const remove = Command.make(
  "delete",
  { customer: customerArgument, yes },
  Effect.fn("customers.delete")(function* ({ customer, yes }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const id = yield* customerId(customer)
    const name = nameOf(yield* (yield* connection.endpoint("customers", "get"))({ params: { id }, query: {} }))
    yield* confirm({
      yes,
      message: `Delete the customer "${name}"? Their sites and devices stay.`,
      unasked: "refuse"
    })
    yield* (yield* connection.endpoint("customers", "remove"))({ params: { id } })
    yield* show({ id, deleted: true }, () => `The customer "${name}" is deleted.`)
  })
).pipe(Command.withDescription("Delete a customer; their sites and devices stay"))
