import { destinationTypes } from "@edp/domain/destinations/Destination"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { words } from "../../flags.ts"
import { byPage, given, pagingFlags, showList } from "../../paging.ts"
import { ofWorkspace, workspace } from "./flags.ts"
import { destinationColumns } from "./record.ts"

export const list = Command.make(
  "list",
  {
    ...pagingFlags,
    destinationType: words("type", destinationTypes),
    workspace
  },
  Effect.fn("destinations.list")(function* ({ all, destinationType, page, perPage, workspace }) {
    const call = yield* (yield* Connection).endpoint("destinations", "list")
    yield* showList({ all, page, perPage }, "destinations", destinationColumns, (position) =>
      call({ query: { ...given({ destinationType }), ...ofWorkspace(workspace), ...byPage(position) } })
    )
  })
).pipe(Command.withDescription("List destinations, newest first"))
