import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { workspaceFields } from "./record.ts"

export const show = Command.make(
  "show",
  { id: Argument.String("id").pipe(Argument.withDescription("Id of the workspace")) },
  Effect.fn("workspaces.show")(function* ({ id }) {
    const call = yield* (yield* Connection).endpoint("workspaces", "get")
    yield* showRecord(yield* call({ params: { id } }), workspaceFields)
  })
).pipe(Command.withDescription("Show a workspace"))
