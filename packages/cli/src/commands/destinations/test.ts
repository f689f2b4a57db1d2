import { type EventType, eventTypes } from "@edp/domain/events/EventType"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CliFailure } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"
import { showRecord } from "../../Output.ts"
import { given } from "../../paging.ts"
import { id, ofWorkspace, workspace } from "./flags.ts"

/** Sends a sample, shows what became of it, and fails when it was not taken. */
export const sendTest = Effect.fn("destinations.test")(function* (
  id: string,
  workspace: Option.Option<string>,
  type: Option.Option<EventType>
) {
  const call = yield* (yield* Connection).endpoint("destinations", "test")
  const result = yield* call({ params: { id }, query: ofWorkspace(workspace), payload: given({ type }) })
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

export const test = Command.make(
  "test",
  {
    id,
    type: Flag.Literals("type", eventTypes).pipe(
      Flag.withDescription("Type of the sample; default: the first that the destination subscribes to"),
      Flag.optional
    ),
    workspace
  },
  ({ id, type, workspace }) => sendTest(id, workspace, type)
).pipe(Command.withDescription("Send a sample event at once, and show what became of it"))
