import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { several } from "../../flags.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { siteId } from "../sites/find.ts"
import { plainFlags } from "./flags.ts"
import { customerFields } from "./record.ts"

export const create = Command.make(
  "create",
  { ...plainFlags, sites: several("site", "Site to associate the customer with, by id or referenceId") },
  Effect.fn("customers.create")(function* ({ sites, ...fields }) {
    const siteIds = yield* Effect.forEach(sites, siteId)
    const call = yield* (yield* Connection).endpoint("customers", "create")
    yield* showRecord(yield* call({ payload: { ...given(fields), ...given({ siteIds }) } }), customerFields)
  })
).pipe(
  Command.withDescription("Create a customer"),
  Command.withExamples([
    { command: "edp customers create --reference-id user-1 --first-name Ada --last-name Okafor --site home-1" }
  ])
)
