import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { byPage, pagingFlags, showList } from "../../paging.ts"
import { workspaceColumns } from "./record.ts"

export const list = Command.make(
  "list",
  pagingFlags,
  Effect.fn("workspaces.list")(function* (flags) {
    const call = yield* (yield* Connection).endpoint("workspaces", "list")
    yield* showList(flags, "workspaces", workspaceColumns, (position) => call({ query: byPage(position) }))
  })
).pipe(Command.withDescription("List the workspaces of the organization, newest first"))
