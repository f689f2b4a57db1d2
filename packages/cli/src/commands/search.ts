import { type SearchResult, searchTypes } from "@edp/domain/search/SearchResult"
import { Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { request } from "../kernel/Connection.ts"
import { Output, showTable } from "../kernel/Output.ts"
import { given } from "../kernel/paging.ts"
import type { Column } from "../kernel/table.ts"
import { verb } from "../kernel/verb.ts"

const columns: ReadonlyArray<Column<SearchResult>> = [
  { title: "TYPE", value: ({ type }) => type, whole: true },
  { title: "NAME", value: ({ name }) => name },
  { title: "DETAIL", value: ({ detail }) => detail },
  { title: "FOUND IN", value: ({ field }) => field, wide: true },
  { title: "ID", value: ({ id }) => id, whole: true }
]

export const search = verb(
  "search",
  "Find devices, sites, customers, accounts and program instances by a part of what is written on them",
  {
    query: Argument.String("query").pipe(
      Argument.withDescription("Words of names, addresses, e-mail addresses, numbers or references, any case"),
      Argument.atLeast(1)
    ),
    types: Flag.Literals("type", searchTypes).pipe(
      Flag.withDescription("Only records of this kind; repeat for several"),
      Flag.atLeast(0)
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("At most this many results, up to 50; default: 20"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ limit, query, types }) {
    const found = yield* request("search", "find", {
      query: { query: query.join(" "), ...given({ limit }), ...(types.length > 0 && { types }) }
    })
    yield* showTable(found, columns, found.data)
    const { note } = yield* Output
    if (found.similar) yield* note("Nothing contains the query: these are similar")
  }),
  ["edp search 15 Alder", "edp search smith --type customer", "edp search SN-1042 --json"]
)
