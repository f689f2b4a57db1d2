import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { customerArgument, customerId } from "./find.ts"
import { customerFields } from "./record.ts"

export const show = Command.make(
  "show",
  {
    customer: customerArgument,
    devices: Flag.Boolean("devices").pipe(
      Flag.withDescription("With the customer's newest 1000 devices and their states"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("customers.show")(function* ({ customer, devices }) {
    const call = yield* (yield* Connection).endpoint("customers", "get")
    const query = devices ? ({ include: "devices" } as const) : {}
    yield* showRecord(yield* call({ params: { id: yield* customerId(customer) }, query }), customerFields)
  })
).pipe(Command.withDescription("Show a customer"))
