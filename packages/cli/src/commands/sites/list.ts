import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { several, text } from "../../flags.ts"
import { byPage, given, pagingFlags, showList } from "../../paging.ts"
import { siteColumns } from "./record.ts"

const filters = {
  referenceId: several("reference-id", "Reference in the caller's system"),
  customerId: several("customer", "Customer id"),
  state: several("state", "As in the address; in the USA code or name"),
  postalCode: several("postal-code", "As in the address"),
  tag: several("tag", "Tag"),
  q: text("q", "Beginning of the name or the street, any case")
}

export const list = Command.make(
  "list",
  { ...pagingFlags, ...filters },
  Effect.fn("sites.list")(function* ({ all, page, perPage, ...filters }) {
    const call = yield* (yield* Connection).endpoint("sites", "list")
    yield* showList({ all, page, perPage }, "sites", siteColumns, (position) =>
      call({ query: { ...given(filters), ...byPage(position) } })
    )
  })
).pipe(
  Command.withDescription("List sites, newest first"),
  Command.withExamples([{ command: "edp sites list --state CA --tag pilot" }])
)
