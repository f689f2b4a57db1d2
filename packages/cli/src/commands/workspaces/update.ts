import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { usage } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { workspaceFields } from "./record.ts"
import { deletionProtection, timezone } from "./settings.ts"

export const update = Command.make(
  "update",
  {
    id: Argument.String("id").pipe(Argument.withDescription("Id of the workspace")),
    name: Flag.String("name").pipe(Flag.withDescription("New name"), Flag.optional),
    timezone,
    deletionProtection
  },
  Effect.fn("workspaces.update")(function* ({ id, ...settings }) {
    const payload = given(settings)
    if (Object.keys(payload).length === 0) {
      return yield* usage("Nothing to change: pass --name, --timezone or --deletion-protection")
    }
    const call = yield* (yield* Connection).endpoint("workspaces", "update")
    yield* showRecord(yield* call({ params: { id }, payload }), workspaceFields)
  })
).pipe(
  Command.withDescription("Change a workspace's name, time zone or deletion protection"),
  Command.withExamples([{ command: "edp workspaces update WORKSPACE_ID --no-deletion-protection" }])
)
