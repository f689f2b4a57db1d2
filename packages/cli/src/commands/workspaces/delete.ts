import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { confirm } from "../../ask.ts"
import { Connection } from "../../Connection.ts"
import { Output } from "../../Output.ts"

export const remove = Command.make(
  "delete",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the workspace")),
    yes: Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask"), Flag.withDefault(false))
  },
  Effect.fn("workspaces.delete")(function* ({ id, yes }) {
    const connection = yield* Connection
    const { show } = yield* Output
    const { name } = yield* (yield* connection.endpoint("workspaces", "get"))({ params: { id } })
    yield* confirm({
      yes,
      message: `Delete the workspace "${name}" with every site, device, reading and key in it?`,
      unasked: "refuse"
    })
    yield* (yield* connection.endpoint("workspaces", "remove"))({ params: { id } })
    yield* show({ id, deleted: true }, () => `The workspace "${name}" is deleted.`)
  })
).pipe(Command.withDescription("Delete a workspace with everything in it"))
