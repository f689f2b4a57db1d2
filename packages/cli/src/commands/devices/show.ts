import { Effect } from "effect"
import { Command } from "effect/cli"
import { showRecord } from "../../Output.ts"
import { deviceArgument, findDevice } from "./find.ts"
import { deviceFields } from "./record.ts"

export const show = Command.make(
  "show",
  { device: deviceArgument },
  Effect.fn("devices.show")(function* ({ device }) {
    yield* showRecord(yield* findDevice(device), deviceFields)
  })
).pipe(Command.withDescription("Show a device with its newest state"))
