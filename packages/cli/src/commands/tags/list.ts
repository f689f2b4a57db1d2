import type { TagUse } from "@edp/domain/tags/Tag"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { byPage, given, pagingFlags, showList } from "../../paging.ts"
import type { Column } from "../../table.ts"

const columns: ReadonlyArray<Column<TagUse>> = [
  { title: "TAG", value: ({ tag }) => tag },
  { title: "DEVICES", value: ({ deviceCount }) => deviceCount, right: true },
  { title: "SITES", value: ({ siteCount }) => siteCount, right: true }
]

export const list = Command.make(
  "list",
  {
    ...pagingFlags,
    q: Flag.String("q").pipe(Flag.withDescription("Beginning of the tag, any case"), Flag.optional)
  },
  Effect.fn("tags.list")(function* ({ all, page, perPage, q }) {
    const call = yield* (yield* Connection).endpoint("tags", "list")
    yield* showList({ all, page, perPage }, "tags", columns, (position) =>
      call({ query: { ...given({ q }), ...byPage(position) } })
    )
  })
).pipe(
  Command.withDescription("List the tags of devices and sites, with how many have each"),
  Command.withExamples([{ command: "edp tags list --q fleet" }])
)
