import { Effect } from "effect"
import { Command } from "effect/cli"
import { CliFailure } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"

export const test = Command.make(
  "test",
  { id, workspace },
  Effect.fn("destinations.test")(function* ({ id, workspace }) {
    const call = yield* (yield* Connection).endpoint("destinations", "test")
    const result = yield* call({ params: { id }, query: ofWorkspace(workspace) })
    yield* showRecord(result, ({ durationMs, error, responseBody, statusCode, succeeded }) => [
      ["succeeded", succeeded],
      ["status", statusCode],
      ["took", `${durationMs} ms`],
      ["error", error],
      ["answer", responseBody]
    ])
    if (!result.succeeded) {
      return yield* new CliFailure({ code: "NOT_DELIVERED", message: result.error ?? "The test was not taken" })
    }
  })
).pipe(Command.withDescription("Send a sample event at once, and show what became of it"))
