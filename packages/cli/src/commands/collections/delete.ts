import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { confirm } from "../../ask.ts"
import { Connection } from "../../Connection.ts"
import { Output } from "../../Output.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"

export const remove = Command.make(
  "delete",
  { id, workspace, yes: Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask"), Flag.withDefault(false)) },
  Effect.fn("collections.delete")(function* ({ id, workspace, yes }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const query = ofWorkspace(workspace)
    const { name } = yield* (yield* connection.endpoint("collections", "get"))({ params: { id }, query })
    yield* confirm({ yes, message: `Delete the collection "${name}"? Its members stay.`, unasked: "refuse" })
    yield* (yield* connection.endpoint("collections", "remove"))({ params: { id }, query })
    yield* show({ id, deleted: true }, () => `The collection "${name}" is deleted.`)
  })
).pipe(Command.withDescription("Delete a collection; its members stay what they are"))
