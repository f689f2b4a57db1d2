import { isCuid } from "@edp/domain/shared/Cuid"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { CliFailure } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"

export const deviceArgument = Argument.String("device").pipe(
  Argument.withDescription("Id of the device, or the manufacturer's id of it")
)

/** A device by its id, or by the manufacturer's where exactly one device has that. */
export const findDevice = Effect.fn("devices.find")(function* (name: string) {
  const connection = yield* Connection
  if (isCuid(name)) return yield* (yield* connection.endpoint("devices", "get"))({ params: { id: name } })
  const list = yield* connection.endpoint("devices", "list")
  const { body } = yield* list({ query: { manufacturerDeviceId: name, perPage: 5 } })
  const [device, another] = body.data
  if (device === undefined) {
    return yield* new CliFailure({
      code: "DEVICE_NOT_FOUND",
      message: `There is no device with the id or manufacturer's id ${name}`
    })
  }
  if (another !== undefined) {
    return yield* new CliFailure({
      code: "DEVICE_AMBIGUOUS",
      message: `Several devices have the manufacturer's id ${name}: name one by its id`,
      details: body.data.map(({ id, manufacturer }) => `${id} (${manufacturer})`)
    })
  }
  return device
})
