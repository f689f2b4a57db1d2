import { Effect } from "effect"
import { Command } from "effect/cli"
import { confirm } from "../../ask.ts"
import { Connection } from "../../Connection.ts"
import { yes } from "../../flags.ts"
import { Output } from "../../Output.ts"
import { deviceArgument, findDevice } from "./find.ts"

export const remove = Command.make(
  "delete",
  { device: deviceArgument, yes },
  Effect.fn("devices.delete")(function* ({ device, yes }) {
    const { id, name } = yield* findDevice(device)
    yield* confirm({
      yes,
      message: `Remove the device "${name}" from the workspace? Its readings are no longer readable.`,
      unasked: "refuse"
    })
    yield* (yield* (yield* Connection).endpoint("devices", "remove"))({ params: { id } })
    yield* (yield* Output).show({ id, deleted: true }, () => `The device "${name}" is removed.`)
  })
).pipe(Command.withDescription("Remove a device from the workspace"))
