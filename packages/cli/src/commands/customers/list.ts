import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { several, text } from "../../flags.ts"
import { byPage, given, pagingFlags, showList } from "../../paging.ts"
import { customerColumns } from "./record.ts"

const filters = {
  referenceId: several("reference-id", "Reference in the caller's system"),
  email: text("email", "The whole e-mail address, any case"),
  siteId: several("site", "Site id"),
  q: text("q", "Beginning of the first or last name or of the e-mail, any case")
}

export const list = Command.make(
  "list",
  { ...pagingFlags, ...filters },
  Effect.fn("customers.list")(function* ({ all, page, perPage, ...filters }) {
    const call = yield* (yield* Connection).endpoint("customers", "list")
    yield* showList({ all, page, perPage }, "customers", customerColumns, (position) =>
      call({ query: { ...given(filters), ...byPage(position) } })
    )
  })
).pipe(
  Command.withDescription("List customers, newest first"),
  Command.withExamples([{ command: "edp customers list --q okafor" }])
)
