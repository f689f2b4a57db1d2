import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { byPage, pagingFlags, showList } from "../../paging.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"
import { memberColumns } from "./memberColumns.ts"

export const members = Command.make(
  "members",
  { ...pagingFlags, id, workspace },
  Effect.fn("collections.members")(function* ({ all, id, page, perPage, workspace }) {
    const call = yield* (yield* Connection).endpoint("collections", "members")
    yield* showList({ all, page, perPage }, "members", memberColumns, (position) =>
      call({ params: { id }, query: { ...ofWorkspace(workspace), ...byPage(position) } })
    )
  })
).pipe(Command.withDescription("List a collection's members, newest first"))
