import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { confirm } from "../../ask.ts"
import { Connection } from "../../Connection.ts"
import { Output } from "../../Output.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"

export const remove = Command.make(
  "delete",
  { id, workspace, yes: Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask"), Flag.withDefault(false)) },
  Effect.fn("destinations.delete")(function* ({ id, workspace, yes }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const query = ofWorkspace(workspace)
    const { label } = yield* (yield* connection.endpoint("destinations", "get"))({ params: { id }, query })
    const name = label === null ? id : `"${label}"`
    yield* confirm({
      yes,
      message: `Delete the destination ${name}? What is still to be delivered there is dropped.`,
      unasked: "refuse"
    })
    yield* (yield* connection.endpoint("destinations", "remove"))({ params: { id }, query })
    yield* show({ id, deleted: true }, () => `The destination ${name} is deleted.`)
  })
).pipe(Command.withDescription("Delete a destination, and drop what was still to be delivered there"))
