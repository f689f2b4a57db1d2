import { VisibilityLevel } from "@edp/domain/collections/Collection"
import { collectionTypes } from "@edp/domain/collections/criteria"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { words } from "../../flags.ts"
import { byPage, given, pagingFlags, showList } from "../../paging.ts"
import { ofWorkspace, workspace } from "./flags.ts"
import { collectionColumns } from "./record.ts"

const filters = {
  collectionType: words("type", collectionTypes),
  visibilityLevel: words("visibility", VisibilityLevel.literals),
  dynamic: Flag.Literals("dynamic", ["true", "false"]).pipe(
    Flag.withDescription("true: live queries; false: kept sets"),
    Flag.optional
  ),
  isActive: Flag.Literals("active", ["true", "false"]).pipe(Flag.withDescription("false: frozen"), Flag.optional),
  q: Flag.String("q").pipe(Flag.withDescription("Beginning of the name"), Flag.optional)
}

export const list = Command.make(
  "list",
  { ...pagingFlags, ...filters, workspace },
  Effect.fn("collections.list")(function* ({ all, page, perPage, workspace, ...filters }) {
    const call = yield* (yield* Connection).endpoint("collections", "list")
    yield* showList({ all, page, perPage }, "collections", collectionColumns, (position) =>
      call({ query: { ...given(filters), ...ofWorkspace(workspace), ...byPage(position) } })
    )
  })
).pipe(Command.withDescription("List collections, newest first"))
