import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { text } from "../../flags.ts"
import { given, pagingFlags, showList } from "../../paging.ts"
import { filterFlags } from "./flags.ts"
import { eventColumns } from "./record.ts"

export const list = Command.make(
  "list",
  {
    ...pagingFlags,
    ...filterFlags,
    from: text("from", "Happened at or after this date-time"),
    to: text("to", "Happened before this date-time")
  },
  Effect.fn("events.list")(function* ({ all, page, perPage, ...filters }) {
    const call = yield* (yield* Connection).endpoint("events", "list")
    yield* showList({ all, page, perPage }, "events", eventColumns, (position) =>
      call({ query: { ...given(filters), ...position } })
    )
  })
).pipe(
  Command.withDescription("List what happened, newest first"),
  Command.withExamples([
    { command: "edp events list --type DEVICE_CONNECTED --type DEVICE_DISCONNECTED" },
    { command: "edp events list --from 2026-03-01T00:00:00Z --all --json" }
  ])
)
