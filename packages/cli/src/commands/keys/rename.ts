import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { keyFields } from "./record.ts"

export const rename = Command.make(
  "rename",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the key")),
    name: Argument.String("name").pipe(Argument.withDescription("New name, 1 to 255 characters"))
  },
  Effect.fn("keys.rename")(function* ({ id, name }) {
    const call = yield* (yield* Connection).endpoint("apiKeys", "update")
    yield* showRecord(yield* call({ params: { id }, payload: { name } }), keyFields)
  })
).pipe(Command.withDescription("Rename an API key"))
