import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"
import { destinationFields } from "./record.ts"

export const activate = Command.make(
  "activate",
  { id, workspace },
  Effect.fn("destinations.activate")(function* ({ id, workspace }) {
    const call = yield* (yield* Connection).endpoint("destinations", "activate")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace) }), destinationFields(false))
  })
).pipe(Command.withDescription("Reopen a deactivated destination: what waited goes on"))
