import { isCuid } from "@edp/domain/shared/Cuid"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { CliFailure } from "../../CliFailure.ts"
import { Connection } from "../../Connection.ts"

export const deviceArgument = Argument.String("device").pipe(
  Argument.withDescription("Id of the device, the manufacturer's id of it, or its name")
)

/** A device by its id, or by the manufacturer's id or the name where exactly one device has that. */
export const findDevice = Effect.fn("devices.find")(function* (name: string) {
  const connection = yield* Connection
  if (isCuid(name)) return yield* (yield* connection.endpoint("devices", "get"))({ params: { id: name } })
  const list = yield* connection.endpoint("devices", "list")
  const known = (yield* list({ query: { manufacturerDeviceId: [name], perPage: 5 } })).data
  const named = known.length > 0 ? [] : (yield* list({ query: { q: name, perPage: 100 } })).data
  const devices = [...known, ...named.filter((device) => device.name === name)]
  const [device, another] = devices
  if (device === undefined) {
    return yield* new CliFailure({
      code: "DEVICE_NOT_FOUND",
      message: `There is no device with the id, manufacturer's id or name ${name}`
    })
  }
  if (another !== undefined) {
    return yield* new CliFailure({
      code: "DEVICE_AMBIGUOUS",
      message: `Several devices are called ${name}: name one by its id`,
      details: devices.map(({ id, manufacturer }) => `${id} (${manufacturer})`)
    })
  }
  return device
})
