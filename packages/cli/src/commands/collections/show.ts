import { Effect } from "effect"
import { Command } from "effect/cli"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"
import { collectionFields } from "./record.ts"

export const show = Command.make(
  "show",
  { id, workspace },
  Effect.fn("collections.show")(function* ({ id, workspace }) {
    const call = yield* (yield* Connection).endpoint("collections", "get")
    yield* showRecord(yield* call({ params: { id }, query: ofWorkspace(workspace) }), collectionFields)
  })
).pipe(Command.withDescription("Show a collection with its criteria"))
