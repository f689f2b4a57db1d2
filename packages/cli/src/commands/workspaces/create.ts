import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { workspaceFields } from "./record.ts"
import { deletionProtection, timezone } from "./settings.ts"

export const create = Command.make(
  "create",
  {
    name: Flag.String("name").pipe(Flag.withDescription("1 to 100 characters, unique in the organization")),
    timezone,
    deletionProtection
  },
  Effect.fn("workspaces.create")(function* ({ name, ...settings }) {
    const call = yield* (yield* Connection).endpoint("workspaces", "create")
    yield* showRecord(yield* call({ payload: { name, ...given(settings) } }), workspaceFields)
  })
).pipe(
  Command.withDescription("Create a workspace"),
  Command.withExamples([{ command: "edp workspaces create --name Pilot --timezone America/Los_Angeles" }])
)
