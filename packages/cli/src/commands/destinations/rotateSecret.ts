import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { Output, showRecord } from "../../Output.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"
import { destinationFields } from "./record.ts"

export const rotateSecret = Command.make(
  "rotate-secret",
  { id, workspace },
  Effect.fn("destinations.rotate-secret")(function* ({ id, workspace }) {
    const call = yield* (yield* Connection).endpoint("destinations", "rotateSecret")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace) }), destinationFields(true))
    yield* (yield* Output).note("For 24 hours the old secret signs as well: change the receiver over")
  })
).pipe(Command.withDescription("Make a new secret and show it; the old one signs for 24 hours more"))
