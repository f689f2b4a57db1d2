import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { several } from "../../flags.ts"
import { byPage, given, pagingFlags, showList } from "../../paging.ts"
import { keyColumns } from "./record.ts"

export const list = Command.make(
  "list",
  {
    ...pagingFlags,
    workspace: several("workspace", "Keys of this workspace id only")
  },
  Effect.fn("keys.list")(function* (flags) {
    const call = yield* (yield* Connection).endpoint("apiKeys", "list")
    const filters = given({ workspaceId: flags.workspace })
    yield* showList(flags, "keys", keyColumns, (position) => call({ query: { ...filters, ...byPage(position) } }))
  })
).pipe(
  Command.withDescription("List the API keys of the organization, newest first"),
  Command.withExamples([{ command: "edp keys list --all" }])
)
