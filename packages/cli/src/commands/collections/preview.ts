import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { byPage, pagingFlags, showList } from "../../paging.ts"
import { criteria, ofWorkspace, parseCriteria, type, workspace } from "./flags.ts"
import { memberColumns } from "./memberColumns.ts"

export const preview = Command.make(
  "preview",
  { ...pagingFlags, type, criteria, workspace },
  Effect.fn("collections.preview")(function* ({ all, criteria, page, perPage, type, workspace }) {
    const payload = { collectionType: type, criteria: yield* parseCriteria(criteria) }
    const call = yield* (yield* Connection).endpoint("collections", "preview")
    yield* showList({ all, page, perPage }, "members", memberColumns, (position) =>
      call({ query: { ...ofWorkspace(workspace), ...byPage(position) }, payload })
    )
  })
).pipe(
  Command.withDescription("Show who meets criteria, without storing anything"),
  Command.withExamples([
    {
      command: `edp collections preview --type DEVICE --criteria '{"attribute":"tags","operator":"contains","value":"pilot"}'`
    }
  ])
)
