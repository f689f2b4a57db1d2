import { verb } from "../kernel/verb.ts"
import { eventTypes } from "@edp/domain/events/EventType"
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import { CliFailure } from "../kernel/CliFailure.ts"
import { text, workspaceId } from "../kernel/flags.ts"
import { sendTest } from "./destinations.ts"
import { runningListeners } from "./listen/ownDestination.ts"

const listenersDestination = Effect.gen(function* () {
  const [listener, another] = yield* runningListeners
  if (listener === undefined) {
    return yield* new CliFailure({
      code: "NOBODY_LISTENS",
      message: "No edp listen with a temporary destination is running on this machine",
      details: ["Start one in another terminal, or name a destination with --destination."]
    })
  }
  if (another === undefined) return listener.id
  return yield* new CliFailure({
    code: "SEVERAL_LISTEN",
    message: "Several edp listen are running on this machine: pass --destination",
    details: [`${listener.id}: ${listener.url}`, `${another.id}: ${another.url}`]
  })
})

export const trigger = verb(
  "trigger",
  "Send a sample event of a type to a destination",
  {
    type: Argument.Literals("type", eventTypes).pipe(Argument.withDescription("Type of the event")),
    destination: text("destination", "Id of the destination; default: that of edp listen on this machine"),
    workspaceId
  },
  Effect.fnUntraced(function* ({ destination, type, workspaceId }) {
    const id = Option.isSome(destination) ? destination.value : yield* listenersDestination
    yield* sendTest(id, workspaceId, Option.some(type))
  }),
  ["edp trigger ALERT_CREATED", "edp trigger DEVICE_UPDATED --destination DESTINATION_ID"]
)
