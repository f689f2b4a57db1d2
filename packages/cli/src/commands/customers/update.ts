import { Effect } from "effect"
import { Command } from "effect/cli"
import { clearFlag, withCleared } from "../../clearing.ts"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { customerArgument, customerId } from "./find.ts"
import { plainFlags } from "./flags.ts"
import { customerFields } from "./record.ts"

const clearable = {
  "reference-id": { referenceId: null },
  "first-name": { firstName: null },
  "last-name": { lastName: null },
  email: { email: null },
  phone: { phone: null }
} as const

export const update = Command.make(
  "update",
  { customer: customerArgument, ...plainFlags, clear: clearFlag(clearable) },
  Effect.fn("customers.update")(function* ({ clear, customer, ...fields }) {
    const payload = yield* withCleared(given(fields), clearable, clear)
    const call = yield* (yield* Connection).endpoint("customers", "update")
    yield* showRecord(yield* call({ params: { id: yield* customerId(customer) }, payload }), customerFields)
  })
).pipe(
  Command.withDescription("Change a customer"),
  Command.withExamples([{ command: 'edp customers update user-1 --phone "+1 916 555 0142" --clear email' }])
)
