import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../../Connection.ts"
import { showRecord } from "../../../Output.ts"
import { changedRules, ofWorkspace, ruleFlags, workspace } from "./flags.ts"
import { configurationFields } from "./record.ts"

export const set = Command.make(
  "set",
  { ...ruleFlags, workspace },
  Effect.fn("alerts.config.set")(function* ({ workspace, ...flags }) {
    const changes = yield* changedRules(flags)
    const connection = yield* Connection
    const query = ofWorkspace(workspace)
    const { minimumSeverity, sourceSystems, subtypes, types } = yield* (yield* connection.endpoint(
      "alertConfiguration",
      "get"
    ))({ query })
    const save = yield* connection.endpoint("alertConfiguration", "save")
    const payload = { minimumSeverity, types, subtypes, sourceSystems, ...changes }
    yield* showRecord(yield* save({ query, payload }), configurationFields)
  })
).pipe(
  Command.withDescription("Change which alerts the lists show; rules that no flag speaks of stay"),
  Command.withExamples([
    { command: "edp alerts config set --min-severity WARNING --hide-type FIRMWARE_UPDATE --hide-source night-watch" },
    { command: "edp alerts config set --any-severity --all-types" }
  ])
)
