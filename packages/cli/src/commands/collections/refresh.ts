import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"
import { collectionFields } from "./record.ts"

export const refresh = Command.make(
  "refresh",
  { id, workspace },
  Effect.fn("collections.refresh")(function* ({ id, workspace }) {
    const call = yield* (yield* Connection).endpoint("collections", "refresh")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace) }), collectionFields)
  })
).pipe(Command.withDescription("Bring a kept set up to date now"))
