import type { Metric } from "@edp/domain/metrics/Metric"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { byPage, pagingFlags, showList } from "../../paging.ts"
import type { Column } from "../../table.ts"

/** The rest is for who asks for JSON. */
const firstSentence = (text: string) => text.split(/\. |; | \(/u)[0]

const columns: ReadonlyArray<Column<Metric>> = [
  { title: "METRIC", value: ({ name }) => name, whole: true },
  { title: "UNIT", value: ({ unit }) => unit, whole: true },
  { title: "AGGREGATION", value: ({ aggregation }) => aggregation, whole: true, wide: true },
  { title: "OF DEVICES", value: ({ deviceTypes }) => deviceTypes },
  { title: "WHAT IT TELLS", value: ({ description }) => firstSentence(description) }
]

export const list = Command.make(
  "list",
  pagingFlags,
  Effect.fn("metrics.list")(function* (flags) {
    const call = yield* (yield* Connection).endpoint("metrics", "list")
    yield* showList(flags, "metrics", columns, (position) => call({ query: byPage(position) }))
  })
).pipe(Command.withDescription("List the metrics that there are"))
