import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"
import { destinationFields } from "./record.ts"

export const show = Command.make(
  "show",
  {
    id,
    secret: Flag.Boolean("secret").pipe(
      Flag.withDescription("Show the secret and header values"),
      Flag.withDefault(false)
    ),
    workspace
  },
  Effect.fn("destinations.show")(function* ({ id, secret, workspace }) {
    const call = yield* (yield* Connection).endpoint("destinations", "get")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace) }), destinationFields(secret))
  })
).pipe(Command.withDescription("Show a destination"))
