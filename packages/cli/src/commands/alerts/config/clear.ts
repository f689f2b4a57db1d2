import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { confirm } from "../../../ask.ts"
import { Connection } from "../../../Connection.ts"
import { Output } from "../../../Output.ts"
import { ofWorkspace, workspace } from "./flags.ts"

export const clear = Command.make(
  "clear",
  { workspace, yes: Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask"), Flag.withDefault(false)) },
  Effect.fn("alerts.config.clear")(function* ({ workspace, yes }) {
    yield* confirm({ yes, message: "Drop all rules and list every alert again?", unasked: "proceed" })
    const call = yield* (yield* Connection).endpoint("alertConfiguration", "clear")
    yield* call({ query: ofWorkspace(workspace) })
    yield* (yield* Output).show({ cleared: true }, () => "Every alert is listed again.")
  })
).pipe(Command.withDescription("Drop what was saved: every alert is listed again"))
