import { eventTypes } from "@edp/domain/events/EventType"
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { CliFailure } from "../kernel/CliFailure.ts"
import { text } from "../kernel/flags.ts"
import { sendTest, workspace } from "./destinations.ts"
import { runningListeners } from "./listen/ownDestination.ts"

const listenersDestination = Effect.gen(function* () {
  const [listener, another] = yield* runningListeners
  if (listener === undefined) {
    return yield* new CliFailure({
      code: "NOBODY_LISTENS",
      message: "No edp listen with a destination of its own runs on this machine",
      details: ["Start one in another terminal, or name a destination with --destination."]
    })
  }
  if (another === undefined) return listener.id
  return yield* new CliFailure({
    code: "SEVERAL_LISTEN",
    message: "Several edp listen run on this machine: name the destination of one with --destination",
    details: [`${listener.id}: ${listener.url}`, `${another.id}: ${another.url}`]
  })
})

export const trigger = Command.make(
  "trigger",
  {
    type: Argument.Literals("type", eventTypes).pipe(Argument.withDescription("Type of the event")),
    destination: text("destination", "Id of the destination; default: that of edp listen on this machine"),
    workspace
  },
  Effect.fn("trigger")(function* ({ destination, type, workspace }) {
    const id = Option.isSome(destination) ? destination.value : yield* listenersDestination
    yield* sendTest(id, workspace, Option.some(type))
  })
).pipe(
  Command.withDescription("Send a sample event of a type to a destination"),
  Command.withExamples([
    { command: "edp trigger ALERT_CREATED" },
    { command: "edp trigger DEVICE_UPDATED --destination DESTINATION_ID" }
  ])
)
