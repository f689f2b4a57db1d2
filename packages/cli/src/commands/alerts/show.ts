import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { alertFields } from "./record.ts"

export const show = Command.make(
  "show",
  { id: Argument.String("id").pipe(Argument.withDescription("Id of the alert")) },
  Effect.fn("alerts.show")(function* ({ id }) {
    const call = yield* (yield* Connection).endpoint("alerts", "get")
    yield* showRecord(yield* call({ params: { id } }), alertFields)
  })
).pipe(Command.withDescription("Show an alert"))
