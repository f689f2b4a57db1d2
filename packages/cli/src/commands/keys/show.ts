import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { keyFields } from "./record.ts"

export const show = Command.make(
  "show",
  { id: Argument.String("id").pipe(Argument.withDescription("Id of the key")) },
  Effect.fn("keys.show")(function* ({ id }) {
    const call = yield* (yield* Connection).endpoint("apiKeys", "get")
    yield* showRecord(yield* call({ params: { id } }), keyFields)
  })
).pipe(Command.withDescription("Show an API key; the key itself is never shown again"))
