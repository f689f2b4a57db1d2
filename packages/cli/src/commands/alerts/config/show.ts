import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../../Connection.ts"
import { showRecord } from "../../../Output.ts"
import { ofWorkspace, workspace } from "./flags.ts"
import { configurationFields } from "./record.ts"

export const show = Command.make(
  "show",
  { workspace },
  Effect.fn("alerts.config.show")(function* ({ workspace }) {
    const call = yield* (yield* Connection).endpoint("alertConfiguration", "get")
    yield* showRecord(yield* call({ query: ofWorkspace(workspace) }), configurationFields)
  })
).pipe(Command.withDescription("Show which alerts the lists show"))
